"""Small ways to say what was expected and what was seen."""

from wedged.facts.trial import Verdict
from wedged.nightly.expectations import Expected, Seen

OLD, NEW, NEWEST = "v1@1.17.18", "v1@1.18.34", "v1@1.19.0"
CLAIM = "W101.stays-busy"
HOLDS, NOT, FLAKY = Verdict.HOLDS, Verdict.DOES_NOT_HOLD, Verdict.FLAKY
ABSENT, UNSURE, NOT_RUN = Verdict.ABSENT, Verdict.INCONCLUSIVE, Verdict.NOT_RUN


def line(verdict: Verdict, k: int = 0, n: int = 0, server: str = OLD, claim: str = CLAIM) -> Expected:
    """One line of the file."""
    return Expected(claim, server, verdict, k, n, "run-1", "2026-11-28T03:00:00Z")


def seen(verdict: Verdict, k: int = 0, n: int = 0, server: str = OLD, claim: str = CLAIM) -> Seen:
    """One verdict of a run."""
    return Seen(claim, server, verdict, k, n, "a reason", "run-2", "2026-11-29T03:00:00Z", "evidence/x.jsonl")
