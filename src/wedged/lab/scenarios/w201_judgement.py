"""W201: from what was seen in one trial to what it says about each claim. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome, Lane, Observation
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.outcomes import outcome_of
from wedged.lab.scenarios.w103_store import Mark
from wedged.lab.scenarios.w201_sight import Sight

# What a model is told of a call that did not end: V1's word, ours in the settled part, and V2's.
_INTERRUPTED = ("Tool execution was interrupted", "Tool execution interrupted", "Tool execution aborted")
RESUMED = "The server restarted while you were working"


outcome = partial(outcome_of, "W201")


@dataclass(frozen=True, slots=True)
class Told:
    """What the model's next request held since the model last spoke; "" and `asked` False without one."""

    asked: bool = False
    words: str = ""

    @staticmethod
    def of(request: Observation | None) -> "Told":
        """From an observation on the model lane."""
        return Told(True, str(request.data.get("new_text", ""))) if request else Told()

    @property
    def interrupted(self) -> bool:
        """Whether it says that the call was interrupted."""
        return any(word in self.words for word in _INTERRUPTED)


def control(before: Sight, after: Sight) -> tuple[ClaimOutcome, ...]:
    """A call that had ended before the crash is what it was after it."""
    done = before.part is not None and before.part.status is PartStatus.COMPLETED
    still = after.idle and after.part == before.part
    return (outcome("control-completes", done and still, done and after.stale, after.words),)


def trigger(
    before: Sight, after: Sight, messages: tuple[object, object], timeline: Sequence[Observation], at: float
) -> tuple[ClaimOutcome, ...]:
    """After the crash and the restart at `at`: what is left of the call, of its session, of its process."""
    again = [o for o in timeline if o.lane is Lane.STATUS and o.kind == "busy" and o.t > at]
    running = after.part is not None and after.part.status is PartStatus.RUNNING
    ended = after.part is not None and after.part.status.terminal
    same = messages[0] == messages[1]
    watched = round(after.t - at, 3)
    return (
        outcome(
            "stays-running",
            after.idle and running and not again,
            ended or bool(again),
            f"{after.words}, {len(again)} turns begun since the restart",
            watched_s=watched,
        ),
        outcome(
            "listed-as-idle",
            after.idle and running,
            after.session is not None and after.session.works,
            after.words,
        ),
        outcome(
            "looks-as-before",
            same and before.part is not None,
            not same,
            "the messages are byte for byte those of before" if same else "the messages differ",
        ),
        outcome(
            "command-outlives",
            bool(before.alive) and bool(after.alive),
            bool(before.alive) and not after.alive,
            f"{len(before.alive)} processes of the call before the crash, {len(after.alive)} after it",
        ),
    )


def stays(claim: str, look: Sight, **values: object) -> tuple[ClaimOutcome, ...]:
    """The call is as stale as before. The opposite: it has ended, or is gone with the session still there."""
    moved = look.session is not None and (look.part is None or look.part.status.terminal)
    return (outcome(claim, look.stale, moved, look.words, **values),)


def ends(claim: str, look: Sight, answered: bool = True, **values: object) -> tuple[ClaimOutcome, ...]:
    """The call has ended as an error. The opposite: what was done is over, and the call is as it was.

    `answered` says whether what was done is known to be over.
    """
    error = look.part.error if look.part else ""
    return (outcome(claim, look.settled, answered and look.stale, look.words, error=error, **values),)


def removed(claim: str, look: Sight) -> tuple[ClaimOutcome, ...]:
    """The call is no longer in the session."""
    gone = look.idle and look.part is None
    return (outcome(claim, gone, look.stale, look.words),)


def tells(claim: str, told: Told, *also: str) -> ClaimOutcome:
    """The model's next request says that the call was interrupted, and each of `also`."""
    said = told.interrupted and all(word in told.words for word in also)
    why = f"the model was {'told: ' + told.words[:120] if told.asked else 'not asked'}"
    return outcome(claim, said, told.asked and not said, why)


def forgets(claim: str, told: Told, mark: str) -> ClaimOutcome:
    """The model's next request holds the first prompt again, with no call of the model's own after it."""
    forgot = told.asked and mark in told.words and not told.interrupted
    why = f"the model was {'told: ' + told.words[:120] if told.asked else 'not asked'}"
    return outcome(claim, forgot, told.asked and not forgot, why)


def doctor(claim: str, look: Sight, word: Word) -> tuple[ClaimOutcome, ...]:
    """The look that doctor judged was of the stale call, and doctor is sure of this class, and of the process
    that the crash has left (W203). A look that left something unread shows nothing."""
    expected = ("W201", "W203")
    seen = look.stale and not word.unread
    right = word.says(expected) and "W201" in word.sure
    values = word.opinion(expected) if seen else {}
    return (outcome(claim, seen and right, seen and not right, f"{look.words}; {word.words}", **values),)


def graceful(arm: str, before: Sight, after: Sight) -> tuple[ClaimOutcome, ...]:
    """A turn that was ended in order before the crash: its call is over, before and after it."""
    over = before.idle and before.part is not None and before.part.status.terminal
    kept = after.part is not None and after.part.status.terminal
    said = f"before the crash: {before.words}; after it: {after.words}"
    found = [outcome(f"{arm}-settles", over and kept, before.stale or after.stale, said)]
    if arm == "abort-live":
        alive = len(before.alive)
        said = f"{alive} processes of the call left"
        found.append(outcome("abort-live-ends-the-command", over and not alive, bool(alive), said))
    return tuple(found)


def sigterm(look: Sight) -> tuple[ClaimOutcome, ...]:
    """The server was told to end while the call ran."""
    alive = f"{len(look.alive)} processes of the call left"
    return (
        outcome("sigterm-settles", look.settled, look.stale, look.words),
        outcome("sigterm-ends-the-command", look.idle and not look.alive, bool(look.alive), alive),
    )


def sigint(look: Sight, left: int, how: str) -> tuple[ClaimOutcome, ...]:
    """A server was told to end by ctrl-C while its call ran; `left` processes of the call, `how` it ended."""
    words = f"{look.words}; the server ended with {how}"
    return (
        outcome("sigint-settles", look.settled, look.stale, words),
        outcome(
            "sigint-ends-the-command", look.idle and not left, left > 0, f"{left} processes left; {words}"
        ),
    )


@dataclass(frozen=True, slots=True)
class Resumption:
    """A look after a start of the shared service. `told` is what the model was asked since then."""

    look: Sight
    told: Told
    watched: float

    @property
    def woken(self) -> bool:
        """Whether the server has asked the model by itself, in its own words."""
        return self.told.asked and RESUMED in self.told.words

    @property
    def words(self) -> str:
        """What was seen, in one line."""
        asked = "asked again" if self.told.asked else "not asked"
        return f"{self.look.words}, the model {asked} within {self.watched:.1f} s"


def resumed(seen: Resumption) -> tuple[ClaimOutcome, ...]:
    """The shared service after a crash."""
    part = seen.look.part
    ended = part is not None and part.status is PartStatus.ERROR
    left = seen.look.stale and not seen.told.asked
    return (
        outcome("service-settles-it", ended, left, seen.words),
        outcome("service-resumes-it", seen.woken, left, seen.words),
    )


def again(seen: Resumption, attempts: tuple[int | None, int | None]) -> ClaimOutcome:
    """The shared service after a second crash; `attempts` as counted after the first and the second one."""
    before, after = attempts
    counted = before is not None and after is not None and after == before + 1
    why = f"{seen.words}; resumptions counted: {before}, then {after}"
    left = not seen.told.asked and seen.look.idle
    return outcome("second-crash-resumes-again", seen.woken and counted, left, why)


def limit(tenth: Resumption, eleventh: Resumption, mark: Mark, word: Word) -> tuple[ClaimOutcome, ...]:
    """Two starts of the shared service for a turn whose count says that it was resumed nine times; `mark` is
    the session's after the second one, `word` what doctor says of it then. The call in question is the one
    that the tenth resumption made."""
    given_up = tenth.woken and not eleventh.told.asked and not mark.is_set
    session, idle = eleventh.look.session, eleventh.look.idle
    left = [part.status.value for part in session.unfinished] if session else []
    stale = given_up and idle and bool(left)
    said = f"{eleventh.words}, calls that have not ended: {len(left)}; {mark}, {mark.attempts} counted"
    expected = ("W201", "W203")
    right = word.says(expected) and "W201" in word.sure
    values = word.opinion(expected) if stale and not word.unread else {}
    return (
        outcome("tenth-is-resumed", tenth.woken, not tenth.told.asked and tenth.look.stale, tenth.words),
        outcome("eleventh-is-given-up", given_up, eleventh.woken, said),
        outcome("given-up-stays-running", stale, given_up and idle and not left, said),
        outcome(
            "doctor-finds-given-up",
            stale and right,
            stale and not right and not word.unread,
            f"{said}; {word.words}",
            **values,
        ),
    )


def like(arm: str, state: str, word: Word, expected: Collection[str]) -> tuple[ClaimOutcome, ...]:
    """Symptom: in the state (`state` is its words), and doctor says what it is, `expected`, and no more."""
    seen = bool(state) and not word.unread
    values = word.opinion(expected) if seen else {}
    why = f"{state or 'not in the state'}; {word.words}"
    claim = f"not-{arm.removeprefix('like-')}"
    return (outcome(claim, seen and word.says(expected), seen and not word.says(expected), why, **values),)


def wrong_cure(
    claim: str, alive: int, told: Sequence[Told], words: str, look: Sight
) -> tuple[ClaimOutcome, ...]:
    """A live call was taken for stale: its command ran on (`alive` processes), and `words` is what it printed
    at its end. `told` is what every request to the model since then held."""
    heard = any(words in one.words for one in told)
    interrupted = any(one.interrupted for one in told)
    why = (
        f"{alive} processes of the call right after the cure; {len(told)} requests to the model since then, "
        f"{'one' if heard else 'none'} with the command's last words; {look.words}"
    )
    return (outcome(claim, alive > 0 and interrupted and not heard, heard, why),)


def moved_on(look: Sight) -> bool:
    """Whether the session's newest turn is over, by its own message: complete, and the model's."""
    newest = look.session.newest if look.session else None
    done = newest is not None and newest.from_model and newest.complete
    return bool(done and look.session is not None and look.session.status is Status.IDLE)
