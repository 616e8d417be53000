"""One ask by its id: live, another directory's, a leftover, or gone. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from wedged.catalog.ask_standing import AskStanding, Standing, standing
from wedged.diagnose.age import age_words
from wedged.facts.ask import Ask, born_ms
from wedged.facts.server import Line
from wedged.facts.snapshot import Origin, Snapshot


class AskVerdict(StrEnum):
    """`ANOTHER_DIRECTORY` is live too, and a reply must name that directory."""

    LIVE = "live"
    ANOTHER_DIRECTORY = "another-directory"
    LEFTOVER = "leftover"
    GONE = "gone"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class AskAnswer:
    """What became of an ask. `sentence` is a paragraph for a person; `seen` is None where no list has it."""

    id: str
    verdict: AskVerdict
    sentence: str
    age_s: float | None
    seen: AskStanding | None = None

    @property
    def waits(self) -> bool:
        """Whether a turn waits for it."""
        return self.verdict in (AskVerdict.LIVE, AskVerdict.ANOTHER_DIRECTORY)


def what_became_of(ask_id: str, look: Snapshot) -> AskAnswer:
    """Judge the ask with this id by one look."""
    ask = next((one for one in look.asks if one.id == ask_id), None)
    if ask is None:
        return _not_listed(ask_id, look)
    seen = standing(ask, look)
    asked = f" It was asked {age_words(seen.age_s)} ago." if seen.age_s is not None else ""
    if seen.standing is Standing.LEFTOVER:
        return AskAnswer(
            ask_id,
            AskVerdict.LEFTOVER,
            f"{ask_id} is listed, and nothing waits for it: {seen.why}. It is a leftover, as an abort leaves "
            f"them (W104). Approving it can still run its call: reject it.{asked}",
            seen.age_s,
            seen,
        )
    if seen.standing is Standing.UNCLEAR:
        sentence = f"{ask_id} is listed, and whether something waits for it is not known: {seen.why}.{asked}"
        return AskAnswer(ask_id, AskVerdict.UNKNOWN, sentence, seen.age_s, seen)
    own = look.scopes[0].directory if look.scopes else ask.directory
    if ask.directory != own:
        return AskAnswer(
            ask_id,
            AskVerdict.ANOTHER_DIRECTORY,
            f"{ask_id} is live, and belongs to {ask.directory}: the server's own directory ({own}) does not "
            f"list it. {_how_to_reply(ask, look)}{asked}",
            seen.age_s,
            seen,
        )
    sentence = f"{ask_id} is live: {seen.why}, and its turn goes on when somebody answers.{asked}"
    return AskAnswer(ask_id, AskVerdict.LIVE, sentence, seen.age_s, seen)


def _how_to_reply(ask: Ask, look: Snapshot) -> str:
    if look.identity.line is Line.V1:
        return "A reply without that directory is answered as if the ask did not exist."
    return f"A reply goes by its session ({ask.session_id}) and need not name the directory."


def _not_listed(ask_id: str, look: Snapshot) -> AskAnswer:
    born = born_ms(ask_id, look.taken_ms)
    age = None if born is None else max(0.0, (look.taken_ms - born) / 1000)
    asked = f" By its id it was asked {age_words(age)} ago." if age is not None else ""
    if look.origin is not Origin.LIVE:
        sentence = f"asks live in a server's memory only, so what became of {ask_id} is not in a file.{asked}"
        return AskAnswer(ask_id, AskVerdict.UNKNOWN, sentence, age)
    if look.gaps:
        sentence = f"{ask_id} is in no list that could be read, and not everything could be.{asked}"
        return AskAnswer(ask_id, AskVerdict.UNKNOWN, sentence, age)
    directories = sorted({scope.directory for scope in look.scopes})
    others = {s.directory for s in look.sessions if s.directory} - set(directories)
    # A live ask has an unfinished call, and directories with one of those were all asked.
    rest = f"; in {len(others)} more, where no call waits, it could be a leftover at most" if others else ""
    verb = "does" if len(directories) == 1 else "do"
    return AskAnswer(
        ask_id,
        AskVerdict.GONE,
        f"{ask_id} is gone: {', '.join(directories)} {verb} not list it{rest}. Somebody answered it, or its "
        "turn ended, or the server was restarted or disposed of its instance: asks live in memory only. A "
        f"dialog that still shows it shows a ghost (W102); a reply changes nothing.{asked}",
        age,
    )
