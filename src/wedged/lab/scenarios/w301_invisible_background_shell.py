"""W301 on a real server: a shell that goes on in the background after its turn has ended.

`cause` and `hold` bring a session into the state and leave it there; `Scenario` measures it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wedged.evidence import AbsentProbe
from wedged.lab.absence import look_for
from wedged.lab.bench import Bench, Prompted, shell
from wedged.lab.scenarios.w301_arms import Run, arms, settled
from wedged.lab.scenarios.w301_families import FAMILIES
from wedged.lab.scenarios.w301_look_alikes import LOOK_ALIKES
from wedged.lab.scenarios.w301_restarts import RELOAD, groups
from wedged.lab.scenarios.w301_states import Stage, background, begin
from wedged.lab.trials import Draft, Group, Timing, share_out
from wedged.lab.turns import Call

CODE = "W301"

Fault = Callable[[str], Call]
# Arms that get every trial; the others get a fifth.
_MAIN = ("control", "trigger", "placebo", "interrupt", "end-shell", "sub-agent")


def in_background(name: str) -> Call:
    """The fault: the shell is started in the background."""
    return background(name)


def no_fault(name: str) -> Call:
    """A fault that does nothing: one of the dead-man's three."""
    return Call("shell", shell(f"true; : {name}"))


def cause(bench: Bench, directory: str, name: str, fault: Fault = in_background) -> Stage:
    """Create a session and have its model start the shell."""
    return begin(bench, directory, name, fault(name))


def hold(bench: Bench, directory: str = "", name: str = "held") -> Prompted:
    """Bring a session into the state and leave it there.

    Raises:
        DeadlinePassed: the turn did not end.
        LabError: no such shell was listed after it.
    """
    stage = cause(bench, directory or bench.project(), name)
    settled(stage, Timing())
    return stage.prompted


@dataclass(frozen=True, slots=True)
class Scenario:
    """The arms of W301. `fault` is what the trigger's shell is started by."""

    fault: Fault = in_background
    code: str = CODE

    @property
    def arms(self) -> tuple[str, ...]:
        """Every arm, in the order of the page."""
        return (*self._shared, *(arm for group in self.groups(1) for arm in group.arms))

    @property
    def _shared(self) -> dict[str, Run]:
        return arms(self.fault) | FAMILIES | LOOK_ALIKES

    @property
    def main(self) -> tuple[str, ...]:
        """The arms that every server of a run gets."""
        return _MAIN

    def plan(self, trials: int) -> dict[str, int]:
        """The main arms get all trials, each further arm a fifth."""
        return share_out(self._shared, _MAIN, trials)

    def groups(self, trials: int) -> tuple[Group, ...]:
        """What reaches everybody on a server."""
        return groups(trials)

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """V1 has no background shells; only some servers can reload every location."""
        return {"": look_for(bench, "/api/shell"), "reload": look_for(bench, RELOAD, method="post")}

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """One trial of one arm."""
        return self._shared[arm](bench, directory, f"w301-{arm}-{n}", timing)
