"""What a notebook does with a pending ask beside answering it: watch it go, and answer it too late."""

from pathlib import Path

from wedged.errors import ServerSaidNo
from wedged.facts.ask import Ask
from wedged.facts.recovery import Action
from wedged.facts.shown import Shown, table
from wedged.facts.trial import Lane
from wedged.lab import gated
from wedged.lab.lesson import Lesson
from wedged.lab.scenarios.w102_stage import pending
from wedged.lab.turns import Script, Turn
from wedged.waiting import wait_for

_IDLE_S = 30.0
_WATCH_S = 2.0
_TURN_S = 10.0


def settle(lesson: Lesson, *sessions: str) -> None:
    """Give what was done its time: until each session's call has ended, and then its turn; 2 s at most where
    no call ends."""
    timeline = lesson.bench.timeline
    asked = {s: max(o.t for o in timeline.of(s) if o.lane is Lane.ASK) for s in sessions}
    for session in sessions:
        ended = timeline.watch(
            session,
            lambda o: o.lane is Lane.PART and o.kind in ("error", "completed"),
            _WATCH_S,
            after=asked[session],
        )
        if ended:
            timeline.watch(
                session,
                lambda o: o.lane is Lane.STATUS and o.kind == "idle",
                _TURN_S,
                after=asked[session],
            )


def ask_events(lesson: Lesson, *sessions: str) -> Shown:
    """Every event of these sessions that names an ask, in the order in which they came."""
    rows = []
    for session in sessions:
        for o in lesson.bench.timeline.of(session):
            if o.lane is Lane.ASK:
                says = str(o.data.get("reply", o.data.get("permission", o.data.get("action", ""))))
                rows.append((lesson.readable(session), o.kind, lesson.readable(str(o.data["ask"])), says))
    return table(("session", "event", "ask", "says"), rows)


def late_reply(lesson: Lesson, ask: Ask, action: Action = Action.REPLY_ONCE) -> int:
    """Answer an ask that may be gone, print what the server says to that, and return the HTTP status."""
    try:
        lesson.act(action, ask)
    except ServerSaidNo as error:
        words = f"{error.status} {error.tag}: {error}"
        print(lesson.readable(f"reply to {ask.id}\n→ {words}\n"))  # noqa: T201
        return error.status
    return 200


def told_to_write(lesson: Lesson, name: str, *, inside: bool = False) -> str:
    """Have the model write the file `name`.txt outside the project; what the prompt must carry.

    With `write` on every line: what a shell does when it is approved too late is a race. `inside`: in the
    project, which no server asks about.
    """
    bench = lesson.bench
    folder = Path(lesson.directory) if inside else bench.home.outside
    call = gated.on_file(bench.identity.line, "write", folder / f"{name}.txt", content="made\n")
    return bench.model.learn(Script(name, (Turn(calls=(call,)),))).mark


def told_to_delegate(lesson: Lesson, name: str, *, inside: bool = False) -> str:
    """Have the model start a sub-agent that is told to write, as `told_to_write`."""
    bench = lesson.bench
    inner = told_to_write(lesson, f"{name}-sub", inside=inside)
    order = gated.sub_agent(bench.identity.line, f"Do it. {inner}")
    return bench.model.learn(Script(name, (Turn(calls=(order,)),))).mark


def sub_agent_of(lesson: Lesson, session: str) -> str:
    """The session of the sub-agent that this one has started, once its ask is listed.

    Raises:
        DeadlinePassed: it did not ask within 30 s.
    """
    bench = lesson.bench
    reader = bench.connection.reader

    def asks() -> str:
        for child in reader.children(session, lesson.directory):
            if pending(bench, child.id, lesson.directory):
                return child.id
        return ""

    return wait_for(asks, "the sub-agent to ask", _IDLE_S)
