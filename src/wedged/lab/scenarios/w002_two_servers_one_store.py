"""W002 on real servers: two of them on one database, one runs a turn, the other one is asked.

`cause` and `hold` bring a session into the state and leave it there; `Scenario` measures it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from wedged.errors import LabError
from wedged.evidence import AbsentProbe
from wedged.facts.server import Line
from wedged.facts.session import PartStatus
from wedged.lab.absence import look_for
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios.w002_servers import ARMS, Fault, on_the_other, run_servers
from wedged.lab.scenarios.w201_sight import long_script
from wedged.lab.second_server import SecondServer, second_server
from wedged.lab.trials import Draft, Group, Timing, share_out
from wedged.waiting import wait_for

CODE = "W002"

_PART = "/session/{sessionID}/message/{messageID}/part/{partID}"
_MESSAGE = "/session/{sessionID}/message/{messageID}"
# These get all trials, every other arm a fifth.
_MANY = ("control", "trigger", "placebo")


@contextmanager
def cause(bench: Bench, name: str, fault: Fault = on_the_other) -> Iterator[tuple[SecondServer, Prompted]]:
    """Start the other server and have it run a call; both end on leaving.

    Raises:
        DeadlinePassed: the call did not run within 20 s.
    """
    with second_server(bench) as there:
        prompted = fault(there, long_script(bench, name))
        read = there.connection.reader.session
        wait_for(
            lambda: any(part.status is PartStatus.RUNNING for part in read(prompted.session).unfinished),
            "the call to run on the other server",
            20,
        )
        yield there, prompted


hold = cause


@dataclass(frozen=True, slots=True)
class Scenario:
    """The arms of W002. `fault` is where a turn is run."""

    fault: Fault = on_the_other
    code: str = CODE
    arms: tuple[str, ...] = ARMS

    @property
    def main(self) -> tuple[str, ...]:
        """The arms that every server of a run gets."""
        return _MANY

    def plan(self, trials: int) -> dict[str, int]:
        """A second server reaches everybody on the first one's data: nothing shares it."""
        del trials
        return {}

    def groups(self, trials: int) -> tuple[Group, ...]:
        """One pair of servers for all sessions."""
        counts = share_out(self.arms, _MANY, trials)
        return (Group("two servers", counts, False, partial(run_servers, self.fault)),)

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """V2 takes no part back and deletes none."""
        if bench.identity.line is Line.V1:
            return {}
        return {
            "settle-here": look_for(bench, _PART, method="patch"),
            "delete-part-here": look_for(bench, _PART, method="delete"),
            "delete-message-here": look_for(bench, _MESSAGE, method="delete"),
        }

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """No arm shares a server.

        Raises:
            LabError: always.
        """
        del bench, directory, n, timing
        raise LabError(f"{arm} is an arm of a group")
