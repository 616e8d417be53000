"""W001 on a real server: a session works in one directory, and the server is asked about another one.

`cause` and `hold` bring a session into the state and leave it there; `Scenario` measures it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from wedged.evidence import AbsentProbe
from wedged.facts.server import Line
from wedged.facts.trial import Lane
from wedged.lab.absence import look_for
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios.w001_arms import ARMS, Fault, in_another, run_case
from wedged.lab.scenarios.w201_sight import long_script
from wedged.lab.trials import Draft, Group, Timing, share_out

CODE = "W001"

_PART = "/session/{sessionID}/message/{messageID}/part/{partID}"
# These get all trials, every other arm a fifth.
_MANY = ("control", "trigger", "placebo", "own-directory")


def cause(bench: Bench, name: str, fault: Fault = in_another) -> Prompted:
    """Have a session of another directory run a call.

    Raises:
        DeadlinePassed: its call did not run within 20 s.
    """
    prompted = bench.prompt(long_script(bench, name), bench.project(fault("trigger")))
    bench.timeline.wait_for(
        prompted.session, lambda o: o.lane is Lane.PART and o.kind == "running", "the call to run", 20
    )
    return prompted


def hold(bench: Bench, directory: str = "", name: str = "held") -> Prompted:
    """Bring a session into the state and leave it there."""
    del directory
    return cause(bench, name)


@dataclass(frozen=True, slots=True)
class Scenario:
    """The arms of W001. `fault` says in which directory a session works."""

    fault: Fault = in_another
    code: str = CODE
    arms: tuple[str, ...] = ARMS

    @property
    def main(self) -> tuple[str, ...]:
        """The arms that every server of a run gets."""
        return _MANY

    def plan(self, trials: int) -> dict[str, int]:
        """The main arms get all trials, each further arm a fifth."""
        return share_out(self.arms, _MANY, trials)

    def groups(self, trials: int) -> tuple[Group, ...]:
        """Every arm keeps to its own session."""
        del trials
        return ()

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """V2 takes no part back."""
        if bench.identity.line is Line.V1:
            return {}
        return {"wrong-cure": look_for(bench, _PART, method="patch")}

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """One trial of one arm."""
        return run_case(self.fault, bench, directory, arm, n, timing)
