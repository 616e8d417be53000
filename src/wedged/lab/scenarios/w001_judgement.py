"""W001: from what one trial saw through the bare lists and the named ones to its claims. Pure."""

from dataclasses import dataclass
from functools import partial

from wedged.facts.session import PartStatus
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.outcomes import outcome_of
from wedged.lab.scenarios.w201_judgement import Told
from wedged.lab.scenarios.w201_sight import Sight


@dataclass(frozen=True, slots=True)
class View:
    """One session at one moment. `look` is by its own directory; `bare` says whether the list of statuses
    that names no directory has it, `other` whether a third directory's has it (None: not asked)."""

    look: Sight
    bare: bool
    other: bool | None = None

    @property
    def works(self) -> bool:
        """The call runs, and the session's own directory says so."""
        running = self.look.part is not None and self.look.part.status is PartStatus.RUNNING
        return running and self.look.session is not None and self.look.session.works

    @property
    def words(self) -> str:
        """What was seen, in one line."""
        named = "named" if self.bare else "not named"
        return f"{self.look.words}; {named} by the list that names no directory"


outcome = partial(outcome_of, "W001")


def control(during: View, after: Sight) -> tuple[ClaimOutcome, ...]:
    """A session of the server's own directory."""
    done = after.idle and after.part is not None and after.part.status is PartStatus.COMPLETED
    hidden = during.works and not during.bare
    return (outcome("control-is-named", during.works and during.bare and done, hidden, during.words),)


def trigger(seen: View, messages: bool) -> tuple[ClaimOutcome, ...]:
    """`messages`: asked without a directory, the session's messages hold a call that is running."""
    answered = f"messages asked without a directory {'hold' if messages else 'do not hold'} the running call"
    return (
        outcome("looks-idle", seen.works and not seen.bare, seen.works and seen.bare, seen.words),
        outcome("messages-say-running", seen.works and messages, seen.works and not messages, answered),
    )


def stays(seen: View, watched: float) -> tuple[ClaimOutcome, ...]:
    """The same, later."""
    hidden, named = seen.works and not seen.bare, seen.works and seen.bare
    return (outcome("placebo-stays", hidden, named, seen.words, watched_s=watched),)


def other_name(seen: View) -> tuple[ClaimOutcome, ...]:
    """A third directory's list."""
    said = f"{seen.look.words}; the third directory's list {'names' if seen.other else 'does not name'} it"
    empty = seen.works and seen.other is False
    return (outcome("another-name-is-empty-too", empty, seen.works and seen.other is True, said),)


def own_directory(seen: View, session: str, answer: object) -> tuple[ClaimOutcome, ...]:
    """The class's own step: what it was answered."""
    named = session in str(answer)
    said = f"{seen.look.words}; asked for its own directory the list {'names' if named else 'misses'} it"
    return (outcome("own-directory-names-it", seen.works and named, seen.works and not named, said),)


def ask(hidden: bool, listed: bool, status: int, waits: bool) -> tuple[ClaimOutcome, ...]:
    """An ask of the session: whether its own directory's list has it and the bare one hides it; a reply that
    named no directory was answered `status`, after which the ask `waits` or not."""
    here = "lists" if not hidden else "does not list"
    said = f"its own directory {'lists' if listed else 'does not list'} the ask, the bare list {here} it"
    reply = f"the reply without a directory was answered {status}; the ask {'waits' if waits else 'is gone'}"
    return (
        outcome("ask-is-hidden", listed and hidden, listed and not hidden, said),
        outcome("reply-is-lost", status == 404 and waits, status < 400 and not waits, reply),
    )


def abort(before: View, after: Sight) -> tuple[ClaimOutcome, ...]:
    """Abort without a directory."""
    over = after.idle and after.part is not None and after.part.status.terminal
    still = after.session is not None and after.session.works
    return (outcome("abort-finds-it", before.works and over, before.works and still, after.words),)


def prompt(asked_meanwhile: int, told: Told, words: str, after: Sight) -> tuple[ClaimOutcome, ...]:
    """A prompt without a directory, while the command ran: `asked_meanwhile` requests to the model until it
    ended, then one that holds the command's last `words`."""
    said = f"{asked_meanwhile} requests to the model while the command ran; then told: {told.words[:80]}"
    joined = asked_meanwhile == 0 and words in told.words
    return (outcome("prompt-joins-it", joined and after.idle, asked_meanwhile > 0, said),)


def wrong_cure(before: View, alive: bool, told: Told, words: str) -> tuple[ClaimOutcome, ...]:
    """W201's cure on a live call: `alive` says that its command ran on, `words` is what it printed last."""
    heard = words in told.words
    said = f"command {'ran on' if alive else 'ended'}; then told: {told.words[:80]}"
    lost = before.works and alive and told.interrupted and not heard
    return (outcome("wrong-cure-loses-the-result", lost, heard, said),)


def doctor(seen: View, word: Word, active: bool) -> tuple[ClaimOutcome, ...]:
    """Doctor, asked about the session: `active` says that it holds it for working. Where the bare list names
    the session, there is nothing to give notice of."""
    expected = () if seen.bare else ("W001",)
    clear = seen.works and not word.unread
    right = word.says(expected) and active
    values = word.opinion(expected) if clear else {}
    said = f"{seen.words}; {word.words}, {'works' if active else 'idle'}"
    told = clear and right and not seen.bare
    return (outcome("doctor-says-so", told, clear and (seen.bare or not right), said, **values),)


def like(arm: str, state: str, word: Word) -> tuple[ClaimOutcome, ...]:
    """Symptom: in the state (`state` is its words), and doctor says nothing of it."""
    seen = bool(state) and not word.unread
    values = word.opinion(()) if seen else {}
    why = f"{state or 'not in the state'}; {word.words}"
    claim = f"not-{arm.removeprefix('like-')}"
    return (outcome(claim, seen and word.says(()), seen and not word.says(()), why, **values),)
