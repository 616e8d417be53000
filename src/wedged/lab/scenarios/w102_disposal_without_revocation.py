"""W102 on a real server: an ask is pending, and the instance or location that holds it is disposed of.

`cause` and `hold` bring a session into the state and leave it there; `Scenario` measures it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from wedged.evidence import AbsentProbe
from wedged.facts.server import Line
from wedged.lab.absence import look_for
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios.w102_acts import GLOBAL_CONFIG, GLOBAL_DISPOSE, RELOAD, Act, dispose, disposed
from wedged.lab.scenarios.w102_arms import disposals
from wedged.lab.scenarios.w102_everybody import groups
from wedged.lab.scenarios.w102_look_alikes import LOOK_ALIKES
from wedged.lab.scenarios.w102_other_ways import OTHER_WAYS
from wedged.lab.scenarios.w102_stage import Run, Stage, begin
from wedged.lab.trials import Draft, Group, Timing, share_out

CODE = "W102"
# Arms that get every trial. The trigger gets half of them: each has a directory that a V1 loads twice, once
# before its disposal and once for whoever looks afterwards. The others get a fifth.
_MAIN = ("control", "trigger", "placebo")
# Three kinds of refusal, so three trials at least.
_THREE = ("provider-error",)


def cause(bench: Bench, directory: str, name: str, act: Act = dispose, timing: Timing | None = None) -> Stage:
    """Have a session ask, and dispose of what holds its ask."""
    timing = timing or Timing()
    stage = begin(bench, directory, name)
    stage.waiting(timing)
    at = bench.timeline.now()
    act(stage)
    disposed(stage, at, timing)
    return stage


def hold(bench: Bench, directory: str = "", name: str = "held") -> Prompted:
    """Bring a session into the state and leave it there, in a directory of its own.

    Raises:
        DeadlinePassed: the server did not ask.
    """
    return cause(bench, directory or bench.project(name), name).prompted


@dataclass(frozen=True, slots=True)
class Scenario:
    """The arms of W102. `fault` is what the trigger does to the instance."""

    fault: Act = dispose
    code: str = CODE

    @property
    def arms(self) -> tuple[str, ...]:
        """Every arm, in the order of the page."""
        return (*self._shared, *(arm for group in self.groups(1) for arm in group.arms))

    @property
    def _shared(self) -> dict[str, Run]:
        return disposals(self.fault) | OTHER_WAYS | LOOK_ALIKES

    @property
    def main(self) -> tuple[str, ...]:
        """The arms that every server of a run gets."""
        return _MAIN

    def plan(self, trials: int) -> dict[str, int]:
        """The main arms get all trials, each further arm a fifth."""
        counts = share_out(self._shared, _MAIN, trials)
        return counts | {arm: max(3, counts[arm]) for arm in _THREE}

    def groups(self, trials: int) -> tuple[Group, ...]:
        """What reaches everybody on a server."""
        return groups(trials)

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """Global routes are V1's, the reload is the released V2's; each is looked for on the others."""
        line = bench.identity.line
        others = {
            "config": (GLOBAL_CONFIG, "patch", Line.V1),
            "global": (GLOBAL_DISPOSE, "post", Line.V1),
            "reload": (RELOAD, "post", Line.V2_RELEASED),
        }
        # An API document costs a cold V1 two seconds, so nobody is asked for what it is known by.
        return {
            arm: look_for(bench, route, method=method)
            for arm, (route, method, home) in others.items()
            if line is not home
        }

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """One trial of an arm that shares a server."""
        del directory
        return self._shared[arm](bench, f"w102-{arm}-{n}", timing)
