"""What came of recovering a session: the steps that were taken, and how it is now."""

from dataclasses import dataclass
from enum import StrEnum

from wedged.diagnose import Diagnosis
from wedged.errors import Refused
from wedged.facts.finding import Finding
from wedged.facts.recovery import Step


class Result(StrEnum):
    """`STEPS`: they were only shown. `REFUSED`: a step was not taken; those before it were."""

    NOTHING = "nothing"
    STEPS = "steps"
    WELL = "well"
    NOT_WELL = "not-well"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Taken:
    """A step that was taken. `did` is its request without the body (which may hold a command), or what became
    of a process; `missing` what its effect lacks, "" where it was confirmed."""

    step: Step
    did: str
    missing: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of it. `why` is a sentence; `after` the last diagnosis; `left` what it has of the session,
    notices too."""

    outcome: Result
    why: str
    after: Diagnosis
    taken: tuple[Taken, ...] = ()
    left: tuple[Finding, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 where the session is well, 1 where it is not or a step was refused."""
        return 0 if self.outcome in (Result.NOTHING, Result.WELL) else 1

    def raise_refusal(self) -> None:
        """Raise the `Refused` that ended it, if one did."""
        if self.outcome is Result.REFUSED:
            raise Refused(self.why)
