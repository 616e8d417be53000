"""W201 on a real server: it is killed while a call runs, and started again on the same data.

`cause` and `hold` bring a session into the state and leave it there; `Scenario` measures it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from wedged.errors import LabError
from wedged.evidence import AbsentProbe
from wedged.facts.server import Line
from wedged.lab.absence import look_for
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios import w201_beside, w201_crash, w201_screen, w201_service, w201_terminal
from wedged.lab.scenarios.w201_crash import Crash, Fault, crash
from wedged.lab.scenarios.w201_sight import carrying, long_script, sight
from wedged.lab.trials import CellId, Draft, Group, Timing, share_out
from wedged.waiting import wait_for

CODE = "W201"

_PART = "/session/{sessionID}/message/{messageID}/part/{partID}"
_MESSAGE = "/session/{sessionID}/message/{messageID}"
_BACKGROUND = "/api/session/{sessionID}/background"
_EXPORT = "/api/experimental/session/{sessionID}/export"
# These get all trials, every other arm a fifth.
_MANY = ("control", "trigger", "placebo", "settle-part", "prompt", "service")
_NO_SERVICE = {Line.V1: "V1 has no shared service: only V2 has `serve --service`"}


def cause(bench: Bench, name: str, fault: Fault = crash) -> Prompted:
    """Have a session's call run, let the fault happen, and start the server again.

    Raises:
        DeadlinePassed: the call's process did not come up within 20 s.
    """
    prompted = bench.prompt(long_script(bench, name), bench.project())
    wait_for(lambda: carrying(bench, name), "the call's process", 20)
    fault(bench)
    if len(bench.past) == len(bench.incarnations):
        bench.start_again()
    return prompted


def hold(bench: Bench, directory: str = "", name: str = "held") -> Prompted:
    """Bring a session into the state and leave it there. The server is another one afterwards.

    Raises:
        LabError: the call is not stale.
    """
    del directory
    prompted = cause(bench, name)
    if not sight(bench, prompted).stale:
        raise LabError("the crash left no stale call")
    return prompted


@dataclass(frozen=True, slots=True)
class Scenario:
    """The arms of W201. `fault` is what happens to the server."""

    fault: Fault = crash
    code: str = CODE

    @property
    def arms(self) -> tuple[str, ...]:
        """Every arm, in the order of the page."""
        return tuple(arm for group in self.groups(1) for arm in group.arms)

    @property
    def main(self) -> tuple[str, ...]:
        """The arms that every server of a run gets."""
        return _MANY

    def plan(self, trials: int) -> dict[str, int]:
        """A crash reaches everybody on a server: nothing shares one."""
        del trials
        return {}

    def groups(self, trials: int) -> tuple[Group, ...]:
        """One crash for all sessions of a plain server, two for those of the shared service, and one for
        those that a terminal is opened on."""

        def counts(arms: Sequence[str]) -> dict[str, int]:
            return share_out(arms, _MANY, trials)

        plain = (*w201_crash.ARMS, *w201_beside.ARMS, *w201_terminal.ARMS)
        no_service = {arm: _NO_SERVICE | w201_service.NOT_ON.get(arm, {}) for arm in w201_service.ARMS}
        service = partial(w201_service.run_service, self.fault)
        no_hint = {"screen-hint": w201_screen.NO_HINT}
        screens = partial(w201_screen.run_screens, self.fault)
        return (
            Group("crash", counts(plain), False, partial(run_plain, self.fault), w201_terminal.NOT_ON),
            Group("service", counts(w201_service.ARMS), True, service, no_service),
            Group("screens", counts(w201_screen.ARMS), False, screens, no_hint),
        )

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """V2 takes no part back and deletes none; V1 moves nothing to the background; the preview exports
        nothing."""
        if bench.identity.line is Line.V1:
            return {"background": look_for(bench, _BACKGROUND, method="post")}
        part = look_for(bench, _PART, method="patch")
        return {
            "settle-part": part,
            "half-a-part": part,
            "delete-part": look_for(bench, _PART, method="delete"),
            "delete-message": look_for(bench, _MESSAGE, method="delete"),
            "export": look_for(bench, _EXPORT),
        }

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """No arm shares a server.

        Raises:
            LabError: always.
        """
        del bench, directory, n, timing
        raise LabError(f"{arm} is an arm of a group")


def run_plain(
    fault: Fault, bench: Bench, cells: Sequence[CellId], timing: Timing
) -> Mapping[CellId, Draft | str]:
    """All trials on a plain server, in this order: the crash and what is done after it, what resembles it, a
    restart in order, and a terminal's own server."""

    def of(arms: Sequence[str]) -> list[CellId]:
        return [cell for cell in cells if cell[0] in arms]

    group = Crash(bench, timing, fault)
    group.begin(of(w201_crash.BEFORE))
    group.strike()
    group.act()
    w201_beside.run_alone(group, of(w201_beside.ALONE))
    w201_beside.run_beside(group, of((*w201_beside.BESIDE, *w201_beside.SIGINT)))
    group.look_at_placebos()
    group.restart_in_order(of(w201_crash.SIGTERM))
    w201_terminal.run_terminals(group, of(w201_terminal.ARMS))
    return group.drafts()
