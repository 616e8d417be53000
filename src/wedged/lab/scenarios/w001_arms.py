"""W001's arms: one session each, in a directory that is not the server's own, on a server that all share."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wedged.catalog.w001_wrong_directory import OWN_DIRECTORY
from wedged.client.v1 import routes as v1
from wedged.client.v1.stale_calls import settled
from wedged.diagnose import Diagnosis
from wedged.errors import LabError, ServerSaidNo
from wedged.facts.activity import Waiting
from wedged.facts.recovery import Request, Target
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation
from wedged.lab.bench import Bench, Prompted, shell
from wedged.lab.scenarios import w001_judgement as judge
from wedged.lab.scenarios.doctor_word import Word, doctor_on
from wedged.lab.scenarios.w001_judgement import View
from wedged.lab.scenarios.w201_crash import Cell, stored
from wedged.lab.scenarios.w201_judgement import Told
from wedged.lab.scenarios.w201_sight import carrying, long_call, sight, the_part
from wedged.lab.scenarios.w201_stale import is_turn
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call, Script, Turn
from wedged.recover import run_step

ELSEWHERE, THIRD, ASKING = "elsewhere", "third", "asking"


# Whose commands come to their end; the others' are left to sleep.
_LET_GO = ("control", "prompt", "wrong-cure", "like-ended")

# In which directory a trial's session works: by its name among the bench's projects.
Fault = Callable[[str], str]


def in_another(arm: str) -> str:
    """The fault: a directory that is not the server's own."""
    return ASKING if arm == "ask" else ELSEWHERE


def no_fault(arm: str) -> str:
    """A fault that does nothing: one of the dead-man's three."""
    del arm
    return "project"


@dataclass
class Case:
    """One trial on its way."""

    bench: Bench
    arm: str
    prompted: Prompted
    timing: Timing

    @property
    def name(self) -> str:
        """The trial's own, which its command carries."""
        return self.prompted.script.name

    def view(self, other: str = "") -> View:
        """The session now, by its own directory and by the lists that name none, or the directory `other`."""
        reader, session = self.bench.connection.reader, self.prompted.session
        elsewhere = session in reader.statuses(other) if other else None
        return View(sight(self.bench, self.prompted), session in reader.statuses(), elsewhere)

    def let_go(self) -> None:
        """Let the command come to its end, and wait for the turn's."""
        at = self.bench.timeline.now()
        Path(self.prompted.directory, f"{self.name}.go").touch()
        self.bench.timeline.watch(self.prompted.session, is_over, self.timing.settle_s, after=at)

    def told_after(self, at: float) -> Told:
        """What the model's first request after `at` held."""
        found = self.bench.timeline.watch(self.prompted.session, is_turn, self.timing.bound_s, after=at)
        return Told.of(found)

    def diagnosis(self) -> Diagnosis:
        """What doctor makes of the session."""
        return doctor_on(self.bench, self.prompted.session)


def run_case(fault: Fault, bench: Bench, own: str, arm: str, n: int, timing: Timing) -> Draft:
    """One trial of one arm; its turn is over when this returns.

    Raises:
        LabError: an ask was expected and not made.
    """
    at_home = arm in ("control", "like-own-directory")
    directory = own if at_home else _directory(bench, fault(arm))
    name = f"w001-{arm}-{n}"
    prompted = bench.prompt(Script(name, (Turn(calls=(_call(bench, arm, name),)),)), directory)
    case = Case(bench, arm, prompted, timing)
    bench.timeline.watch(prompted.session, _reached(arm), timing.settle_s, after=prompted.at)
    cell = Cell(arm, prompted, before=sight(bench, prompted))
    try:
        outcomes = _ACTS[arm](case)
    finally:
        if not sight(bench, prompted).idle:
            bench.connection.actor.abort(prompted.session, directory)
    elsewhere = prompted.directory != bench.connection.reader.directory()
    rule = (
        "the session is of the server's own directory" if at_home else "the session is of another directory"
    )
    checks = (stored(bench, cell), Check(rule, elsewhere is not at_home))
    return Draft(prompted, checks, outcomes, bench.timeline.now())


def _control(case: Case) -> tuple[ClaimOutcome, ...]:
    during = case.view()
    case.let_go()
    return judge.control(during, sight(case.bench, case.prompted))


def _trigger(case: Case) -> tuple[ClaimOutcome, ...]:
    case.bench.timeline.watch(case.prompted.session, is_over, case.timing.watch_s, after=case.prompted.at)
    bare = case.bench.connection.reader.session(case.prompted.session)
    return judge.trigger(case.view(), bool(bare.unfinished))


def _placebo(case: Case) -> tuple[ClaimOutcome, ...]:
    case.bench.timeline.watch(case.prompted.session, is_over, case.timing.bound_s, after=case.prompted.at)
    return judge.stays(case.view(), round(case.bench.timeline.now() - case.prompted.at, 3))


def _other_name(case: Case) -> tuple[ClaimOutcome, ...]:
    return judge.other_name(case.view(_directory(case.bench, THIRD)))


def _own_directory(case: Case) -> tuple[ClaimOutcome, ...]:
    connection, prompted = case.bench.connection, case.prompted
    target = Target(prompted.session, prompted.directory)
    with case.bench.timeline.call(prompted.session, OWN_DIRECTORY.id):
        record = run_step(OWN_DIRECTORY, target, connection.reader, connection.actor)
    return judge.own_directory(case.view(), prompted.session, record.answer)


def _ask(case: Case) -> tuple[ClaimOutcome, ...]:
    reader, actor, prompted = case.bench.connection.reader, case.bench.connection.actor, case.prompted
    mine = [one for one in reader.asks(prompted.directory) if one.session_id == prompted.session]
    if len(mine) != 1:
        raise LabError(f"{len(mine)} asks of the session are listed; exactly one is needed")
    hidden = all(one.id != mine[0].id for one in reader.asks())
    status = 200
    try:
        with case.bench.timeline.call(prompted.session, "reply without a directory"):
            actor.reply(mine[0].id, "reject", session_id=prompted.session)
    except ServerSaidNo as error:
        status = error.status
    waits = any(one.id == mine[0].id for one in reader.asks(prompted.directory))
    return judge.ask(hidden, True, status, waits)


def _abort(case: Case) -> tuple[ClaimOutcome, ...]:
    before, at = case.view(), case.bench.timeline.now()
    with case.bench.timeline.call(case.prompted.session, "abort without a directory"):
        case.bench.connection.actor.abort(case.prompted.session)
    case.bench.timeline.watch(case.prompted.session, is_over, case.timing.bound_s, after=at)
    return judge.abort(before, sight(case.bench, case.prompted))


def _prompt(case: Case) -> tuple[ClaimOutcome, ...]:
    bench, prompted = case.bench, case.prompted
    script = bench.model.learn(Script(f"{case.name}-next"))
    at = bench.timeline.now()
    with bench.timeline.call(prompted.session, "prompt without a directory"):
        bench.connection.actor.prompt(prompted.session, f"Go on. {script.mark}")
    bench.timeline.watch(prompted.session, is_turn, case.timing.watch_s, after=at)
    meanwhile = sum(is_turn(o) and o.t > at for o in bench.timeline.of(prompted.session))
    released = bench.timeline.now()
    case.let_go()
    told = case.told_after(released)
    return judge.prompt(meanwhile, told, f"end-{case.name}", sight(bench, prompted))


def _wrong_cure(case: Case) -> tuple[ClaimOutcome, ...]:
    """By the request itself: the runner would ask the session's own directory, and refuse."""
    bench, prompted = case.bench, case.prompted
    before = case.view()
    part = the_part(before.look)
    path = v1.part(prompted.session, part.message_id, part.id)
    with bench.timeline.call(prompted.session, "the wrong cure"):
        bench.connection.actor.send(Request("PATCH", path, settled(part, part.start_ms or 0)))
    alive = bool(carrying(bench, case.name))
    at = bench.timeline.now()
    case.let_go()
    return judge.wrong_cure(before, alive, case.told_after(at), f"end-{case.name}")


def _doctor(case: Case) -> tuple[ClaimOutcome, ...]:
    made, session = case.diagnosis(), case.prompted.session
    active = any(one.session == session and one.waiting is not Waiting.NOT_BUSY for one in made.activity)
    return judge.doctor(case.view(), Word.of(made, session), active)


def _like_own(case: Case) -> tuple[ClaimOutcome, ...]:
    made, seen = case.diagnosis(), case.view()
    state = seen.words if seen.works and seen.bare else ""
    return judge.like(case.arm, state, Word.of(made, case.prompted.session))


def _like_ended(case: Case) -> tuple[ClaimOutcome, ...]:
    case.let_go()
    made, look = case.diagnosis(), sight(case.bench, case.prompted)
    over = look.idle and look.part is not None and look.part.status.terminal
    return judge.like(case.arm, look.words if over else "", Word.of(made, case.prompted.session))


_ACTS: dict[str, Callable[[Case], tuple[ClaimOutcome, ...]]] = {
    "control": _control,
    "trigger": _trigger,
    "placebo": _placebo,
    "other-name": _other_name,
    "own-directory": _own_directory,
    "ask": _ask,
    "abort": _abort,
    "prompt": _prompt,
    "wrong-cure": _wrong_cure,
    "doctor": _doctor,
    "like-own-directory": _like_own,
    "like-ended": _like_ended,
}
ARMS = tuple(_ACTS)


def _directory(bench: Bench, project: str) -> str:
    permission = {bench.shell_tool: "ask"} if project == ASKING else None
    return bench.project(project, permission=permission)


def _call(bench: Bench, arm: str, name: str) -> Call:
    if arm == "ask":
        return Call(bench.shell_tool, shell(f"echo hello; : {name}"))
    if arm not in _LET_GO:
        return long_call(bench, name)
    wait = f"until [ -e {name}.go ]; do sleep 0.2; done"
    return long_call(bench, name, f"echo hello; {wait}; echo end-{name}")


def _reached(arm: str) -> Callable[[Observation], bool]:
    """By which event the arm's session is where it is wanted."""
    if arm == "ask":
        return lambda o: o.lane is Lane.ASK
    return lambda o: o.lane is Lane.PART and o.kind == "running"
