"""A night, added to the history."""

from collections.abc import Iterable
from pathlib import Path
from statistics import median

from wedged.errors import EvidenceError
from wedged.evidence import ClassVerdict, RunFolder, verdicts
from wedged.evidence.files import FolderLock, append, read
from wedged.facts.failure_class import FailureClass
from wedged.facts.trial import Trial, Verdict
from wedged.guide.history import Night, decode_nights, encode_nights


def nights_of(folder: RunFolder, classes: Iterable[FailureClass], run: str) -> tuple[Night, ...]:
    """What the run `run` said of each class on each server; evidence of earlier runs in the folder is none of
    this night's.

    Raises:
        EvidenceError: the folder is unreadable.
    """
    cells, witnesses = folder.cells(), folder.witnesses()
    trials = {(cell.code, cell.server): cell.trials for cell in cells}
    return tuple(
        _night(of, verdict, trials[of.code, verdict.server])
        for of in classes
        for verdict in verdicts(of, cells, witnesses=witnesses)
        if verdict.run == run
    )


def _night(of: FailureClass, verdict: ClassVerdict, trials: Iterable[Trial]) -> Night:
    defining = verdict.claim(of.defining.id)
    took = [
        float(value)
        for trial in trials
        if trial.valid
        for outcome in trial.outcomes
        if isinstance(value := outcome.values.get("healed_s"), int | float)
    ]
    return Night(
        run=verdict.run,
        started=verdict.started,
        code=of.code,
        server=verdict.server,
        state=verdict.state,
        k=defining.k,
        n=defining.n,
        heal_s=round(median(took), 3) if took else None,
        flaky=tuple(one.claim for one in verdict.claims if one.verdict is Verdict.FLAKY),
    )


def add_nights(path: Path, nights: Iterable[Night]) -> int:
    """Append `nights` to the history at `path`, in one write; how many were new.

    A night that is there already is not added again, so that a step that is repeated changes nothing.

    Raises:
        EvidenceError: the history is unreadable, or can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FolderLock(path.parent).held():
            held = decode_nights(read(path)) if path.exists() else []
            known = {(night.run, night.code, night.server) for night in held}
            new = [night for night in nights if (night.run, night.code, night.server) not in known]
            if new:
                append(path, encode_nights(new))
            return len(new)
    except OSError as error:
        raise EvidenceError(f"{path.name} can't be written: {error.strerror}") from None
