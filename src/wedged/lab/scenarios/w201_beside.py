"""W201's arms beside the crash: what resembles it, the wrong cure on a live call, a second server's end."""

import signal
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from wedged.catalog.w201_variants import PROMPT
from wedged.client import Connection
from wedged.client.v1 import routes as v1
from wedged.client.v1.stale_calls import settled
from wedged.facts.process import ProcessFacts
from wedged.facts.recovery import Request, Target
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome, Lane, Observation
from wedged.lab.bench import Bench, Prompted
from wedged.lab.process_tree import send
from wedged.lab.scenarios import w201_judgement as judge
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.w201_crash import Cell, Crash, fault_counted, stored
from wedged.lab.scenarios.w201_sight import Sight, long_call, long_script, of_call, sight, the_part
from wedged.lab.scenarios.w201_stale import is_turn
from wedged.lab.second_server import SecondServer, second_server
from wedged.lab.timeline import is_over
from wedged.lab.trials import CellId
from wedged.lab.turns import Script, Turn
from wedged.waiting import wait_for, wait_until

ALONE = ("like-running", "like-aborted", "like-other-directory")
BESIDE = ("like-two-servers", "wrong-cure")
SIGINT = ("sigint",)
ARMS = (*ALONE, *BESIDE, *SIGINT)

_ELSEWHERE = "elsewhere"


class OtherServer(Protocol):
    """A server on the bench's home that is not the bench's own."""

    @property
    def connection(self) -> Connection:
        """The connection to it."""

    def family(self) -> tuple[ProcessFacts, ...]:
        """It and everything it has started that runs."""


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
        word = Word.on(bench, prompted)
        look = sight(bench, prompted)
        hidden = arm == "like-other-directory" and bench.identity.line is Line.V1
        outcomes = judge.like(arm, _witness(arm, look, bench), word, ("W001",) if hidden else ())
        finish(group, cell_id, prompted, look, outcomes)

    group.each(wanted, work)


def run_beside(group: Crash, wanted: Iterable[CellId]) -> None:
    """A second server on the same data: its live call, W201's cure given to it through the first one, and
    its end by SIGINT."""
    wanted = list(wanted)
    if not wanted:
        return
    with second_server(group.bench) as there:

        def work(cell_id: CellId) -> None:
            (_two_servers if cell_id[0] == "like-two-servers" else _wrong_cure)(group, there, cell_id)

        group.each([one for one in wanted if one[0] in BESIDE], work)
        _interrupted(group, there, [one for one in wanted if one[0] in SIGINT])


def _interrupted(group: Crash, there: SecondServer, wanted: Sequence[CellId]) -> None:
    """Ctrl-C in the window of the second server, its calls running; looked at by the bench's."""
    begun: dict[CellId, Prompted] = {}

    def begin(cell_id: CellId) -> None:
        name = f"w201-{cell_id[0]}-{cell_id[1]}"
        prompted = there.prompt(long_script(group.bench, name))
        until_running(group, there, prompted)
        begun[cell_id] = prompted

    group.each(wanted, begin)
    if not begun:
        return
    send(there.process.process, signal.SIGINT)
    ended = wait_for(
        lambda: there.process.keeper.ended(there.process.process),
        "the second server to end",
        group.timing.settle_s,
    )
    how = f"signal {ended.signal}" if ended.signal else f"status {ended.returncode}"
    group.bench.timeline.add(Lane.PROCESS, "second server ended", how="SIGINT", ended=how)

    def look(cell_id: CellId) -> None:
        seen = sight(group.bench, begun[cell_id])
        left = of_call(there.family(), begun[cell_id].script.name)
        finish(group, cell_id, begun[cell_id], seen, judge.sigint(seen, len(left), how))

    group.each(list(begun), look)


def _two_servers(group: Crash, there: SecondServer, cell_id: CellId) -> None:
    prompted = there.prompt(long_script(group.bench, f"w201-{cell_id[0]}-{cell_id[1]}"))
    until_running(group, there, prompted)
    word = Word.on(group.bench, prompted)
    look = sight(group.bench, prompted)
    over_there = there.connection.reader.session(prompted.session)
    lives = look.stale and over_there.status is Status.BUSY
    words = f"{look.words} here and {over_there.status} there" if lives else ""
    outcomes = judge.like("like-two-servers", words, word, ("W002",))
    finish(group, cell_id, prompted, look, outcomes)
    there.connection.actor.abort(prompted.session, prompted.directory)


def _wrong_cure(group: Crash, there: SecondServer, cell_id: CellId) -> None:
    """The cure, sent as somebody would who takes the call for stale: not by the runner, which may refuse."""
    bench, name = group.bench, f"w201-{cell_id[0]}-{cell_id[1]}"
    go = Path(bench.project(), f"{name}.go")
    command = f"echo hello; until [ -e {go.name} ]; do sleep 0.2; done; echo end-{name}"
    prompted = there.prompt(Script(name, (Turn(calls=(long_call(bench, name, command),)),)))
    until_running(group, there, prompted)
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
    alive = of_call(there.family(), name)
    go.touch()
    there.wait_idle(prompted, group.timing.settle_s)
    look = sight(bench, prompted)
    told = [judge.Told.of(o) for o in bench.timeline.of(prompted.session) if is_turn(o) and o.t > at]
    outcomes = judge.wrong_cure("wrong-cure-loses-the-result", len(alive), told, f"end-{name}", look)
    finish(group, cell_id, prompted, before, outcomes)


def _until_cured(group: Crash, prompted: Prompted) -> None:
    """Until the call is stored as ended, which a live one would not be yet."""
    reader, session = group.bench.connection.reader, prompted.session
    wait_until(lambda: not reader.session(session).unfinished, group.timing.bound_s, every=0.1)


def until_running(group: Crash, there: OtherServer, prompted: Prompted) -> None:
    """Until that server has the call as running, and its process is there.

    Raises:
        DeadlinePassed: it did not come to that.
    """
    name = prompted.script.name

    def runs() -> bool:
        parts = there.connection.reader.session(prompted.session).unfinished
        begun = of_call(there.family(), name)
        return bool(begun) and any(part.status is PartStatus.RUNNING for part in parts)

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


def finish(
    group: Crash, cell_id: CellId, prompted: Prompted, look: Sight, outcomes: tuple[ClaimOutcome, ...]
) -> None:
    """The trial is over, the bench's own server never killed in it."""
    cell = Cell(cell_id[0], prompted, before=look, outcomes=list(outcomes))
    cell.seen_at = group.bench.timeline.now()
    cell.checks += [stored(group.bench, cell), fault_counted(group.bench, cell, 0)]
    group.cells[cell_id] = cell


def _runs(o: Observation) -> bool:
    return o.lane is Lane.PART and o.kind == "running"
