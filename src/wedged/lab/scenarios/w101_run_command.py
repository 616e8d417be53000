"""W101 on the command line: what `opencode run` does with an ask, alone and attached to a server."""

import re
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wedged.errors import DeadlinePassed, LabError
from wedged.facts.process import ProcessFacts
from wedged.facts.server import Line
from wedged.facts.session import ToolPart
from wedged.facts.trial import Lane, Observation
from wedged.lab.bench import Bench, Prompted
from wedged.lab.home import Home
from wedged.lab.keeper import Ended
from wedged.lab.probe import in_flight, probe, turns_asked
from wedged.lab.scenarios import w101_judgement as judge
from wedged.lab.scenarios.w101_cases import QUESTION, Scope, Turns, one_call, outside, stored, sub_agent
from wedged.lab.scenarios.w101_run_judgement import Judge, Ran, hangs, rejects, runs_it
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call, Script
from wedged.observe.database import look_at_database
from wedged.waiting import wait_for

# The flag has had two names, and the oldest versions have neither. A command that does not know a flag prints
# its help and ends.
_APPROVES = ("--auto", "--dangerously-skip-permissions")
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# A program that boots a server of its own takes several times as long to its first turn as a warm server.
_COLD = 3
_PRINTED = 2000
# Each start keeps a core busy for seconds, which would stretch the other trials' windows.
_STARTS = threading.BoundedSemaphore(2)
_MKDIR = one_call(outside)


@dataclass(frozen=True, slots=True)
class Command:
    """One arm. `attached`: to the bench's server, on a session made over HTTP; else a server of its own.

    `waits`: it is not expected to end by itself. With `auto` it is told to approve everything; one that waits
    all the same waits on what no flag approves, and goes without the flag where there is none.
    """

    arm: str
    judged: Judge
    turns: Turns = _MKDIR
    attached: bool = False
    auto: bool = False
    waits: bool = False

    @property
    def flags(self) -> tuple[str, ...]:
        """What to try in turn until the command knows it; "" for no flag."""
        return ((*_APPROVES, "") if self.waits else _APPROVES) if self.auto else ("",)


COMMANDS = (
    Command("run", rejects("run-rejects-by-itself", and_exits_0="run-exits-0")),
    Command("run-auto", runs_it("run-auto-runs-it"), auto=True),
    Command(
        "run-attached",
        rejects("run-attached-rejects-by-itself", seen_by_server=True),
        attached=True,
    ),
    Command(
        "run-attached-auto",
        runs_it("run-attached-auto-runs-it", seen_by_server=True),
        attached=True,
        auto=True,
    ),
    Command(
        "run-sub-agent",
        hangs("run-sub-agent-hangs"),
        sub_agent,
        attached=True,
        auto=True,
        waits=True,
    ),
    Command(
        "run-question",
        hangs("run-question-hangs"),
        one_call(lambda _: Call("question", QUESTION)),
        attached=True,
        auto=True,
        waits=True,
    ),
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a command runs: `arguments` go before its message, `env` is its whole environment."""

    home: Home
    directory: str
    env: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    session: str = ""


@dataclass(frozen=True, slots=True)
class _Started:
    """A command that asked the scripted model, or ended without."""

    process: ProcessFacts
    log: Path
    at: float
    asked: Observation | None

    @property
    def printed(self) -> str:
        """Its output so far, without colours."""
        return _COLOURS.sub("", self.log.read_text(errors="replace"))


def run_command(command: Command, bench: Bench, n: int, timing: Timing) -> Draft:
    """One trial of one arm."""
    name = f"w101-{command.arm}-{n}"
    keeper = bench.server.keeper
    with ExitStack() as stack:
        place = _attached(bench, name) if command.attached else _alone(bench, name, stack)
        scope = Scope(bench, name, Path(place.directory))
        scope.outside.mkdir()
        script = bench.model.learn(Script(name, command.turns(scope)))
        bench.model.attribute(script, place.session or name)
        with _STARTS:
            started = _start(command, bench, place, script, timing)
        stack.callback(keeper.end_tree, started.process)
        if started.asked is None:
            tried = ", ".join(filter(None, command.flags))
            last = started.printed.strip().rpartition("\n")[2]
            raise LabError(f"`opencode run {tried}` ended without asking the model; its last line: {last}")
        session = place.session or started.asked.subject
        prompted = Prompted(session, place.directory, script, started.at)
        ended = _await_end(command, bench, prompted, started, timing)
        made = (scope.outside / "a").exists()
        bench.timeline.add(Lane.FILE, "folder made" if made else "folder missing", session)
        bench.timeline.add(
            Lane.PROCESS,
            "opencode run goes on" if ended is None else "opencode run has ended",
            session,
            returncode=ended.returncode if ended else None,
            printed=started.printed[:_PRINTED],
        )
        ran, also = _look(bench, prompted, place, started, ended, made)
        return Draft(
            prompted,
            (stored(ran.part, script.turns[0].calls[0]),),
            command.judged(ran),
            bench.timeline.now(),
            also,
        )


RUN_COMMAND: dict[str, Callable[[Bench, int, Timing], Draft]] = {
    command.arm: partial(run_command, command) for command in COMMANDS
}


def _attached(bench: Bench, name: str) -> _Place:
    directory = bench.project("runs-attached")
    session = bench.connection.actor.create_session(directory=directory, title=name)
    v1 = bench.identity.line is Line.V1
    variable = "OPENCODE_SERVER_PASSWORD" if v1 else "OPENCODE_PASSWORD"
    password = {variable: bench.server.password} if bench.server.password else {}
    to_it = ("--attach", bench.server.url, "--dir", directory) if v1 else ("--server", bench.server.url)
    return _Place(bench.home, directory, bench.home.env | password, (*to_it, "--session", session), session)


def _alone(bench: Bench, name: str, stack: ExitStack) -> _Place:
    """A home of its own: in the bench's it would open the same store as the bench's server."""
    keeper = bench.server.keeper
    home = Home(keeper.make_home(name))
    stack.callback(keeper.drop_home, home.root)
    directory = home.project("project", model_url=bench.model.url)
    for path, called in ((directory, "/project"), (home.root, "/home")):
        bench.normaliser.add(str(path), called)
    # Without the flag V2 would start its shared service, which outlives the command.
    alone = () if bench.identity.line is Line.V1 else ("--standalone",)
    return _Place(home, str(directory), home.env, alone)


def _start(command: Command, bench: Bench, place: _Place, script: Script, timing: Timing) -> _Started:
    """Until it asks the model. Where it ends before that, the next flag is tried."""
    keeper = bench.server.keeper
    for number, flag in enumerate(command.flags):
        log = place.home.logs / f"{script.name}-{number}.log"
        message = f"Do what the script says. {script.mark}"
        argv = [*bench.installed.argv, "run", *place.arguments, *filter(None, [flag]), message]
        at = bench.timeline.now()
        process = keeper.spawn(argv, env=place.env, cwd=Path(place.directory), log=log)
        try:
            asked, _ = wait_for(
                lambda process=process: _asked_or_ended(bench, script, process),  # type: ignore[misc]
                "`opencode run` to ask the model or to end",
                _COLD * timing.settle_s,
                every=0.1,
            )
        except BaseException:
            keeper.end_tree(process)
            raise
        if asked:
            break
    return _Started(process, log, at, asked)


def _asked_or_ended(
    bench: Bench, script: Script, process: ProcessFacts
) -> tuple[Observation | None, Ended | None] | None:
    # The process first: what asks and ends between two looks has still asked.
    ended = bench.server.keeper.ended(process)
    asked = next(
        (o for o in turns_asked(bench.timeline.everything()) if o.data["script"] == script.name), None
    )
    return (asked, ended) if asked or ended else None


def _await_end(
    command: Command, bench: Bench, prompted: Prompted, started: _Started, timing: Timing
) -> Ended | None:
    """How it ended; None where it did not in the time that it was given, from the ask on if it waits."""
    if command.waits:
        bench.timeline.watch_all(
            lambda o: judge.is_asked(o) and prompted.script.name in str(o.data), timing.settle_s
        )
    seconds = timing.bound_s if command.waits else timing.settle_s
    try:
        return wait_for(
            lambda: bench.server.keeper.ended(started.process), "`opencode run` to end", seconds, every=0.1
        )
    except DeadlinePassed:
        return None


def _look(
    bench: Bench, prompted: Prompted, place: _Place, started: _Started, ended: Ended | None, made: bool
) -> tuple[Ran, tuple[str, ...]]:
    """What there is to see, and the sub-agents' sessions."""
    seconds = round(bench.timeline.now() - started.at, 3)
    call_id = prompted.script.call_id(0, 0)
    if not place.session:
        bench.server.keeper.end_tree(started.process)
        stored_parts = _stored_parts(place.home, prompted.session)
        part = next((p for p in stored_parts if p.call_id == call_id), None)
        seen = bench.timeline.of(prompted.session)
        turns = len(turns_asked(seen))
        return Ran(seconds, ended, started.printed, part, made, turns, in_flight(seen)), ()
    look = probe(bench, prompted)
    children = tuple(child.id for child in look.children)
    replies = tuple(
        str(o.data.get("reply", o.kind))
        for session in (prompted.session, *children)
        for o in bench.timeline.of(session)
        if o.lane is Lane.ASK and not judge.is_asked(o)
    )
    ran = Ran(
        seconds,
        ended,
        started.printed,
        look.part(call_id),
        made,
        look.turns,
        look.in_flight,
        look.session.status,
        (*look.asks, *look.child_asks),
        replies,
    )
    return ran, children


def _stored_parts(home: Home, session: str) -> tuple[ToolPart, ...]:
    """The session's calls in the store of a home in which nothing runs any more; none where it has no store.

    Raises:
        CannotLook: it has one that can't be read.
    """
    found = sorted((Path(home.env["XDG_DATA_HOME"]) / "opencode").glob("opencode*.db"))
    seen = look_at_database(found[0], [session]).session(session) if found else None
    return seen.parts if seen else ()
