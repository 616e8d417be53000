"""W203's crash: many commands at once, one SIGKILL, and what is left of each; then an end in order."""

import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psutil

from wedged.catalog.w201_variants import PROMPT, SETTLE_PART
from wedged.errors import LabError
from wedged.facts.process import ProcessFacts
from wedged.facts.session import Status
from wedged.facts.trial import ClaimOutcome, Lane, Outcome
from wedged.lab.bench import Bench, shell
from wedged.lab.scenarios import w203_judgement as judge
from wedged.lab.scenarios.doctor_word import Word, doctor_on
from wedged.lab.scenarios.w201_crash import Cell, Fault, fault_counted, stored
from wedged.lab.scenarios.w201_sight import carrying, family, long_call, sight
from wedged.lab.scenarios.w201_stale import Stale
from wedged.lab.scenarios.w203_judgement import Traces
from wedged.lab.timeline import is_over
from wedged.lab.trials import CellId, Draft, Timing, overlapping
from wedged.lab.turns import Call, Script, Turn
from wedged.recover.orphans import end_process
from wedged.waiting import wait_until

QUIET = ("trigger", "placebo", "doctor", "shell-list", "kill-shell", "end-process", "settle-call")
BEFORE = ("control", *QUIET, "chatty", "like-own-command")
LATER = ("sigterm", "sigterm-deaf")
ARMS = (*BEFORE, "like-running", *LATER)

_DEAF = "trap '' TERM INT HUP; for i in $(seq 3000); do sleep 0.2; done"


@dataclass
class Orphans:
    """The cells of the group and the bench they share. `own` are processes that no server has started."""

    bench: Bench
    timing: Timing
    cells: dict[CellId, Cell] = field(default_factory=dict)
    before: dict[CellId, Traces] = field(default_factory=dict)
    failed: dict[CellId, str] = field(default_factory=dict)
    own: dict[CellId, ProcessFacts] = field(default_factory=dict)
    back_at: float = 0.0
    _pids: dict[str, set[int]] = field(default_factory=dict)

    def begin(self, wanted: Iterable[CellId]) -> None:
        """Prompt each cell's session, and wait until its command runs, or has ended where it is short."""
        wanted = list(wanted)
        self._each(wanted, self._begin)
        names = {
            c: self.cells[c].prompted.script.name for c in wanted if c in self.cells and c[0] != "control"
        }

        def all_there() -> bool:
            argvs = [p.argv[-1].rstrip() for p in family(self.bench) if p.argv]
            return all(any(argv.endswith(f": {name}") for argv in argvs) for name in names.values())

        wait_until(all_there, self.timing.settle_s, every=0.1)
        self._each([c for c in wanted if c[0] == "like-own-command"], self._start_own)
        self._each(wanted, self._before)

    def strike(self, fault: Fault) -> None:
        """Let the fault happen, and start the server again where it has ended it."""
        fault(self.bench)
        if len(self.bench.past) == len(self.bench.incarnations):
            self.bench.start_again()
        self.back_at = self.bench.timeline.now()

    def look_after_crash(self) -> None:
        """What each arm does and sees."""
        chatty = {c: _count(self.cells[c]) for c in self._of("chatty")}
        acting = self._of(
            "kill-shell", "end-process", "settle-call", "control", "shell-list", "like-own-command"
        )
        self._each(acting, self._act)
        self._until(self.timing.watch_s)
        self._each(self._of("trigger", "doctor"), self._act)
        self._each(self._of("chatty"), partial(self._chatty, chatty))

    def look_at_placebos(self) -> None:
        """The processes that were left alone, after the time in which the cure has to work."""
        self._until(self.timing.bound_s)
        self._each(self._of("placebo"), lambda c: self._lives(c, "placebo-runs-on", last=False))

    def run_alongside(self, wanted: Iterable[CellId]) -> None:
        """The process of a call that runs on the server of now."""
        wanted = list(wanted)
        self.begin(wanted)
        self._each(wanted, self._like_running)

    def end_in_order(self, wanted: Iterable[CellId]) -> None:
        """SIGTERM, with the commands of `wanted` running; the placebos are looked at once more."""
        wanted = list(wanted)
        self.begin(wanted)
        self.bench.restart("SIGTERM")
        claims = {"sigterm": "sigterm-leaves-it", "sigterm-deaf": "sigterm-leaves-the-deaf"}
        self._each(wanted, lambda c: self._lives(c, claims[c[0]], kills=0))
        self._each(self._of("placebo"), lambda c: self._lives(c, "placebo-runs-on"))

    def drafts(self) -> Mapping[CellId, Draft | str]:
        """What each trial hands over."""
        made: dict[CellId, Draft | str] = dict(self.failed)
        for cell_id, cell in self.cells.items():
            draft = Draft(cell.prompted, tuple(cell.checks), tuple(cell.outcomes), cell.seen_at)
            made.setdefault(cell_id, draft)
        return made

    def traces(self, cell: Cell) -> Traces:
        """What is left of a call's command, and of the call."""
        bench, prompted = self.bench, cell.prompted
        look = sight(bench, prompted)
        alive = carrying(bench, prompted.script.name)
        below = {p.pid for p in bench.server.tree()}
        listed = bench.connection.reader.shells(prompted.directory)
        found = Traces(
            t=look.t,
            shells=len(alive),
            leaders=sum(_leads(p.pid) for p in alive),
            below=sum(p.pid in below for p in alive),
            group=_rest_of_groups(self.before_pids(cell), {p.pid for p in alive}),
            listed=any(one.command.rstrip().endswith(f": {prompted.script.name}") for one in listed),
            call=look.part.status.value if look.part else "",
            idle=look.idle,
        )
        bench.timeline.add(Lane.PROCESS, "traces", prompted.session, shells=found.shells, group=found.group)
        return found

    def before_pids(self, cell: Cell) -> set[int]:
        """The pids of the call's shells as they were before anything happened."""
        return self._pids.get(cell.prompted.script.name, set())

    def _each(self, wanted: Iterable[CellId], work: Callable[[CellId], None]) -> None:
        for cell_id, said in overlapping([c for c in wanted if c not in self.failed], work).items():
            if isinstance(said, str):
                self.failed[cell_id] = said

    def _of(self, *arms: str) -> list[CellId]:
        return [c for c in self.cells if c[0] in arms]

    def _begin(self, cell_id: CellId) -> None:
        arm, n = cell_id
        name = f"w203-{arm}-{n}"
        script = Script(name, (Turn(calls=(_call(self.bench, arm, name),)),))
        prompted = self.bench.prompt(script, self.bench.project())
        self.cells[cell_id] = Cell(arm, prompted)
        if arm == "control":
            self.bench.timeline.watch(prompted.session, is_over, self.timing.settle_s, after=prompted.at)

    def _start_own(self, cell_id: CellId) -> None:
        """The same command line as the call's, from somebody else, at the same time."""
        bench, name = self.bench, self.cells[cell_id].prompted.script.name
        process = _only(bench, name)
        log = bench.home.logs / f"{name}.log"
        keeper = bench.server.keeper
        self.own[cell_id] = keeper.spawn(process.argv, env=bench.home.env, cwd=bench.home.root, log=log)

    def _before(self, cell_id: CellId) -> None:
        cell = self.cells[cell_id]
        self._pids[cell.prompted.script.name] = {
            p.pid for p in carrying(self.bench, cell.prompted.script.name)
        }
        self.before[cell_id] = self.traces(cell)
        cell.before = sight(self.bench, cell.prompted)
        cell.checks.append(stored(self.bench, cell))

    def _act(self, cell_id: CellId) -> None:
        cell, before = self.cells[cell_id], self.before[cell_id]
        outcomes: tuple[ClaimOutcome, ...]
        if cell.arm == "control":
            outcomes = judge.control(before, self.traces(cell))
        elif cell.arm == "trigger":
            after = self.traces(cell)
            outcomes = judge.trigger(before, after, round(after.t - self.back_at, 3))
        elif cell.arm == "shell-list":
            outcomes = judge.not_listed(before, self.traces(cell))
        elif cell.arm == "doctor":
            word = Word.on(self.bench, cell.prompted)
            outcomes = judge.doctor(self.traces(cell), word)
        else:
            outcomes = self._cure(cell_id, cell, before)
        cell.outcomes += outcomes
        self._seen(cell, 1)

    def _cure(self, cell_id: CellId, cell: Cell, before: Traces) -> tuple[ClaimOutcome, ...]:
        bench, name = self.bench, cell.prompted.script.name
        if cell.arm == "settle-call":
            stale = Stale(bench, cell.prompted, self.timing)
            stale.cure(SETTLE_PART) if stale.v1 else stale.ask(step=PROMPT)
            return (judge.lives("settle-call-leaves-it", before, self.traces(cell)),)
        process = _only(bench, name)
        if cell.arm == "kill-shell":
            os.kill(process.pid, signal.SIGKILL)
            wait_until(lambda: not carrying(bench, name), self.timing.bound_s, every=0.05)
            return judge.child_left(before, self.traces(cell))
        with bench.timeline.call(cell.prompted.session, "end-process"):
            end_process(process)
        after = self.traces(cell)
        if cell.arm == "end-process":
            return (judge.ended("end-process-ends-it", before, after), judge.call_left(after))
        made = doctor_on(self.bench, cell.prompted.session)
        strays = made.latest.strays or ()
        mine = [s for s in strays if s.process.pid == self.own[cell_id].pid and s.marked is False]
        state = f"{after.words}, another process with its command line" if mine and not after.shells else ""
        # The call is as stale as the crash has left it.
        return judge.like(cell.arm, state, Word.of(made, cell.prompted.session), ("W201",))

    def _chatty(self, counted: Mapping[CellId, int], cell_id: CellId) -> None:
        cell = self.cells[cell_id]
        later = (counted[cell_id], _count(cell))
        cell.outcomes += judge.chatty(self.before[cell_id], self.traces(cell), later)
        self._seen(cell, 1)

    def _lives(self, cell_id: CellId, claim: str, *, kills: int = 1, last: bool = True) -> None:
        cell = self.cells[cell_id]
        said = judge.lives(claim, self.before[cell_id], self.traces(cell))
        if last or said.outcome is not Outcome.SYMPTOM:
            cell.outcomes.append(said)
            self._seen(cell, kills)

    def _like_running(self, cell_id: CellId) -> None:
        cell = self.cells[cell_id]
        made = doctor_on(self.bench, cell.prompted.session)
        look = self.traces(cell)
        status = self.bench.connection.reader.session(cell.prompted.session, cell.prompted.directory).status
        state = look.words if look.below and status is Status.BUSY else ""
        cell.outcomes += judge.like(cell.arm, state, Word.of(made, cell.prompted.session), ())
        self._seen(cell, 0)

    def _seen(self, cell: Cell, kills: int) -> None:
        cell.seen_at = self.bench.timeline.now()
        cell.checks.append(fault_counted(self.bench, cell, kills))

    def _until(self, seconds: float) -> None:
        """Until the server works on one of the sessions again, at most `seconds` from the restart."""
        sessions = {self.cells[c].prompted.session for c in self._of("trigger", "placebo")}
        self.bench.timeline.watch_all(
            lambda o: o.lane is Lane.STATUS and o.kind == "busy" and o.subject in sessions,
            self.back_at + seconds - self.bench.timeline.now(),
            after=self.back_at,
        )


def run_orphans(
    fault: Fault, bench: Bench, cells: Sequence[CellId], timing: Timing
) -> Mapping[CellId, Draft | str]:
    """All trials of the group."""

    def of(*arms: str) -> list[CellId]:
        return [cell for cell in cells if cell[0] in arms]

    group = Orphans(bench, timing)
    group.begin(of(*BEFORE))
    group.strike(fault)
    group.look_after_crash()
    group.run_alongside(of("like-running"))
    group.look_at_placebos()
    group.end_in_order(of(*LATER))
    return group.drafts()


def _call(bench: Bench, arm: str, name: str) -> Call:
    if arm == "control":
        return Call(bench.shell_tool, shell(f"echo hello; : {name}"))
    if arm == "sigterm-deaf":
        return long_call(bench, name, _DEAF)
    if arm == "chatty":
        count = f"for i in $(seq 3000); do echo line $i; echo $i >> {name}.count; sleep 0.2; done"
        return long_call(bench, name, count)
    return long_call(bench, name)


def _count(cell: Cell) -> int:
    """How far a chatty command has counted."""
    counted = Path(cell.prompted.directory, f"{cell.prompted.script.name}.count")
    return len(counted.read_text().splitlines()) if counted.exists() else 0


def _only(bench: Bench, name: str) -> ProcessFacts:
    """The process of the call of this name.

    Raises:
        LabError: there is not exactly one.
    """
    found = carrying(bench, name)
    if len(found) != 1:
        raise LabError(f"{len(found)} processes run the call; exactly one is needed")
    return found[0]


def _leads(pid: int) -> bool:
    try:
        return os.getsid(pid) == pid and os.getpgid(pid) == pid
    except ProcessLookupError:
        return False


def _rest_of_groups(leaders: set[int], known: set[int]) -> int:
    """How many processes of these groups run, the `known` ones left out."""
    left = 0
    for one in psutil.process_iter():
        try:
            ours = one.pid not in known and os.getpgid(one.pid) in leaders
            left += ours and one.status() != psutil.STATUS_ZOMBIE
        except (psutil.Error, ProcessLookupError, PermissionError):
            continue
    return left
