"""W203: from what was seen in one trial to what it says about each claim. Pure."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.outcomes import outcome_of


@dataclass(frozen=True, slots=True)
class Traces:
    """What is left of one call's command. `t` is when the look began, seconds on the timeline.

    `shells` counts the processes that carry the trial's name, `leaders` those of them that lead a session and
    a process group, `below` those below the server of now; `group` counts what is left of their groups,
    themselves left out. `listed` says whether the server lists the command among its shells. `call` is the
    stored call's status, "" where it is gone; `idle` whether nothing works on its session.
    """

    t: float
    shells: int
    leaders: int
    below: int
    group: int
    listed: bool
    call: str
    idle: bool

    @property
    def words(self) -> str:
        """What was seen, in one line."""
        below = f", {self.below} of them below the server" if self.below else ""
        return f"{self.shells} processes of the call{below}, its call {self.call or 'gone'}"


outcome = partial(outcome_of, "W203")


def control(before: Traces, after: Traces) -> tuple[ClaimOutcome, ...]:
    """A command that had ended before the server did."""
    done = before.call == "completed"
    return (outcome("control-leaves-nothing", done and not after.shells, after.shells > 0, after.words),)


def lives(claim: str, before: Traces, after: Traces, **values: object) -> ClaimOutcome:
    """The process that was there before is there now."""
    began = before.shells > 0
    return outcome(claim, began and after.shells > 0, began and not after.shells, after.words, **values)


def trigger(before: Traces, after: Traces, watched: float) -> tuple[ClaimOutcome, ...]:
    """After SIGKILL of the server."""
    alone = after.shells > 0 and after.below == 0 and after.leaders == after.shells
    said = f"{after.shells} processes, {after.leaders} lead a group, {after.below} below the server"
    return (
        lives("outlives-server", before, after, watched_s=watched),
        outcome("under-no-server", alone, after.below > 0, said),
    )


def not_listed(before: Traces, after: Traces) -> tuple[ClaimOutcome, ...]:
    """A shell that the server listed while it ran, and that runs on."""
    running = before.listed and after.shells > 0
    said = f"listed before: {before.listed}, after: {after.listed}; {after.words}"
    return (outcome("not-listed", running and not after.listed, running and after.listed, said),)


def ended(claim: str, before: Traces, after: Traces) -> ClaimOutcome:
    """Nothing of the process and its group is left."""
    began, left = before.shells > 0, after.shells + after.group
    said = f"{after.words}, {after.group} more in their groups"
    return outcome(claim, began and not left, began and left > 0, said)


def child_left(before: Traces, after: Traces) -> tuple[ClaimOutcome, ...]:
    """The shell alone was ended."""
    gone = before.shells > 0 and not after.shells
    said = f"{after.shells} shells left, {after.group} more processes of the group"
    claim = "kill-shell-leaves-its-child"
    return (outcome(claim, gone and after.group > 0, gone and not after.group, said),)


def call_left(after: Traces) -> ClaimOutcome:
    """What ending the process does to the stored call."""
    stale = after.idle and after.call == "running"
    ended_call = after.call in ("error", "completed")
    return outcome("end-process-leaves-the-call", stale, ended_call, after.words)


def chatty(before: Traces, after: Traces, counts: tuple[int, int]) -> tuple[ClaimOutcome, ...]:
    """A command that prints and counts what it has printed; `counts` at the crash and later."""
    said = f"{after.words}; it had counted to {counts[0]} at the restart and to {counts[1]} later"
    stopped = before.shells > 0 and not after.shells and counts[0] == counts[1]
    return (outcome("chatty-ends", stopped, after.shells > 0 and counts[1] > counts[0], said),)


def doctor(look: Traces, word: Word) -> tuple[ClaimOutcome, ...]:
    """The look that doctor judged was of an orphan, and doctor is sure of it; its call is W201's."""
    expected = ("W201", "W203")
    seen = look.shells > 0 and not look.below and not word.unread
    right = word.says(expected) and "W203" in word.sure
    values = word.opinion(expected) if seen else {}
    why = f"{look.words}; {word.words}"
    return (outcome("doctor-finds-it", seen and right, seen and not right, why, **values),)


def like(arm: str, state: str, word: Word, expected: Collection[str]) -> tuple[ClaimOutcome, ...]:
    """Symptom: in the state (`state` is its words), and doctor says what it is, `expected`, and no more."""
    seen = bool(state) and not word.unread
    values = word.opinion(expected) if seen else {}
    why = f"{state or 'not in the state'}; {word.words}"
    claim = f"not-{arm.removeprefix('like-')}"
    return (outcome(claim, seen and word.says(expected), seen and not word.says(expected), why, **values),)
