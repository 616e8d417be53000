"""A run replayed from its folder alone: the same lines by the same rules give the page's verdicts again."""

from collections.abc import Iterable
from dataclasses import dataclass

from wedged.errors import EvidenceError
from wedged.evidence.run_folder import RunFolder
from wedged.evidence.verdicts import ClassVerdict, verdicts
from wedged.facts.failure_class import FailureClass
from wedged.facts.snapshot import Gap
from wedged.facts.trial import ClassState, Trial

_OPEN = (ClassState.INCONCLUSIVE, ClassState.NOT_RUN)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a run says of each class on each server, class by class and by version.

    `trials` counts its trials, `timelines` those of their timelines that were read. `unknown` is what the run
    leaves open (an inconclusive verdict, a class that was not run) and what of it can't be read here.
    """

    verdicts: tuple[ClassVerdict, ...]
    trials: int
    timelines: int
    unknown: tuple[Gap, ...] = ()


def replay(folder: RunFolder, classes: Iterable[FailureClass]) -> Replayed:
    """Judge every cell of the run anew, and read every timeline that its trials name.

    Raises:
        EvidenceError: the results are unreadable, or a line of them is not what it should be.
    """
    known = {one.code: one for one in classes}
    cells, witnesses = folder.cells(), folder.witnesses()
    made = [said for one in known.values() for said in verdicts(one, cells, witnesses=witnesses)]
    trials = [trial for cell in cells for trial in cell.trials]
    unread = [gap for trial in trials if (gap := _unread(folder, trial))]
    strange = sorted({cell.code for cell in cells} - known.keys())
    unknown = [Gap(f"{one.code} on {one.server}", f"{one.state}: {one.why}") for one in made if _open(one)]
    unknown += [Gap(f"class {code}", "it is none of this version's catalogue") for code in strange]
    unknown += [Gap("the end of the run", problem) for problem in folder.problems()]
    if not cells:
        unknown.append(Gap("every verdict", "the run holds no result"))
    return Replayed(
        tuple(made),
        trials=len(trials),
        timelines=sum(bool(trial.evidence) for trial in trials) - len(unread),
        unknown=(*unknown, *unread),
    )


def _open(verdict: ClassVerdict) -> bool:
    return verdict.state in _OPEN


def _unread(folder: RunFolder, trial: Trial) -> Gap | None:
    try:
        folder.observations(trial)
    except EvidenceError as error:
        return Gap(f"the timeline of {trial.arm}-{trial.n} of {trial.code} on {trial.server}", str(error))
    return None
