"""Small ways to say what a test needs: trials, cells, a class."""

from collections.abc import Sequence

from wedged.evidence import Cell
from wedged.facts.failure_class import Claim, FailureClass, Match
from wedged.facts.trial import Check, ClaimOutcome, Outcome, Trial

OLD, NEW = "v1@1.17.18", "v1@1.18.34"
CONTROL, DEFINING, PLACEBO = "W101.control-completes", "W101.stays-busy", "W101.placebo-stays"

CLAIMS = (
    Claim(CONTROL, "The control completes.", "control", "a test", control=True),
    Claim(DEFINING, "The session stays busy.", "trigger", "a test", defining=True),
    Claim(PLACEBO, "Without an answer it stays.", "placebo", "a test"),
)
W101 = FailureClass(
    code="W101",
    slug="ungated-external-ask",
    title="stuck",
    summary="stuck",
    aliases=(),
    see=(),
    claims=CLAIMS,
    recovery=(),
    look_alikes=(),
    links=(),
    match=lambda window, grace: Match(),
)

LETTERS = {"s": Outcome.SYMPTOM, "h": Outcome.HEALED, "u": Outcome.UNCLEAR, "x": Outcome.INVALID}


def trial(
    arm: str,
    n: int,
    outcome: Outcome | None = None,
    *,
    claim: str = "",
    passed: bool = True,
    server: str = OLD,
    code: str = "W101",
) -> Trial:
    """A trial of one claim (none without an outcome), with one check that passed or failed."""
    claims = {"control": CONTROL, "trigger": DEFINING, "placebo": PLACEBO}
    outcomes = () if outcome is None else (ClaimOutcome(claim or claims[arm], outcome, f"it was {outcome}"),)
    checks = (Check("the server was up at the end", passed, "" if passed else "the process is gone"),)
    return Trial(code, server, arm, n, checks, outcomes, 1.5)


def arm(name: str, letters: str, server: str = OLD) -> tuple[Trial, ...]:
    """One trial a letter: s(ymptom), h(ealed), u(nclear), x (the scenario says invalid), ! (a check failed),
    - (no outcome)."""
    return tuple(
        trial(
            name,
            n,
            LETTERS.get(letter, Outcome.SYMPTOM) if letter != "-" else None,
            passed=letter != "!",
            server=server,
        )
        for n, letter in enumerate(letters, 1)
    )


def cell(server: str = OLD, run: str = "run-a", code: str = "W101", **arms: str) -> Cell:
    """A cell with the given arms, as letters."""
    trials = [t for name, letters in arms.items() for t in arm(name, letters, server)]
    return Cell(code, server, run, "2026-11-29T12:00:00Z", tuple(trials))


def healthy(server: str = OLD, trigger: str = "sss", run: str = "run-a") -> Cell:
    """A cell whose control holds."""
    return cell(server, run, control="sss", trigger=trigger, placebo="sss")


def claim(claim_id: str, claims: Sequence[Claim] = CLAIMS) -> Claim:
    """One of the class's claims."""
    return next(c for c in claims if c.id == claim_id)
