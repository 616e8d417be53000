"""W103's groups: many turns on one server, which is then ended and started again once for all of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from wedged.client import connect
from wedged.diagnose import Diagnosis, diagnose
from wedged.errors import WedgedError
from wedged.facts.server import Line
from wedged.facts.snapshot import Window
from wedged.facts.trial import ClaimOutcome
from wedged.lab.bench import Bench
from wedged.lab.command_line import Command, start_command
from wedged.lab.scenarios import w103_restart_judgement as judge
from wedged.lab.scenarios.w103_cases import doctor_on
from wedged.lab.scenarios.w103_judgement import not_reported
from wedged.lab.scenarios.w103_restart_judgement import Restarted
from wedged.lab.scenarios.w103_scene import Scene, look
from wedged.lab.scenarios.w103_store import marks, store_file
from wedged.lab.scenarios.w103_turn_states import STATES, State
from wedged.lab.scenarios.w103_turns import Place, is_request
from wedged.lab.trials import CellId, Draft, Timing, overlapping
from wedged.lab.turns import Script
from wedged.observe.database import look_at_database
from wedged.waiting import wait_until

_EVERY_S = 0.2
# What each arm of the service's group says; `restart` and `cut-off` say more than one thing.
_RESUMED = {"restart-question": "question-resumed", "crash": "resumed-after-crash"}
_NOT_RESUMED = {
    "restart-message": "message-not-resumed",
    "restart-interrupt": "interrupt-not-resumed",
    "restart-sub-agent": "sub-agent-not-resumed",
}
_CURES = {"prompt": "prompt-clears-it", "prompt-interrupt": "interrupted-prompt-clears-it"}
# The turns that a mark is left of, by what was done to them.
_MAY_BE_LATENT = ("restart", "restart-question", "late-interrupt")

Cells = Mapping[CellId, State | str]
Drafts = Mapping[CellId, Draft | str]


@dataclass(frozen=True, slots=True)
class Start:
    """A start of a server: when, and whether it has answered a turn of its own since."""

    since: float
    answered: bool


def service_group(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    """The shared service is told to end, started, crashed with further declined turns on it, and started."""
    early = _reach(bench, [cell for cell in cells if cell[0] != "crash"], timing)
    bench.end_server("SIGTERM")
    of_file = _doctor_on_file(bench)
    first = _start(bench, early, timing)
    after = _look_again(bench, early)
    late = _reach(bench, [cell for cell in cells if cell[0] == "crash"], timing)
    bench.end_server("SIGKILL")
    second = _start(bench, late, timing)
    after |= _look_again(bench, late)
    latent = [s.prompted.session for (arm, _), s in _states(early).items() if arm in _MAY_BE_LATENT]
    drafts: dict[CellId, Draft | str] = {}
    for cell, state in (early | late).items():
        scene = after.get(cell)
        if isinstance(state, str) or scene is None:
            drafts[cell] = state if isinstance(state, str) else "the session could not be looked at again"
            continue
        start = second if cell in late else first
        again = sum(is_request(o) for o in bench.timeline.of(scene.prompted.session) if o.t > second.since)
        one = Restarted(state.before, scene, start.since, start.answered, again, state.marked, state.cured_s)
        if cell[0] == "restart":
            one = replace(one, answered=first.answered and second.answered)
        drafts[cell] = _draft(
            bench, state, _judge(cell[0], one, judge.in_file(state.before, of_file, latent))
        )
    return drafts


def _judge(arm: str, one: Restarted, in_file: ClaimOutcome) -> tuple[ClaimOutcome, ...]:
    if arm == "restart":
        return judge.restart(one, in_file)
    if arm == "cut-off":
        return judge.cut_off(one)
    if arm == "late-interrupt":
        return judge.late_interrupt(one)
    if arm in _RESUMED:
        return (judge.resumed(_RESUMED[arm], one),)
    if arm in _CURES:
        return (judge.cleared(_CURES[arm], one),)
    return (judge.not_resumed(_NOT_RESUMED[arm], one),)


def plain_group(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    """A plain server is started again, and ended once more; then somebody looks by the command line."""
    states = _reach(bench, cells, timing)
    bench.end_server("SIGTERM")
    first = _start(bench, {}, timing)
    ours = {state.prompted.session for state in _states(states).values()}
    bench.timeline.watch_all(lambda o: is_request(o) and o.subject in ours, timing.watch_s, after=first.since)
    after = _look_again(bench, states)
    looks = {
        cell: doctor_on(bench, state.prompted.session)
        for cell, state in _states(states).items()
        if cell[0] == "like-shutdown"
    }
    bench.end_server("SIGTERM")
    called = _call(bench, states, timing)
    bench.start_again()
    last = _look_again(bench, states)
    drafts: dict[CellId, Draft | str] = {}
    for cell, state in states.items():
        if isinstance(state, str) or cell not in after or cell not in last:
            drafts[cell] = state if isinstance(state, str) else "the session could not be looked at again"
            continue
        if cell[0] == "plain-restart":
            outcomes = judge.plain(Restarted(state.before, after[cell], first.since, first.answered))
        elif cell[0] == "command-line":
            one = Restarted(after[cell], last[cell], called.since, called.answered)
            outcomes = judge.command_line(one, called.started, called.ended)
        else:
            witness = judge.is_cut_off(after[cell])
            outcomes = not_reported("not-shutdown", witness, looks[cell], state.prompted.session)
        drafts[cell] = _draft(bench, state, outcomes)
    return drafts


def _reach(bench: Bench, cells: Sequence[CellId], timing: Timing) -> dict[CellId, State | str]:
    """Every cell's turn, brought to where the server may be ended."""

    def reach(cell: CellId) -> State:
        return STATES[cell[0]](bench, Place.of(bench, *cell), timing)

    return overlapping(cells, reach)


def _states(cells: Cells) -> dict[CellId, State]:
    return {cell: state for cell, state in cells.items() if isinstance(state, State)}


def _start(bench: Bench, cells: Cells, timing: Timing) -> Start:
    """Start the next server, wait until nothing is left for it to resume, and have it answer a turn."""
    since = bench.timeline.now()
    bench.start_again()
    states = _states(cells)
    sessions = {s.prompted.session for s in states.values()}
    cut_off = {s.prompted.session for (arm, _), s in states.items() if arm == "cut-off"}
    if sessions:
        wait_until(partial(_settled, bench, sessions, cut_off, since), timing.settle_s, every=_EVERY_S)
    marker = bench.prompt(Script(f"after-restart-{bench.timeline.count()}"), bench.project())
    bench.wait_idle(marker, timing.settle_s)
    return Start(since, True)


def _settled(bench: Bench, sessions: Collection[str], cut_off: Collection[str], since: float) -> bool:
    """No mark is left, nothing works, and each turn that the end cut off has been taken up."""
    if any(not _asked(bench, session, since) for session in cut_off):
        return False
    rows, active = marks(bench, sessions), bench.connection.reader.statuses()
    return not any(row.is_set for row in rows.values()) and not active.keys() & set(sessions)


def _asked(bench: Bench, session: str, since: float) -> bool:
    return bench.timeline.find(session, is_request, after=since) is not None


def _look_again(bench: Bench, cells: Cells) -> dict[CellId, Scene]:
    states = _states(cells)

    def again(cell: CellId) -> Scene:
        return look(bench, states[cell].prompted, states[cell].place.made)

    seen = overlapping(states, again)
    return {cell: scene for cell, scene in seen.items() if isinstance(scene, Scene)}


def _doctor_on_file(bench: Bench) -> Diagnosis | str:
    """What doctor makes of the database alone, while no server has it open."""
    try:
        return diagnose(Window(look_at_database(store_file(bench))), 0)
    except WedgedError as error:
        return str(error)


@dataclass(frozen=True, slots=True)
class _Called:
    since: float
    started: bool
    answered: bool
    ended: str


def _call(bench: Bench, cells: Cells, timing: Timing) -> _Called:
    """Look at a session by the command line while no server runs, and see what that starts."""
    sessions = {s.prompted.session for s in _states(cells).values()}
    released = bench.identity.line is Line.V2_RELEASED
    verb = ("session", "export", min(sessions, default="")) if released else ("api", "GET", "/api/session")
    since = bench.timeline.now()
    with start_command(bench, verb) as command:
        over = command.wait(timing.settle_s)
        left = wait_until(partial(_nothing_left, bench, command, sessions), timing.settle_s, every=_EVERY_S)
        started = command.service() is not None
        how = f"`{' '.join(verb[:2])}` ended with {over.returncode if over else 'nothing'}"
        return _Called(since, started, bool(left), how)


def _nothing_left(bench: Bench, command: Command, sessions: Collection[str]) -> bool:
    """The service that the command has started answers, and has no turn left to resume or at work."""
    service = command.service()
    if service is None or any(row.is_set for row in marks(bench, sessions).values()):
        return False
    try:
        with connect(service.url, password=service.password) as connection:
            return not connection.reader.statuses().keys() & set(sessions)
    except WedgedError:
        return False


def _draft(bench: Bench, state: State, outcomes: tuple[ClaimOutcome, ...]) -> Draft:
    return Draft(state.prompted, state.checks, outcomes, bench.timeline.now(), state.also)
