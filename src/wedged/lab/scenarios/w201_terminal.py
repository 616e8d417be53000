"""W201 where a terminal has a server of its own: both are killed, or one of the two; and `opencode run`.

The calls run there; the bench's own server, on the same data, is asked what is left of them.
"""

import signal
from collections.abc import Callable, Iterable, Sequence

from wedged.errors import LabError
from wedged.facts.server import Line
from wedged.facts.trial import ClaimOutcome, Lane
from wedged.lab.bench import Bench, Prompted
from wedged.lab.command_line import start_command
from wedged.lab.process_tree import is_running, send
from wedged.lab.scenarios import w201_judgement as judge
from wedged.lab.scenarios.w201_beside import finish, until_running
from wedged.lab.scenarios.w201_crash import Crash
from wedged.lab.scenarios.w201_sight import Sight, long_script, of_call, sight
from wedged.lab.terminal_server import TerminalServer, terminal_server
from wedged.lab.trials import CellId, overlapping
from wedged.waiting import wait_for

_ONE_PROCESS = {Line.V1: "V1's terminal client is its own server, in one process"}

# What is done to the terminal and its server, and what that says.
_Deed = Callable[[TerminalServer, float], None]
_DEEDS: dict[str, tuple[_Deed, Callable[[Sight], tuple[ClaimOutcome, ...]]]] = {
    "terminal-crash": (
        lambda there, _: there.kill(),
        lambda look: judge.stays("terminal-crash-stays-running", look),
    ),
    "terminal-server-crash": (
        lambda there, _: there.kill_server(),
        lambda look: judge.stays("terminal-server-crash-stays-running", look),
    ),
    "terminal-killed": (
        lambda there, seconds: there.end_client(seconds),
        lambda look: judge.ends("terminal-killed-settles", look),
    ),
}
TERMINAL = tuple(_DEEDS)
ARMS = (*TERMINAL, "run-crash")
NOT_ON = dict.fromkeys(("terminal-server-crash", "terminal-killed"), _ONE_PROCESS)


def run_terminals(group: Crash, wanted: Iterable[CellId]) -> None:
    """A terminal for each arm, and a command for each trial of `run-crash`, all at once."""
    wanted = list(wanted)
    arms = [(arm, 0) for arm in TERMINAL if any(one[0] == arm for one in wanted)]
    alone = [one for one in wanted if one[0] not in TERMINAL]

    def work(cell_id: CellId) -> None:
        if cell_id in alone:
            _run_command(group, cell_id)
        else:
            _one_terminal(group, cell_id[0], [one for one in wanted if one[0] == cell_id[0]])

    for cell_id, said in overlapping([*arms, *alone], work).items():
        if isinstance(said, str):
            mine = [cell_id] if cell_id in alone else [one for one in wanted if one[0] == cell_id[0]]
            group.failed |= dict.fromkeys((one for one in mine if one not in group.cells), said)


def _one_terminal(group: Crash, arm: str, cells: Sequence[CellId]) -> None:
    bench, (deed, judged) = group.bench, _DEEDS[arm]
    prompted: dict[CellId, Prompted] = {}
    with terminal_server(bench) as there:

        def begin(cell_id: CellId) -> None:
            made = _prompt(bench, there, f"w201-{cell_id[0]}-{cell_id[1]}")
            until_running(group, there, made)
            prompted[cell_id] = made

        group.each(cells, begin)
        deed(there, group.timing.settle_s)
        for made in prompted.values():
            bench.timeline.add(Lane.PROCESS, "terminal and its server", made.session, done=arm)

    def look(cell_id: CellId) -> None:
        seen = sight(bench, prompted[cell_id])
        finish(group, cell_id, prompted[cell_id], seen, judged(seen))

    group.each(cells, look)


def _prompt(bench: Bench, there: TerminalServer, name: str) -> Prompted:
    """A session of the terminal's server, prompted through it."""
    script = bench.model.learn(long_script(bench, name))
    session = there.connection.actor.create_session(directory=bench.project(), title=name)
    bench.model.attribute(script, session)
    at = bench.timeline.now()
    with bench.timeline.call(session, "prompt through the terminal's server"):
        there.connection.actor.prompt(session, f"Do what the script says. {script.mark}", bench.project())
    return Prompted(session, bench.project(), script, at)


def _run_command(group: Crash, cell_id: CellId) -> None:
    """`opencode run` with a server of its own, on a session of the bench's data; all of it killed."""
    bench, name = group.bench, f"w201-{cell_id[0]}-{cell_id[1]}"
    script = bench.model.learn(long_script(bench, name))
    session = bench.connection.actor.create_session(directory=bench.project(), title=name)
    bench.model.attribute(script, session)
    # Without the flag V2 would start its shared service, which outlives the command.
    alone = () if bench.identity.line is Line.V1 else ("--standalone",)
    prompted = Prompted(session, bench.project(), script, bench.timeline.now())
    message = f"Do what the script says. {script.mark}"
    with start_command(bench, ("run", *alone, "--session", session, message), subject=session) as command:
        # A program that boots a server of its own takes several times as long as a warm one.
        wait_for(
            lambda: of_call(command.family(), name) and sight(bench, prompted).part,
            f"the call of {name} to run below `opencode run`",
            3 * group.timing.settle_s,
            every=0.2,
        )
        own = [p for p in command.family() if p.argv and p.argv[0] == bench.installed.argv[0]]
        if not own:
            raise LabError("`opencode run` is over, and its command runs")
        for process in own:
            send(process, signal.SIGKILL)
        wait_for(lambda: not any(map(is_running, own)), "what was killed to be gone", group.timing.settle_s)
        bench.timeline.add(Lane.PROCESS, "opencode run ended", session, how="SIGKILL", processes=len(own))
        seen = sight(bench, prompted)
    finish(group, cell_id, prompted, seen, judge.stays("run-crash-stays-running", seen))
