"""W201's arms beside the crash: what resembles it, the wrong cure on a live call, and a terminal's server."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from wedged.catalog.w201_variants import PROMPT
from wedged.client.v1 import routes as v1
from wedged.client.v1.stale_calls import settled
from wedged.facts.recovery import Request, Target
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome, Lane, Observation
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios import w201_judgement as judge
from wedged.lab.scenarios.w201_crash import Cell, Crash, fault_counted, stored
from wedged.lab.scenarios.w201_sight import Sight, long_call, long_script, sight, the_part
from wedged.lab.scenarios.w201_stale import is_turn
from wedged.lab.second_server import SecondServer, second_server
from wedged.lab.stdio_server import StdioServer, stdio_server
from wedged.lab.timeline import is_over
from wedged.lab.trials import CellId
from wedged.lab.turns import Script, Turn
from wedged.waiting import wait_for, wait_until

ALONE = ("like-running", "like-aborted", "like-other-directory")
BESIDE = ("like-two-servers", "wrong-cure")
STDIO = ("stdio-eof", "stdio-crash")
ARMS = (*ALONE, *BESIDE)

_ELSEWHERE = "elsewhere"


def run_alone(group: Crash, wanted: Iterable[CellId]) -> None:
    """What resembles the class on the one server that there is."""

    def work(cell_id: CellId) -> None:
        arm, n = cell_id
        bench = group.bench
        directory = bench.project(_ELSEWHERE if arm == "like-other-directory" else "project")
        prompted = bench.prompt(long_script(bench, f"w201-{arm}-{n}"), directory)
        bench.timeline.watch(prompted.session, _runs, group.timing.settle_s, after=prompted.at)
        if arm == "like-aborted":
            at = bench.timeline.now()
            with bench.timeline.call(prompted.session, "abort"):
                bench.connection.actor.abort(prompted.session, directory)
            bench.timeline.watch(prompted.session, is_over, group.timing.settle_s, after=at)
        word = group.word(prompted)
        look = sight(bench, prompted)
        hidden = arm == "like-other-directory" and bench.identity.line is Line.V1
        outcomes = judge.like(arm, _witness(arm, look, bench), word, ("W001",) if hidden else ())
        _finish(group, cell_id, prompted, look, outcomes)

    group.each(wanted, work)


def run_beside(group: Crash, wanted: Iterable[CellId]) -> None:
    """A second server on the same data: its live call, and W201's cure given to it through the first one."""
    wanted = list(wanted)
    if not wanted:
        return
    with second_server(group.bench) as there:

        def work(cell_id: CellId) -> None:
            (_two_servers if cell_id[0] == "like-two-servers" else _wrong_cure)(group, there, cell_id)

        group.each(wanted, work)


def run_stdio(group: Crash, wanted: Iterable[CellId]) -> None:
    """The server of one terminal: the terminal's death, and the death of both. Looked at by the bench's."""
    wanted = list(wanted)
    for arm in STDIO:
        cells = [one for one in wanted if one[0] == arm]
        if cells:
            _one_terminal(group, arm, cells)


def _one_terminal(group: Crash, arm: str, cells: Sequence[CellId]) -> None:
    bench = group.bench
    prompted: dict[CellId, Prompted] = {}
    with stdio_server(bench) as terminal:

        def begin(cell_id: CellId) -> None:
            made = _prompt(bench, terminal, f"w201-{cell_id[0]}-{cell_id[1]}")
            _until_running(group, terminal, made)
            prompted[cell_id] = made

        group.each(cells, begin)
        if arm == "stdio-eof":
            terminal.end_terminal(group.timing.settle_s)
        else:
            terminal.kill()
        bench.timeline.add(Lane.PROCESS, "terminal's server ended", how=arm)

    def look(cell_id: CellId) -> None:
        seen = sight(bench, prompted[cell_id])
        judged = (
            judge.ends("stdio-eof-settles", seen)
            if arm == "stdio-eof"
            else judge.stays("stdio-stays-running", seen)
        )
        _finish(group, cell_id, prompted[cell_id], seen, judged)

    group.each(cells, look)


def _two_servers(group: Crash, there: SecondServer, cell_id: CellId) -> None:
    prompted = there.prompt(long_script(group.bench, f"w201-{cell_id[0]}-{cell_id[1]}"))
    _until_running(group, there, prompted)
    word = group.word(prompted)
    look = sight(group.bench, prompted)
    over_there = there.connection.reader.session(prompted.session)
    lives = look.stale and over_there.status is Status.BUSY
    words = f"{look.words} here and {over_there.status} there" if lives else ""
    outcomes = judge.like("like-two-servers", words, word, ("W002",))
    _finish(group, cell_id, prompted, look, outcomes)
    there.connection.actor.abort(prompted.session, prompted.directory)


def _wrong_cure(group: Crash, there: SecondServer, cell_id: CellId) -> None:
    """The cure, sent as somebody would who takes the call for stale: not by the runner, which may refuse."""
    bench, name = group.bench, f"w201-{cell_id[0]}-{cell_id[1]}"
    go = Path(bench.project(), f"{name}.go")
    command = f"echo hello; until [ -e {go.name} ]; do sleep 0.2; done; echo end-{name}"
    prompted = there.prompt(Script(name, (Turn(calls=(long_call(bench, name, command),)),)))
    _until_running(group, there, prompted)
    before = sight(bench, prompted)
    part = the_part(before)
    if bench.identity.line is Line.V1:
        path = v1.scoped(v1.part(prompted.session, part.message_id, part.id), prompted.directory)
        request = Request("PATCH", path, settled(part, part.start_ms or 0))
    else:
        target = Target(prompted.session, prompted.directory, message=PROMPT.message)
        request = bench.connection.actor.request(PROMPT.action, target)
    at = bench.timeline.now()
    with bench.timeline.call(prompted.session, "the wrong cure"):
        bench.connection.actor.send(request)
    _until_cured(group, prompted)
    alive = [p for p in there.process.family() if p.argv and p.argv[-1].endswith(f": {name}")]
    go.touch()
    there.wait_idle(prompted, group.timing.settle_s)
    look = sight(bench, prompted)
    told = [judge.Told.of(o) for o in bench.timeline.of(prompted.session) if is_turn(o) and o.t > at]
    outcomes = judge.wrong_cure("wrong-cure-loses-the-result", len(alive), told, f"end-{name}", look)
    _finish(group, cell_id, prompted, before, outcomes)


def _until_cured(group: Crash, prompted: Prompted) -> None:
    """Until the call is stored as ended, which a live one would not be yet."""
    reader, session = group.bench.connection.reader, prompted.session
    wait_until(lambda: not reader.session(session).unfinished, group.timing.bound_s, every=0.1)


def _prompt(bench: Bench, terminal: StdioServer, name: str) -> Prompted:
    """A session of the terminal's server whose call runs."""
    script = bench.model.learn(long_script(bench, name))
    session = terminal.connection.actor.create_session(directory=bench.project(), title=name)
    bench.model.attribute(script, session)
    at = bench.timeline.now()
    with bench.timeline.call(session, "prompt through the terminal's server"):
        terminal.connection.actor.prompt(session, f"Do what the script says. {script.mark}")
    return Prompted(session, bench.project(), script, at)


def _until_running(group: Crash, there: SecondServer | StdioServer, prompted: Prompted) -> None:
    """Until that server has the call as running and its process is there.

    Raises:
        DeadlinePassed: it did not come to that.
    """
    name = prompted.script.name

    def runs() -> bool:
        parts = there.connection.reader.session(prompted.session).unfinished
        processes = there.family()
        begun = any(p.argv and p.argv[-1].rstrip().endswith(f": {name}") for p in processes)
        return begun and any(part.status is PartStatus.RUNNING for part in parts)

    wait_for(runs, f"the call of {name} to run on the other server", group.timing.settle_s, every=0.1)


def _witness(arm: str, look: Sight, bench: Bench) -> str:
    """The state in words, "" where the session was not in it."""
    status = look.session.status if look.session else None
    running = look.part is not None and look.part.status is PartStatus.RUNNING
    if arm == "like-aborted":
        return look.words if look.idle and look.part is not None and look.part.status.terminal else ""
    if status is not Status.BUSY or not running:
        return ""
    if arm == "like-other-directory" and bench.identity.line is Line.V1:
        bare = bench.connection.reader.statuses()
        named = look.session is not None and look.session.id in bare
        return "" if named else f"{look.words}, not in the list that names no directory"
    return look.words


def _finish(
    group: Crash, cell_id: CellId, prompted: Prompted, look: Sight, outcomes: tuple[ClaimOutcome, ...]
) -> None:
    cell = Cell(cell_id[0], prompted, before=look, outcomes=list(outcomes))
    cell.seen_at = group.bench.timeline.now()
    cell.checks += [stored(group.bench, cell), fault_counted(group.bench, cell, 0)]
    group.cells[cell_id] = cell


def _runs(o: Observation) -> bool:
    return o.lane is Lane.PART and o.kind == "running"
