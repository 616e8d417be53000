"""W103 on a real server: a person declines a call, and the server takes it for its own shutdown.

`cause` and `hold` bring a session into the state and leave it there; `Scenario` measures it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from wedged.errors import LabError
from wedged.evidence import AbsentProbe
from wedged.lab.absence import look_for
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios.w103_cases import (
    CASES,
    bring_to_end,
    run_background,
    run_case,
    run_sub_agent,
    run_trigger,
    trigger,
)
from wedged.lab.scenarios.w103_look_alikes import LOOK_ALIKES
from wedged.lab.scenarios.w103_restarts import plain_group, service_group
from wedged.lab.scenarios.w103_turns import Deed, Place, decline
from wedged.lab.trials import Draft, Group, Timing, share_out

CODE = "W103"
# V1 has turns and declines, and no such record of a turn's execution.
EXECUTIONS = "/api/experimental/session/{sessionID}/log"

# The arms that need no restart, beside the trigger.
FURTHER: dict[str, Callable[[Bench, int, Timing], Draft]] = {
    **{case.arm: partial(run_case, case) for case in CASES},
    "background-shell": run_background,
    "sub-agent": run_sub_agent,
    **LOOK_ALIKES,
}
SHARED = ("control", "trigger", *(arm for arm in FURTHER if arm != "control"))
SERVICE = (
    "restart",
    "restart-question",
    "restart-message",
    "restart-interrupt",
    "restart-sub-agent",
    "cut-off",
    "prompt",
    "prompt-interrupt",
    "late-interrupt",
    "crash",
)
PLAIN = ("plain-restart", "command-line", "like-shutdown")
# These get all trials, every other arm a third.
_MANY = ("control", "trigger", "restart")


def cause(bench: Bench, name: str, timing: Timing | None = None) -> Prompted:
    """Have a session ask, and decline."""
    place = Place.of(bench, name, 1)
    prompted, _ = bring_to_end(bench, place, trigger(), timing or Timing())
    return prompted


def hold(bench: Bench, directory: str = "", name: str = "held") -> Prompted:
    """Bring a session into the state and leave it there.

    Raises:
        DeadlinePassed: the server did not ask within 20 s.
    """
    del directory
    return cause(bench, name)


def _counts(arms: Iterable[str], trials: int) -> dict[str, int]:
    return share_out(arms, _MANY, trials, part=3)


@dataclass(frozen=True, slots=True)
class Scenario:
    """The arms of W103. `fault` is what the trigger does to the ask."""

    fault: Deed = decline
    code: str = CODE
    arms: tuple[str, ...] = (*SHARED, *SERVICE, *PLAIN)

    @property
    def main(self) -> tuple[str, ...]:
        """The arms that every server of a run gets."""
        return _MANY

    def plan(self, trials: int) -> dict[str, int]:
        """Control and trigger get all trials, every other arm a third of them."""
        return _counts(SHARED, trials)

    def groups(self, trials: int) -> tuple[Group, ...]:
        """The restarts: one server with ``--service``, and a plain one."""
        return (
            Group("service", _counts(SERVICE, trials), service=True, run=service_group),
            Group("plain", _counts(PLAIN, trials), service=False, run=plain_group),
        )

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """Only a server that keeps a record of each turn's execution can take a decline for a shutdown."""
        return {"": look_for(bench, EXECUTIONS)}

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """One trial of an arm that needs no restart."""
        del directory
        if arm == "trigger":
            return run_trigger(self.fault, bench, n, timing)
        if arm not in FURTHER:
            raise LabError(f"{arm} is no arm of {CODE} that shares a server")
        return FURTHER[arm](bench, n, timing)
