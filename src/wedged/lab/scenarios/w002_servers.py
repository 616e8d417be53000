"""W002's servers: one on which turns run, one that is asked, and what each arm does to them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wedged.catalog.w002_two_servers_one_store import ABORT_THERE, ASK_THERE
from wedged.client.v1 import routes as v1
from wedged.client.v1.stale_calls import settled
from wedged.facts.recovery import Request, Step, Target
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import Check, ClaimOutcome, Lane
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios import w002_judgement as judge
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.w002_judgement import Both, Harm
from wedged.lab.scenarios.w201_crash import Cell, stored
from wedged.lab.scenarios.w201_judgement import Told
from wedged.lab.scenarios.w201_sight import long_call, of_call, raw_messages, sight, the_part
from wedged.lab.scenarios.w201_stale import is_turn
from wedged.lab.second_server import SecondServer, second_server
from wedged.lab.trials import CellId, Draft, Timing, overlapping
from wedged.lab.turns import Script, Turn
from wedged.recover import run_step
from wedged.waiting import wait_for, wait_until

SETTLES = ("settle-here",)
DELETES = ("delete-part-here", "delete-message-here")
HARM = (*SETTLES, *DELETES, "prompt-here")
ARMS = (
    "control",
    "trigger",
    "placebo",
    "doctor",
    "ask-there",
    "left-alone",
    "abort-there",
    "abort-here",
    *HARM,
    "like-running-here",
    "like-crashed",
)

# Whose commands come to their end; the others' are left to sleep.
_LET_GO = ("control", "left-alone", *HARM)

# Has a session's turn run on the other server (or, for the dead-man, on this one).
Fault = Callable[[SecondServer, Script], Prompted]


def on_the_other(there: SecondServer, script: Script) -> Prompted:
    """The fault: another server than the one that is asked runs the turn."""
    return there.prompt(script)


def no_fault(there: SecondServer, script: Script) -> Prompted:
    """A fault that does nothing: one of the dead-man's three."""
    return there.bench.prompt(script, there.bench.project())


@dataclass
class Servers:
    """The two servers and the cells of the group."""

    bench: Bench
    there: SecondServer
    timing: Timing
    fault: Fault
    cells: dict[CellId, Cell] = field(default_factory=dict)
    failed: dict[CellId, str] = field(default_factory=dict)

    def each(self, wanted: Iterable[CellId], work: Callable[[CellId], None]) -> None:
        """Do `work` for each cell, many at a time; one that raises is out, with the error's sentence."""
        for cell_id, said in overlapping([c for c in wanted if c not in self.failed], work).items():
            if isinstance(said, str):
                self.failed[cell_id] = said

    def begin(self, cell_id: CellId) -> None:
        """Have the call run, on the server where the arm wants it."""
        arm, n = cell_id
        name = f"w002-{arm}-{n}"
        command = _command(name) if arm in _LET_GO else "echo hello; sleep 590"
        script = Script(name, (Turn(calls=(long_call(self.bench, name, command),)),))
        here = arm == "like-running-here"
        prompted = self.bench.prompt(script, self.bench.project()) if here else self.fault(self.there, script)
        cell = self.cells[cell_id] = Cell(arm, prompted)
        read = (self.bench.connection if here else self.there.connection).reader.session
        if arm == "control":
            self.let_go(cell)
        else:
            wait_for(
                lambda: (
                    any(p.status is PartStatus.RUNNING for p in read(prompted.session).unfinished)
                    and self.alive(cell, here=here)
                ),
                f"the call of {name} to run",
                self.timing.settle_s,
                every=0.1,
            )
        cell.before = sight(self.bench, prompted)
        cell.checks.append(stored(self.bench, cell))

    def alive(self, cell: Cell, *, here: bool = False) -> int:
        """How many processes of the call run, below the other server or this one."""
        name = cell.prompted.script.name
        found = self.bench.server.family() if here else self.there.family()
        return len(of_call(found, name))

    def let_go(self, cell: Cell) -> None:
        """Let the call's command come to its end, and wait until the server that runs the turn says so."""
        Path(cell.prompted.directory, f"{cell.prompted.script.name}.go").touch()
        self.there.wait_idle(cell.prompted, self.timing.settle_s)

    def both(self, cell: Cell) -> Both:
        """The session on both servers, now."""
        here = sight(self.bench, cell.prompted)
        there = sight(self.bench, cell.prompted, self.there.connection.reader)
        return Both(here, there, self.alive(cell))

    def act(self, cell_id: CellId) -> None:
        """What the arm does, and what is seen."""
        cell = self.cells[cell_id]
        if cell.arm in HARM:
            cell.outcomes += self._harm(cell)
        else:
            cell.outcomes += self._look(cell)
        self.seen(cell)

    def seen(self, cell: Cell) -> None:
        """The trial is over."""
        cell.seen_at = self.bench.timeline.now()
        if cell.arm != "like-running-here":
            rule = "the turn was run by the other server, which was up"
            there = any(
                o.kind == "prompt through the second server"
                for o in self.bench.timeline.of(cell.prompted.session)
            )
            cell.checks.append(
                Check(rule, there and (self.there.process.alive() or cell.arm == "like-crashed"))
            )

    def _look(self, cell: Cell) -> tuple[ClaimOutcome, ...]:
        prompted, session = cell.prompted, cell.prompted.session
        if cell.arm == "control":
            return judge.control(self.both(cell))
        if cell.arm == "trigger":
            messages = (
                raw_messages(self.bench, prompted),
                raw_messages(self.bench, prompted, self.there.connection),
            )
            return judge.trigger(self.both(cell), messages)
        if cell.arm == "placebo":
            watched = round(self.bench.timeline.now() - prompted.at, 3)
            return judge.stays("placebo-stays", self.both(cell), watched_s=watched)
        if cell.arm == "doctor":
            word = Word.on(self.bench, prompted)
            return judge.doctor(self.both(cell), word)
        if cell.arm == "ask-there":
            answer = self._step(cell, ASK_THERE)
            return judge.named("other-server-names-it", session, answer, self.both(cell))
        if cell.arm == "left-alone":
            self.let_go(cell)
            return judge.ends("left-alone-it-ends", self.both(cell), PartStatus.COMPLETED)
        if cell.arm == "abort-there":
            self._step(cell, ABORT_THERE)
            self.there.wait_idle(prompted, self.timing.settle_s)
            return judge.ends("abort-there-ends-it", self.both(cell))
        if cell.arm == "abort-here":
            with self.bench.timeline.call(session, "abort through this server"):
                self.bench.connection.actor.abort(session, prompted.directory)
            return judge.stays("abort-here-does-nothing", self.both(cell))
        word = Word.on(self.bench, prompted)
        status = self.bench.connection.reader.session(session, prompted.directory).status
        state = f"session {status} here" if status is Status.BUSY else ""
        return judge.like(cell.arm, state, word, ())

    def _step(self, cell: Cell, step: Step) -> object:
        connection, prompted = self.there.connection, cell.prompted
        target = Target(prompted.session, prompted.directory)
        with self.bench.timeline.call(prompted.session, step.id):
            return run_step(step, target, connection.reader, connection.actor).answer

    def _harm(self, cell: Cell) -> tuple[ClaimOutcome, ...]:
        """W201's cures, sent as by somebody who takes the call for stale: not by the runner."""
        bench, prompted, name = self.bench, cell.prompted, cell.prompted.script.name
        at = bench.timeline.now()
        with bench.timeline.call(prompted.session, cell.arm):
            if cell.arm == "prompt-here":
                self._prompt(prompted)
            else:
                bench.connection.actor.send(self._request(cell))
        right_after = self.both(cell)
        self.let_go(cell)
        told = [Told.of(o) for o in bench.timeline.of(prompted.session) if is_turn(o) and o.t > at]
        at_end = self.both(cell)
        harm = Harm(right_after, at_end, told, f"end-{name}")
        if cell.arm in SETTLES:
            return judge.settled_here(harm)
        if cell.arm == "delete-part-here":
            return judge.deleted_part(harm, prompted.script.mark)
        if cell.arm == "delete-message-here":
            newest = at_end.there.session.newest if at_end.there.session else None
            return judge.deleted_message(harm, newest.error if newest else "")
        return judge.prompted_here(harm)

    def _request(self, cell: Cell) -> Request:
        part = the_part(sight(self.bench, cell.prompted))
        session, where = cell.prompted.session, cell.prompted.directory
        path = v1.scoped(v1.part(session, part.message_id, part.id), where)
        if cell.arm in SETTLES:
            return Request("PATCH", path, settled(part, part.start_ms or 0))
        message = v1.scoped(v1.message(session, part.message_id), where)
        return Request("DELETE", path if cell.arm == "delete-part-here" else message)

    def _prompt(self, prompted: Prompted) -> None:
        """A prompt through this server, answered to its end."""
        bench, at = self.bench, self.bench.timeline.now()
        script = bench.model.learn(Script(f"{prompted.script.name}-next"))
        bench.connection.actor.prompt(prompted.session, f"Go on. {script.mark}", directory=prompted.directory)
        bench.timeline.watch(
            prompted.session,
            lambda o: o.lane is Lane.STATUS and o.kind == "idle",
            self.timing.settle_s,
            after=at,
        )


def run_servers(
    fault: Fault, bench: Bench, cells: Sequence[CellId], timing: Timing
) -> Mapping[CellId, Draft | str]:
    """All trials: begun at once, then each arm its own, the crash of the other server last."""
    with second_server(bench) as there:
        group = Servers(bench, there, timing, fault)
        group.each(cells, group.begin)
        begun = bench.timeline.now()
        late = ("placebo", "like-crashed")
        group.each([c for c in group.cells if c[0] not in late], group.act)
        sessions = {group.cells[c].prompted.session for c in group.cells if c[0] == "placebo"}
        bench.timeline.watch_all(
            lambda o: o.lane is Lane.STATUS and o.subject in sessions,
            begun + timing.bound_s - bench.timeline.now(),
        )
        group.each([c for c in group.cells if c[0] == "placebo"], group.act)
        there.process.kill()
        wait_until(lambda: not there.process.alive(), timing.bound_s)
        group.each([c for c in group.cells if c[0] == "like-crashed"], lambda c: _crashed(group, c))
    made: dict[CellId, Draft | str] = dict(group.failed)
    for cell_id, cell in group.cells.items():
        draft = Draft(cell.prompted, tuple(cell.checks), tuple(cell.outcomes), cell.seen_at)
        made.setdefault(cell_id, draft)
    return made


def _crashed(group: Servers, cell_id: CellId) -> None:
    cell = group.cells[cell_id]
    word = Word.on(group.bench, cell.prompted)
    look = sight(group.bench, cell.prompted)
    state = f"{look.words}, the other server gone" if look.stale else ""
    cell.outcomes += judge.like(cell.arm, state, word, ("W201", "W203"))
    group.seen(cell)


def _command(name: str) -> str:
    """It says a word, waits to be let go, and says another one."""
    return f"echo hello; until [ -e {name}.go ]; do sleep 0.2; done; echo end-{name}"
