"""W101's `opencode run` arms: from how a command went to what it says about the arm's claims. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from wedged.facts.ask import Ask
from wedged.facts.session import PartStatus, Status, ToolPart
from wedged.facts.trial import ClaimOutcome
from wedged.lab.keeper import Ended
from wedged.lab.scenarios.w101_judgement import outcome


@dataclass(frozen=True, slots=True)
class Ran:
    """One `opencode run`, looked at after it had ended, or after it had been given its time to.

    `ended` None: it was still running. `printed` is its whole output without colours. `part` is the model's
    first call as the store has it, `turns` how often the model was asked, `in_flight` how many of its answers
    were unfinished. `status`, `asks` (pending, its own and its sub-agents') and `replies` (to such asks,
    in the event stream) are the server's word, where there is a server to be asked.
    """

    seconds: float
    ended: Ended | None
    printed: str
    part: ToolPart | None
    folder_made: bool
    turns: int
    in_flight: int
    status: Status | None = None
    asks: tuple[Ask, ...] = ()
    replies: tuple[str, ...] = ()

    @property
    def part_status(self) -> PartStatus | None:
        """The first call's."""
        return self.part.status if self.part else None

    @property
    def why(self) -> str:
        """What was seen, in one sentence."""
        how = "still running" if self.ended is None else f"exit status {self.ended.returncode}"
        return (
            f"{how}, part {self.part_status or 'missing'}, {self.turns} turns asked, "
            f"folder {'made' if self.folder_made else 'missing'}, {len(self.asks)} asks pending, "
            f"replies seen: {', '.join(self.replies) or 'none'}"
        )

    @property
    def values(self) -> dict[str, object]:
        """The figures."""
        return {"seconds": self.seconds, "returncode": self.ended.returncode if self.ended else None}


Judge = Callable[[Ran], tuple[ClaimOutcome, ...]]


def rejects(claim: str, *, and_exits_0: str = "", seen_by_server: bool = False) -> Judge:
    """The command ends by itself, and says that it rejects; the call has not run, the model is told nothing.

    `and_exits_0` names a second claim, about the exit status.
    """

    def judged(ran: Ran) -> tuple[ClaimOutcome, ...]:
        rejected = ran.part_status is PartStatus.ERROR and not ran.folder_made and ran.turns == 1
        said = "auto-rejecting" in ran.printed and (not seen_by_server or ran.replies == ("reject",))
        symptom = ran.ended is not None and rejected and said
        # A call that ran was perhaps never asked about, which says nothing of an answer.
        found = [outcome(claim, symptom, ran.ended is None, ran.why, **ran.values)]
        if and_exits_0:
            status = ran.ended.returncode if ran.ended else None
            found.append(outcome(and_exits_0, symptom and status == 0, symptom and status != 0, ran.why))
        return tuple(found)

    return judged


def runs_it(claim: str, *, seen_by_server: bool = False) -> Judge:
    """The command approves by itself: the call runs, the turn goes on to its end, the exit status is 0."""

    def judged(ran: Ran) -> tuple[ClaimOutcome, ...]:
        ran_it = ran.part_status is PartStatus.COMPLETED and ran.folder_made and ran.turns == 2
        approved = not seen_by_server or ran.replies == ("once",)
        done = ran.ended is not None and ran.ended.returncode == 0
        refused = not ran.folder_made and ran.part_status in (PartStatus.ERROR, PartStatus.RUNNING)
        return (outcome(claim, done and ran_it and approved, refused, ran.why, **ran.values),)

    return judged


def hangs(claim: str) -> Judge:
    """The command waits on one ask that it neither shows nor answers."""

    def judged(ran: Ran) -> tuple[ClaimOutcome, ...]:
        stuck = (
            ran.ended is None
            and ran.status is Status.BUSY
            and ran.part_status is PartStatus.RUNNING
            and len(ran.asks) == 1
            and ran.turns == 1
            and ran.in_flight == 0
            and not ran.folder_made
            and "permission requested" not in ran.printed
        )
        answered = ran.ended is not None and bool(ran.replies)
        return (outcome(claim, stuck, answered, ran.why, **ran.values),)

    return judged
