"""W201's crash: many sessions at once, one SIGKILL, one restart, and what each arm does then."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation
from wedged.lab.bench import Bench, Prompted, shell
from wedged.lab.scenarios import w201_judgement as judge
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.w201_cures import ACTS
from wedged.lab.scenarios.w201_sight import (
    Sight,
    carrying,
    family,
    long_call,
    long_script,
    raw_messages,
    sight,
    unwritten_script,
)
from wedged.lab.scenarios.w201_stale import Stale
from wedged.lab.timeline import is_over
from wedged.lab.trials import CellId, Draft, Timing, overlapping
from wedged.lab.turns import Call, Script, Turn
from wedged.waiting import wait_until

Fault = Callable[[Bench], None]

# Which arms' calls run when the server dies.
RUNNING = ("trigger", "placebo", "doctor", *(arm for arm in ACTS if arm != "unwritten"))
GRACEFUL = ("abort-live", "model-error")
# Begun after the crash, and ended in order.
SIGTERM = ("sigterm",)
BEFORE = ("control", *RUNNING, "unwritten", *GRACEFUL)
ARMS = (*BEFORE, *SIGTERM)


def crash(bench: Bench) -> None:
    """The fault: SIGKILL, as memory pressure or a power cut would end it."""
    bench.end_server("SIGKILL")


def no_fault(bench: Bench) -> None:
    """A fault that does nothing: one of the dead-man's three."""
    del bench


@dataclass
class Cell:
    """One trial on its way. `before` was seen just before the crash, `messages` as the server gave them."""

    arm: str
    prompted: Prompted
    before: Sight | None = None
    messages: object = None
    outcomes: list[ClaimOutcome] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    seen_at: float = 0.0


@dataclass
class Crash:
    """The cells of one group and the bench they share."""

    bench: Bench
    timing: Timing
    fault: Fault
    cells: dict[CellId, Cell] = field(default_factory=dict)
    failed: dict[CellId, str] = field(default_factory=dict)
    back_at: float = 0.0

    def begin(self, wanted: Iterable[CellId]) -> None:
        """Prompt each cell's session, and bring it to where its arm wants it."""
        self.each(wanted, self._begin)
        self._await_processes()

    def strike(self) -> None:
        """Write down what is there, let the fault happen, and start again where it ended the server."""
        self.each(list(self.cells), self._before)
        self.fault(self.bench)
        if len(self.bench.past) == len(self.bench.incarnations):
            self.bench.start_again()
        self.back_at = self.bench.timeline.now()

    def act(self) -> None:
        """What each arm does to its stale call; then those are looked at that nothing is done to."""
        self.each(self._of(*ACTS), self._act)
        self._watch(("trigger",), self.timing.watch_s)
        self.each(self._of("control", "trigger", "doctor", *GRACEFUL), self._look)

    def look_at_placebos(self) -> None:
        """The calls that were left alone, after the time in which a cure has to work."""
        self._watch(("placebo",), self.timing.bound_s)
        self.each(self._of("placebo"), self._look)

    def restart_in_order(self, wanted: Iterable[CellId]) -> None:
        """A second restart, by SIGTERM, with the calls of `wanted` running."""
        self.begin(wanted)
        self.bench.restart("SIGTERM")
        self.each(self._of("placebo", "settle-part", "prompt", *SIGTERM), self._after_sigterm)

    def drafts(self) -> dict[CellId, Draft | str]:
        """What each trial hands over."""
        made: dict[CellId, Draft | str] = dict(self.failed)
        for cell_id, cell in self.cells.items():
            made.setdefault(
                cell_id, Draft(cell.prompted, tuple(cell.checks), tuple(cell.outcomes), cell.seen_at)
            )
        return made

    def each(self, wanted: Iterable[CellId], work: Callable[[CellId], None]) -> None:
        """Do `work` for each cell, many at a time; one that raises is out, with the error's sentence."""
        wanted = [cell for cell in wanted if cell not in self.failed]
        for cell_id, said in overlapping(wanted, work).items():
            if isinstance(said, str):
                self.failed[cell_id] = said

    def _of(self, *arms: str) -> list[CellId]:
        return [cell_id for cell_id in self.cells if cell_id[0] in arms]

    def _begin(self, cell_id: CellId) -> None:
        arm, n = cell_id
        bench, name = self.bench, f"w201-{arm}-{n}"
        prompted = bench.prompt(_script(bench, arm, name), bench.project())
        self.cells[cell_id] = Cell(arm, prompted)
        bench.timeline.watch(prompted.session, _reached(arm), self.timing.settle_s, after=prompted.at)
        if arm == "abort-live":
            wait_until(lambda: carrying(bench, name), self.timing.settle_s, every=0.1)
            at = bench.timeline.now()
            with bench.timeline.call(prompted.session, "abort"):
                bench.connection.actor.abort(prompted.session, prompted.directory)
            bench.timeline.watch(prompted.session, is_over, self.timing.settle_s, after=at)

    def _await_processes(self) -> None:
        """Until every call that is to run has its process: one walk over the tree for all of them."""
        names = {self.cells[one].prompted.script.name for one in self._of(*RUNNING, *SIGTERM)}

        def missing() -> bool:
            argvs = [p.argv[-1] for p in family(self.bench) if p.argv]
            return any(not any(argv.endswith(f": {name}") for argv in argvs) for name in names)

        wait_until(lambda: not missing(), self.timing.settle_s, every=0.1)

    def _before(self, cell_id: CellId) -> None:
        cell = self.cells[cell_id]
        cell.before = sight(self.bench, cell.prompted, processes=cell.arm in ("trigger", *GRACEFUL))
        if cell.arm == "trigger":
            cell.messages = raw_messages(self.bench, cell.prompted)
        cell.checks.append(stored(self.bench, cell))

    def _act(self, cell_id: CellId) -> None:
        cell = self.cells[cell_id]
        cell.outcomes += ACTS[cell.arm](Stale(self.bench, cell.prompted, self.timing))
        self._seen(cell)

    def _look(self, cell_id: CellId) -> None:
        cell, bench = self.cells[cell_id], self.bench
        after = sight(bench, cell.prompted, processes=cell.arm in ("trigger", *GRACEFUL))
        before = cell.before or after
        if cell.arm == "trigger":
            messages = (cell.messages, raw_messages(bench, cell.prompted))
            seen = bench.timeline.of(cell.prompted.session)
            cell.outcomes += judge.trigger(before, after, messages, seen, self.back_at)
        elif cell.arm == "placebo":
            cell.outcomes += judge.stays("placebo-stays", after, watched_s=round(after.t - self.back_at, 3))
        elif cell.arm == "control":
            cell.outcomes += judge.control(before, after)
        elif cell.arm == "doctor":
            cell.outcomes += judge.doctor("doctor-finds-it", after, Word.on(bench, cell.prompted))
        else:
            cell.outcomes += judge.graceful(cell.arm, before, after)
        self._seen(cell)

    def _after_sigterm(self, cell_id: CellId) -> None:
        cell = self.cells[cell_id]
        look = sight(self.bench, cell.prompted, processes=cell.arm in SIGTERM)
        if cell.arm == "placebo":
            cell.outcomes += judge.stays("restart-leaves-it", look)
        elif cell.arm in SIGTERM:
            cell.checks.append(stored(self.bench, cell, look))
            cell.outcomes += judge.sigterm(look)
        else:
            cell.outcomes += judge.ends(f"{cell.arm}-survives", look)
        cell.seen_at = self.bench.timeline.now()
        if cell.arm in SIGTERM:
            cell.checks.append(fault_counted(self.bench, cell, 0))

    def _seen(self, cell: Cell) -> None:
        cell.seen_at = self.bench.timeline.now()
        cell.checks.append(fault_counted(self.bench, cell, 1))

    def _watch(self, arms: Sequence[str], seconds: float) -> None:
        """Until one of these arms' sessions is taken up again, at most `seconds` from the restart."""
        sessions = {self.cells[one].prompted.session for one in self._of(*arms)}
        self.bench.timeline.watch_all(
            lambda o: o.lane is Lane.STATUS and o.kind == "busy" and o.subject in sessions,
            self.back_at + seconds - self.bench.timeline.now(),
            after=self.back_at,
        )


def _script(bench: Bench, arm: str, name: str) -> Script:
    if arm == "control":
        call = Call(bench.shell_tool, shell(f"echo hello; : {name}"))
        return Script(name, (Turn(calls=(call,)),))
    if arm == "unwritten":
        return unwritten_script(bench, name)
    if arm == "model-error":
        call = long_call(bench, name, f"echo {'y' * 400}")
        return Script(name, (Turn(calls=(call,), rate=4.0, cut_after=8),))
    return long_script(bench, name)


def _reached(arm: str) -> Callable[[Observation], bool]:
    """By which event the arm's session is where it is wanted."""
    if arm in ("control", "model-error"):
        return is_over
    kinds = ("pending", "streaming") if arm == "unwritten" else ("running",)
    return lambda o: o.lane is Lane.PART and o.kind in kinds


def stored(bench: Bench, cell: Cell, look: Sight | None = None) -> Check:
    """The trigger's call stands in the server's store with exactly this input."""
    rule = "the call is stored by the server with exactly this input"
    part = (look or cell.before or sight(bench, cell.prompted)).part
    if part is None:
        return Check(rule, False, "no such call is stored")
    if cell.arm in ("unwritten", "model-error"):
        # Its input was never whole: that is the point.
        return Check(rule, part.tool == bench.shell_tool, f"stored: {part.tool}, its input not whole")
    wanted = cell.prompted.script.turns[0].calls[0].input["command"]
    same = part.tool == bench.shell_tool and part.input.get("command") == wanted
    return Check(rule, same, "" if same else f"stored: {part.tool} {part.input.get('command', '')}")


def fault_counted(bench: Bench, cell: Cell, expected: int) -> Check:
    """How often the server was killed while the trial ran, before what was seen."""
    rule = f"the server was killed {'once' if expected else 'never'} in this trial, before the observation"
    kills = [p for p in bench.past if p.how == "SIGKILL" and cell.prompted.at < p.at < cell.seen_at]
    return Check(rule, len(kills) == expected, f"{len(kills)} times")
