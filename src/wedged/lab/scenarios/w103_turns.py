"""Bringing a turn to the point where it asks, and what is then done to it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wedged.errors import LabError
from wedged.facts.ask import Ask, AskKind
from wedged.facts.recovery import Action, Target
from wedged.facts.trial import Lane, Observation
from wedged.lab.bench import Bench, Prompted, shell
from wedged.lab.turns import Call, Script, Turn
from wedged.waiting import wait_for

FEEDBACK = "Use the build script instead."
QUESTION = {
    "questions": [
        {
            "question": "Which way?",
            "header": "Way",
            "options": [
                {"label": "left", "description": "Go left"},
                {"label": "right", "description": "Go right"},
            ],
        }
    ]
}
# A command that begins so is asked for, every other one runs.
_GATED = "touch"


@dataclass(frozen=True, slots=True)
class Place:
    """Names of one trial's own. `made` is the file that its gated command makes."""

    bench: Bench
    name: str
    directory: str

    @classmethod
    def of(cls, bench: Bench, arm: str, n: int) -> "Place":
        """Trial `n` of `arm`, in the project whose config asks."""
        return cls(bench, f"w103-{arm}-{n}", asking_project(bench))

    @property
    def made(self) -> Path:
        """The witness that the gated command has run."""
        return Path(self.directory, f"{self.name}.ran")

    @property
    def go(self) -> Path:
        """What a waiting sibling waits for."""
        return Path(self.directory, f"{self.name}.go")

    def gated(self, suffix: str = "ran") -> Call:
        """The call that asks before it runs."""
        return self.command(f"{_GATED} {self.name}.{suffix}")

    @property
    def sleeper_mark(self) -> str:
        """How a sleeper's command line ends: no other trial's ends so."""
        return f": {self.name}."

    def sleeper(self, **more: object) -> Call:
        """A call that runs without being asked for, until `go` is there."""
        line = f"until [ -e {self.go.name} ]; do sleep 0.2; done; {self.sleeper_mark}"
        return Call(self.bench.shell_tool, shell(line) | {"timeout": 600_000} | more)

    def command(self, line: str) -> Call:
        """A shell call."""
        return Call(self.bench.shell_tool, shell(line))

    def prompt(self, *calls: Call, **turn: float) -> Prompted:
        """A session whose model makes these calls in one response."""
        script = Script(self.name, (Turn(calls=calls, **turn),))  # type: ignore[arg-type]
        return self.bench.prompt(script, self.directory)


def asking_project(bench: Bench) -> str:
    """The directory in which one kind of command is asked for."""
    return bench.project("asks", permission={"bash": {"*": "allow", f"{_GATED} *": "ask"}})


def is_asked(o: Observation) -> bool:
    """The server asks somebody something."""
    return o.lane is Lane.ASK and o.kind in ("permission.asked", "form.created")


def is_request(o: Observation) -> bool:
    """The model is asked for a turn."""
    return o.lane is Lane.MODEL and o.kind == "request" and bool(o.data["offers_tools"])


def await_asks(bench: Bench, session: str, seconds: float, count: int = 1) -> tuple[Ask, ...]:
    """The session's pending asks, once there are `count`.

    Raises:
        DeadlinePassed: it did not ask in time, or its list never held that many.
    """
    bench.timeline.wait_for(session, is_asked, "the session to ask", seconds)

    def listed() -> tuple[Ask, ...] | None:
        asks = bench.connection.reader.session_asks(session)
        return asks if len(asks) == count else None

    return wait_for(listed, f"{count} asks of the session to be listed", seconds)


# What is done to a turn that asks. Each returns when it is sent.
Deed = Callable[[Bench, Prompted, Ask], None]


def approve(bench: Bench, prompted: Prompted, ask: Ask) -> None:
    """Let the call run, once."""
    _send(bench, prompted, Action.REPLY_ONCE, ask)


def decline(bench: Bench, prompted: Prompted, ask: Ask) -> None:
    """Reject the request or dismiss the question, without a word."""
    _send(bench, prompted, Action.REPLY_REJECT, ask)


def decline_with_message(bench: Bench, prompted: Prompted, ask: Ask) -> None:
    """Reject the request with a message."""
    _send(bench, prompted, Action.REPLY_REJECT_MESSAGE, ask)


def interrupt(bench: Bench, prompted: Prompted, ask: Ask) -> None:
    """End the turn, and its ask with it."""
    _send(bench, prompted, Action.ABORT, ask)


def answer(bench: Bench, prompted: Prompted, ask: Ask) -> None:
    """Answer the question."""
    with bench.timeline.call(prompted.session, "answer"):
        bench.connection.actor.answer(ask.id, [["left"]], session_id=prompted.session)


def no_fault(bench: Bench, prompted: Prompted, ask: Ask) -> None:
    """A fault that does nothing: one of the dead-man's three."""


def _send(bench: Bench, prompted: Prompted, action: Action, ask: Ask) -> None:
    if action is Action.REPLY_ONCE and ask.kind is not AskKind.PERMISSION:
        raise LabError("a question is answered, not approved")
    message = FEEDBACK if action is Action.REPLY_REJECT_MESSAGE else ""
    actor = bench.connection.actor
    target = Target(ask.session_id, prompted.directory, ask.id, message)
    with bench.timeline.call(prompted.session, action.value):
        actor.send(actor.request(action, target))


def end_turn(bench: Bench, session: str) -> None:
    """Leave nothing at work that would disturb another trial."""
    with bench.timeline.call(session, "abort"):
        bench.connection.actor.abort(session)
