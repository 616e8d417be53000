"""W002: from what both servers showed in one trial to what it says about each claim. Pure.

`Here` is the server that is asked, `there` the one that runs the turn.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from wedged.facts.session import PartStatus
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.outcomes import outcome_of
from wedged.lab.scenarios.w201_judgement import Told
from wedged.lab.scenarios.w201_sight import Sight


@dataclass(frozen=True, slots=True)
class Both:
    """One session on both servers at one moment, and how many processes of its call run below `there`."""

    here: Sight
    there: Sight
    alive: int

    @property
    def illusion(self) -> bool:
        """The call runs there, and here it looks stale."""
        running = self.here.part is not None and self.here.part.status is PartStatus.RUNNING
        works = self.there.session is not None and self.there.session.works
        return self.here.stale and running and works and self.alive > 0

    @property
    def ended(self) -> bool:
        """Both say that the call has ended and that nothing works."""
        looks = (self.here, self.there)
        return all(look.idle and look.part is not None and look.part.status.terminal for look in looks)

    @property
    def words(self) -> str:
        """What was seen, in one line."""
        return f"here: {self.here.words}; there: {self.there.words}; {self.alive} processes of the call"


outcome = partial(outcome_of, "W002")


def control(seen: Both) -> tuple[ClaimOutcome, ...]:
    """The other server has run the call to its end."""
    looks = (seen.here, seen.there)
    done = seen.ended and all(look.part and look.part.status is PartStatus.COMPLETED for look in looks)
    return (outcome("control-completes", done, seen.illusion, seen.words),)


def trigger(seen: Both, messages: tuple[object, object]) -> tuple[ClaimOutcome, ...]:
    """The call runs there; what is to be seen of that here."""
    named = seen.here.session is not None and seen.here.session.works
    same = messages[0] == messages[1]
    alike = "the messages are byte for byte alike" if same else "the messages differ"
    return (
        outcome("looks-stale", seen.illusion, named, seen.words),
        outcome("alike-on-both", same and seen.illusion, not same, alike),
    )


def stays(claim: str, seen: Both, **values: object) -> tuple[ClaimOutcome, ...]:
    """The call runs there as before, and looks stale here."""
    return (outcome(claim, seen.illusion, seen.ended, seen.words, **values),)


def ends(claim: str, seen: Both, status: PartStatus | None = None) -> tuple[ClaimOutcome, ...]:
    """The turn is over, on both; with `status`, the call ended so."""
    part = seen.there.part
    right = status is None or (part is not None and part.status is status)
    return (outcome(claim, seen.ended and right, seen.illusion, seen.words),)


def named(claim: str, session: str, answer: object, seen: Both) -> tuple[ClaimOutcome, ...]:
    """The other server's own list names the session."""
    listed = session in str(answer)
    said = f"it {'names' if listed else 'does not name'} the session; {seen.words}"
    return (outcome(claim, listed and seen.illusion, not listed and seen.illusion, said),)


@dataclass(frozen=True, slots=True)
class Harm:
    """A cure for a stale call, given here to a call that runs there.

    `right_after` was seen before the command was let go, `at_end` when the turn there was over. `told` is
    what each request to the model since the cure held; `last_words` is what the command printed at its end.
    """

    right_after: Both
    at_end: Both
    told: Sequence[Told]
    last_words: str

    @property
    def heard(self) -> bool:
        """Whether the model was given the command's last words."""
        return any(self.last_words in one.words for one in self.told)

    @property
    def words(self) -> str:
        """What was seen, in one line."""
        heard = "one" if self.heard else "none"
        asked = f"{len(self.told)} requests to the model since, {heard} with the command's last words"
        return f"right after it {self.right_after.words}; {asked}; at the end {self.at_end.there.words}"


def settled_here(seen: Harm) -> tuple[ClaimOutcome, ...]:
    """V1's PATCH of the part."""
    now = seen.right_after
    parts = [look.part.status if look.part else None for look in (now.here, now.there)]
    taken = parts == [PartStatus.ERROR, PartStatus.ERROR] and now.alive > 0
    interrupted = any(one.interrupted for one in seen.told)
    lost = now.alive > 0 and interrupted and not seen.heard
    return (
        outcome("settle-here-is-taken", taken, now.illusion, now.words),
        outcome("settle-here-loses-the-result", lost, seen.heard, seen.words),
    )


def deleted_part(seen: Harm, mark: str) -> tuple[ClaimOutcome, ...]:
    """V1's DELETE of the part: `mark` is what the first prompt carried."""
    now = seen.right_after
    taken = now.here.part is None and now.there.part is None and now.alive > 0
    forgot = any(mark in one.words for one in seen.told) and not seen.heard
    return (outcome("delete-part-here-loses-the-call", taken and forgot, seen.heard, seen.words),)


def deleted_message(seen: Harm, error: str) -> tuple[ClaimOutcome, ...]:
    """V1's DELETE of the message; `error` is the server's name for what ended the turn there."""
    now = seen.right_after
    taken = now.here.part is None and now.alive > 0
    said = f"{seen.words}; the turn's error: {error or 'none'}"
    broke = taken and bool(error) and not seen.heard
    return (outcome("delete-message-here-breaks-the-turn", broke, seen.heard, said),)


def prompted_here(seen: Harm) -> tuple[ClaimOutcome, ...]:
    """A prompt through this server, answered while the command there ran on."""
    now = seen.right_after
    second = bool(seen.told) and seen.told[0].asked and now.alive > 0
    errored = now.there.part is not None and now.there.part.status is PartStatus.ERROR
    kept = seen.at_end.there.part is not None and seen.at_end.there.part.status is PartStatus.COMPLETED
    return (
        outcome("prompt-here-starts-a-second-turn", second, not seen.told and now.illusion, seen.words),
        outcome(
            "prompt-here-ends-the-live-call",
            errored and now.alive > 0 and not seen.heard,
            kept,
            seen.words,
        ),
    )


def doctor(seen: Both, word: Word) -> tuple[ClaimOutcome, ...]:
    """Doctor, pointed at this server: it warns, is sure, and offers nothing to send."""
    expected = ("W002",)
    clear = seen.illusion and not word.unread
    right = word.says(expected) and "W002" in word.sure and not word.offers
    values = word.opinion(expected) if clear else {}
    why = f"{seen.words}; {word.words}"
    return (outcome("doctor-warns", clear and right, clear and not right, why, **values),)


def like(arm: str, state: str, word: Word, expected: Collection[str]) -> tuple[ClaimOutcome, ...]:
    """Symptom: in the state (`state` is its words), and doctor says what it is, `expected`, and no more."""
    seen = bool(state) and not word.unread
    values = word.opinion(expected) if seen else {}
    why = f"{state or 'not in the state'}; {word.words}"
    claim = f"not-{arm.removeprefix('like-')}"
    return (outcome(claim, seen and word.says(expected), seen and not word.says(expected), why, **values),)
