"""The evidence: observations make a trial, trials a claim's verdict, the defining claim makes the class's."""

from dataclasses import dataclass, field
from enum import StrEnum


class Lane(StrEnum):
    """Whose doing an observation is. Each lane is one row of a timeline."""

    CLIENT = "client"
    STATUS = "status"
    EVENT = "event"
    PART = "part"
    ASK = "ask"
    MODEL = "model"
    PROCESS = "process"
    FILE = "file"
    DATABASE = "database"
    RECORDER = "recorder"


@dataclass(frozen=True, slots=True)
class Observation:
    """One timestamped fact.

    `t` is seconds on the lab's one monotonic clock; in a trial's evidence file it counts from the prompt.
    `subject` is the session it belongs to ("" for none).
    """

    t: float
    lane: Lane
    kind: str
    subject: str = ""
    data: dict[str, object] = field(default_factory=dict)


class Outcome(StrEnum):
    """What one valid trial showed about one claim: `symptom`, the claim's sentence is what happened;
    `healed`, its opposite was seen to happen (a positive witness, never mere absence); `unclear`, neither."""

    SYMPTOM = "symptom"
    HEALED = "healed"
    UNCLEAR = "unclear"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """One claim in one trial. `why` is one sentence; `values` are the measured figures behind it."""

    claim: str
    outcome: Outcome
    why: str
    values: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Check:
    """One validity rule and how it came out."""

    rule: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of one arm. It is valid only if every check passed."""

    code: str
    server: str
    arm: str
    n: int
    checks: tuple[Check, ...]
    outcomes: tuple[ClaimOutcome, ...]
    seconds: float
    evidence: str = ""

    @property
    def valid(self) -> bool:
        """Whether its outcomes may count; a trial without a single check never is."""
        return bool(self.checks) and all(check.passed for check in self.checks)


class Verdict(StrEnum):
    """What a claim's trials on one server add up to."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does-not-hold"
    FLAKY = "flaky"
    INCONCLUSIVE = "inconclusive"
    NOT_RUN = "not-run"
    ABSENT = "absent"


class ClassState(StrEnum):
    """What a class's defining claim says about one server."""

    PRESENT = "present"
    GONE = "gone"
    FLAKY = "flaky"
    ABSENT = "absent"
    INCONCLUSIVE = "inconclusive"
    NOT_RUN = "not-run"


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """One claim on one server: `k` of `n` valid, clear trials showed the symptom, with the exact
    (Clopper-Pearson) 95% interval of that proportion, None where n is 0."""

    claim: str
    server: str
    verdict: Verdict
    k: int
    n: int
    why: str
    low: float | None = None
    high: float | None = None
