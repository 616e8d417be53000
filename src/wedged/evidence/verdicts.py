"""Trials make a claim's verdict, the defining claim makes the class's. Pure.

The rules, in the order in which they are asked:

1. Without a single trial of the claim's arm: ``absent`` where a probe showed that the feature is missing,
   ``inconclusive`` where a probe was made and did not show it, else ``not-run``.
2. ``inconclusive`` where the arm was broken off, where any trial of the arm is invalid or unclear about the
   claim, where a control claim of the class does not hold in the same cell, or where there are fewer trials
   than the minimum. The first of these is the reason given.
   One bad trial of ten is enough. A trial that failed to show anything is not a random draw: what breaks a
   trial (a server that died, a turn that took too long) may well be the failure itself, so leaving it out
   would tilt the count. The counts of the others are still given.
3. All trials show the symptom: ``holds``. Some do: ``flaky``. None does: ``does-not-hold``, but only where
   the same run saw the same claim hold on another server; the scenario has then proved that it can see the
   symptom. Without that, ``inconclusive``.

The control claims themselves are judged without rule 2's control. Placebo arms are claims like any other.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wedged.evidence.cell import Cell
from wedged.evidence.statistics import exact_interval
from wedged.facts.failure_class import Claim, FailureClass
from wedged.facts.trial import ClaimVerdict, ClassState, Outcome, Trial, Verdict

MINIMUM_TRIALS = 2

_STATES = {
    Verdict.HOLDS: ClassState.PRESENT,
    Verdict.DOES_NOT_HOLD: ClassState.GONE,
    Verdict.FLAKY: ClassState.FLAKY,
    Verdict.ABSENT: ClassState.ABSENT,
    Verdict.INCONCLUSIVE: ClassState.INCONCLUSIVE,
    Verdict.NOT_RUN: ClassState.NOT_RUN,
}


@dataclass(frozen=True, slots=True)
class ClassVerdict:
    """A class on one server. `claims` is in the class's own order, `why` is the defining claim's reason;
    `run` and `started` name the run that this rests on."""

    code: str
    server: str
    state: ClassState
    why: str
    claims: tuple[ClaimVerdict, ...]
    run: str
    started: str

    def claim(self, claim_id: str) -> ClaimVerdict:
        """The verdict of one claim.

        Raises:
            KeyError: the class has no such claim.
        """
        for verdict in self.claims:
            if verdict.claim == claim_id:
                return verdict
        raise KeyError(claim_id)


def claim_verdict(
    claim: Claim,
    cell: Cell,
    *,
    controls: Sequence[ClaimVerdict] = (),
    known_bad: Sequence[str] = (),
    minimum: int = MINIMUM_TRIALS,
) -> ClaimVerdict:
    """What the trials of `claim.arm` in `cell` add up to, by the rules above.

    `controls` are the verdicts of the class's control claims in the same cell (none for a control claim
    itself). `known_bad` are the other servers on which the same run saw this claim hold.

    Raises:
        ValueError: `minimum` is less than 1.
    """
    if minimum < 1:
        raise ValueError("a verdict takes at least one trial")
    trials = cell.arm(claim.arm)
    counts = Counter(_outcome(trial, claim.id) for trial in trials)
    k, n = counts[Outcome.SYMPTOM], counts[Outcome.SYMPTOM] + counts[Outcome.HEALED]
    if not trials:
        verdict, why = _without_trials(claim, cell)
    elif doubt := _doubt(claim, cell, trials, counts, controls, minimum):
        verdict, why = Verdict.INCONCLUSIVE, f"{doubt}; {k} of {n} valid, clear trials showed it"
    elif k == n:
        verdict, why = Verdict.HOLDS, f"{k} of {n} trials showed it"
    elif k:
        verdict, why = Verdict.FLAKY, f"flaky {k}/{n}"
    elif known_bad:
        shown = ", ".join(known_bad)
        verdict, why = Verdict.DOES_NOT_HOLD, f"0 of {n} trials showed it; the same run showed it on {shown}"
    else:
        why = f"no known-bad server in this run; 0 of {n} valid, clear trials showed it"
        verdict = Verdict.INCONCLUSIVE
    interval = exact_interval(k, n) if n else None
    return ClaimVerdict(
        claim=claim.id,
        server=cell.server,
        verdict=verdict,
        k=k,
        n=n,
        why=why,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
    )


def class_state(defining: ClaimVerdict) -> ClassState:
    """What the defining claim's verdict says about the class."""
    return _STATES[defining.verdict]


def verdicts(
    failure_class: FailureClass,
    cells: Iterable[Cell],
    *,
    witnesses: Iterable[Cell] = (),
    minimum: int = MINIMUM_TRIALS,
) -> tuple[ClassVerdict, ...]:
    """The class on every server that has a cell, by version; other classes' cells don't count.

    `witnesses` are cells that get no verdict of their own and only serve to show that the scenario could see
    the symptom (`RunFolder.witnesses`).
    """
    own = [cell for cell in cells if cell.code == failure_class.code]
    others = [cell for cell in witnesses if cell.code == failure_class.code]
    holding: dict[tuple[str, str], list[str]] = {}
    for cell in (*own, *others):
        for verdict in _judge(failure_class, cell, {}, minimum):
            if verdict.verdict is Verdict.HOLDS:
                holding.setdefault((cell.run, verdict.claim), []).append(cell.server)
    ordered = sorted(own, key=lambda cell: by_version(cell.server))
    return tuple(_class_verdict(failure_class, cell, holding, minimum) for cell in ordered)


def by_version(server: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key under which ``v1@1.2.27`` comes before ``v1@1.14.41``."""
    words = re.findall(r"\d+|\D+", server)
    return tuple((0, int(word), "") if word.isdecimal() else (1, 0, word) for word in words)


def _class_verdict(
    failure_class: FailureClass, cell: Cell, holding: dict[tuple[str, str], list[str]], minimum: int
) -> ClassVerdict:
    known_bad = {
        claim.id: sorted({s for s in holding.get((cell.run, claim.id), ()) if s != cell.server})
        for claim in failure_class.claims
    }
    claims = _judge(failure_class, cell, known_bad, minimum)
    defining = next(v for v in claims if v.claim == failure_class.defining.id)
    return ClassVerdict(
        code=failure_class.code,
        server=cell.server,
        state=class_state(defining),
        why=defining.why,
        claims=claims,
        run=cell.run,
        started=cell.started,
    )


def _judge(
    failure_class: FailureClass, cell: Cell, known_bad: dict[str, list[str]], minimum: int
) -> tuple[ClaimVerdict, ...]:
    controls = [
        claim_verdict(claim, cell, known_bad=known_bad.get(claim.id, ()), minimum=minimum)
        for claim in failure_class.claims
        if claim.control
    ]
    judged = {verdict.claim: verdict for verdict in controls}
    return tuple(
        judged.get(claim.id)
        or claim_verdict(
            claim, cell, controls=controls, known_bad=known_bad.get(claim.id, ()), minimum=minimum
        )
        for claim in failure_class.claims
    )


def _without_trials(claim: Claim, cell: Cell) -> tuple[Verdict, str]:
    probe, not_run = cell.probe_of(claim.arm), cell.not_run_of(claim.arm)
    if probe and probe.shows_absence:
        said = f"{probe.route} is not in OpenAPI and answers {probe.answered}"
        return Verdict.ABSENT, f"no such feature: {said}"
    if probe:
        listed = "is" if probe.in_openapi else "is not"
        said = f"{probe.route} {listed} in OpenAPI and answers {probe.answered}"
        return Verdict.INCONCLUSIVE, f"the probe did not show that the feature is missing: {said}"
    if not_run:
        return Verdict.NOT_RUN, not_run.why
    return Verdict.NOT_RUN, f"the run holds no trial of arm {claim.arm}"


def _doubt(
    claim: Claim,
    cell: Cell,
    trials: Sequence[Trial],
    counts: Counter[Outcome],
    controls: Sequence[ClaimVerdict],
    minimum: int,
) -> str:
    """The first reason not to conclude from these trials, "" for none."""
    total = len(trials)
    probe = cell.probe_of(claim.arm)
    if probe and probe.shows_absence:
        return f"a probe says that {probe.route} is missing, yet there are {total} trials"
    if entry := cell.not_run_of(claim.arm):
        return f"broken off after {total} trials: {entry.why}"
    if invalid := counts[Outcome.INVALID]:
        return f"{invalid} of {total} trials invalid ({_first_failure(trials, claim.id)})"
    if unclear := counts[Outcome.UNCLEAR]:
        return f"{unclear} of {total} trials unclear ({_first_unclear(trials, claim.id)})"
    for control in controls:
        if control.verdict is not Verdict.HOLDS:
            return f"the control is sick: {control.claim} is {control.verdict} here ({control.why})"
    if total < minimum:
        return f"too few trials: {total}, at least {minimum} are needed"
    return ""


def _outcome(trial: Trial, claim_id: str) -> Outcome:
    """What one trial counts as. Silence about the claim, or two words about it, is unclear."""
    if not trial.valid:
        return Outcome.INVALID
    said = [outcome.outcome for outcome in trial.outcomes if outcome.claim == claim_id]
    return said[0] if len(said) == 1 else Outcome.UNCLEAR


def _first_failure(trials: Sequence[Trial], claim_id: str) -> str:
    trial = next(t for t in trials if _outcome(t, claim_id) is Outcome.INVALID)
    if not trial.checks:
        return f"trial {trial.n} was never checked"
    failed = next((check for check in trial.checks if not check.passed), None)
    if failed is None:
        return f"trial {trial.n}: {_why(trial, claim_id)}"
    detail = f": {failed.detail}" if failed.detail else ""
    return f"trial {trial.n} failed the check \u201c{failed.rule}\u201d{detail}"


def _first_unclear(trials: Sequence[Trial], claim_id: str) -> str:
    trial = next(t for t in trials if _outcome(t, claim_id) is Outcome.UNCLEAR)
    return f"trial {trial.n}: {_why(trial, claim_id)}"


def _why(trial: Trial, claim_id: str) -> str:
    said = [outcome.why for outcome in trial.outcomes if outcome.claim == claim_id]
    if not said:
        return "it says nothing of this claim"
    return said[0] if len(said) == 1 else f"it says {len(said)} things of this claim"
