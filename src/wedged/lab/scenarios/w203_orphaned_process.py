"""W203 on a real server: it is killed while its commands run, and they go on without it.

`cause` and `hold` bring a session into the state and leave it there; `Scenario` measures it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from wedged.errors import LabError
from wedged.evidence import AbsentProbe
from wedged.facts.server import Line
from wedged.lab.absence import look_for
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios import w201_hard_crash
from wedged.lab.scenarios.w201_crash import Fault, crash
from wedged.lab.scenarios.w201_sight import carrying
from wedged.lab.scenarios.w203_crash import ARMS, run_orphans
from wedged.lab.trials import Draft, Group, Timing, share_out

CODE = "W203"

# These get all trials, every other arm a fifth.
_MANY = ("control", "trigger", "placebo", "end-process")


def cause(bench: Bench, name: str, fault: Fault = crash) -> Prompted:
    """Have a session's command run, let the fault happen, and start the server again."""
    return w201_hard_crash.cause(bench, name, fault)


def hold(bench: Bench, directory: str = "", name: str = "held") -> Prompted:
    """Bring a session into the state and leave it there. The server is another one afterwards.

    Raises:
        LabError: the command did not outlive its server.
    """
    del directory
    prompted = cause(bench, name)
    if not carrying(bench, name):
        raise LabError("the command did not outlive its server")
    return prompted


@dataclass(frozen=True, slots=True)
class Scenario:
    """The arms of W203. `fault` is what happens to the server."""

    fault: Fault = crash
    code: str = CODE
    arms: tuple[str, ...] = ARMS

    @property
    def main(self) -> tuple[str, ...]:
        """The arms that every server of a run gets."""
        return _MANY

    def plan(self, trials: int) -> dict[str, int]:
        """A crash reaches everybody on a server: nothing shares one."""
        del trials
        return {}

    def groups(self, trials: int) -> tuple[Group, ...]:
        """One crash for all sessions, and an end in order after it."""
        counts = share_out(self.arms, _MANY, trials)
        return (Group("crash", counts, False, partial(run_orphans, self.fault)),)

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """V1 lists no shells."""
        return {"shell-list": look_for(bench, "/api/shell")} if bench.identity.line is Line.V1 else {}

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """No arm shares a server.

        Raises:
            LabError: always.
        """
        del bench, directory, n, timing
        raise LabError(f"{arm} is an arm of a group")
