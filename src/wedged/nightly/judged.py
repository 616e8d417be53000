"""From a run folder to what it says of each claim."""

from collections.abc import Iterable, Iterator, Mapping

from wedged.catalog import CLASSES
from wedged.evidence import ClassVerdict, RunFolder, verdicts
from wedged.facts.failure_class import FailureClass
from wedged.nightly.expectations import Seen

Timelines = Mapping[tuple[str, str, str], str]


def seen_in(folder: RunFolder, classes: Iterable[FailureClass]) -> tuple[Seen, ...]:
    """Every claim of `classes` on every server of the run that has anything of its class.

    Raises:
        EvidenceError: the folder is unreadable.
    """
    cells, witnesses = folder.cells(), folder.witnesses()
    trials = [trial for cell in cells for trial in reversed(cell.trials) if trial.evidence]
    timelines = {(trial.code, trial.server, trial.arm): trial.evidence for trial in trials}
    return tuple(
        seen
        for of in classes
        for verdict in verdicts(of, cells, witnesses=witnesses)
        for seen in _claims(of, verdict, timelines)
    )


def defining_claims() -> frozenset[str]:
    """The id of every class's defining claim."""
    return frozenset(of.defining.id for of in CLASSES)


def _claims(of: FailureClass, verdict: ClassVerdict, timelines: Timelines) -> Iterator[Seen]:
    for claim in verdict.claims:
        yield Seen(
            claim=claim.claim,
            server=verdict.server,
            verdict=claim.verdict,
            k=claim.k,
            n=claim.n,
            why=claim.why,
            run=verdict.run,
            started=verdict.started,
            evidence=timelines.get((of.code, verdict.server, of.claim(claim.claim).arm), ""),
        )
