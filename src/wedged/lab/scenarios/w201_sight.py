"""One trial's session after a crash, looked at through every channel at one moment."""

from collections.abc import Iterable
from dataclasses import dataclass

from wedged.client import Connection
from wedged.client.protocols import Reader
from wedged.client.v1 import routes as v1
from wedged.client.v2 import routes as v2
from wedged.errors import LabError, ServerSaidNo
from wedged.facts.process import ProcessFacts
from wedged.facts.recovery import Request
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.trial import Lane
from wedged.lab.bench import Bench, Prompted, shell
from wedged.lab.probe import turns_asked
from wedged.lab.turns import Call, Script, Turn

_LONG_S = 600


@dataclass(frozen=True, slots=True)
class Sight:
    """`t` is when the look began, seconds on the timeline. `session` is None where the server has it no more.

    `part` is the trial's first call. `alive` are the processes that carry the trial's name, whoever their
    parent is now (none where processes were not looked at); `turns` counts the model's requests for a turn
    of the session.
    """

    t: float
    session: SessionFacts | None
    part: ToolPart | None
    alive: tuple[ProcessFacts, ...]
    turns: int

    @property
    def idle(self) -> bool:
        """Whether the server says that nothing works on the session."""
        return self.session is not None and self.session.status is Status.IDLE

    @property
    def stale(self) -> bool:
        """Nothing works on the session, and its call has not ended."""
        return self.idle and self.part is not None and not self.part.status.terminal

    @property
    def settled(self) -> bool:
        """Nothing works on the session, and its call has ended as an error."""
        return self.idle and self.part is not None and self.part.status is PartStatus.ERROR

    @property
    def words(self) -> str:
        """What was seen, in one line."""
        status = self.session.status.value if self.session else "gone"
        return f"session {status}, call {self.part.status.value if self.part else 'gone'}"


def sight(
    bench: Bench, prompted: Prompted, reader: Reader | None = None, *, processes: bool = False
) -> Sight:
    """Look now, through the bench's connection or through `reader`; at processes only where told to."""
    at, asked = bench.timeline.now(), reader or bench.connection.reader
    try:
        session = asked.session(prompted.session, prompted.directory)
    except ServerSaidNo as error:
        if error.status != 404:
            raise
        session = None
    call = prompted.script.call_id(0, 0)
    parts = session.parts if session else ()
    look = Sight(
        t=at,
        session=session,
        part=next((part for part in parts if part.call_id == call), None),
        alive=carrying(bench, prompted.script.name) if processes else (),
        turns=len(turns_asked(bench.timeline.of(prompted.session))),
    )
    bench.timeline.add(
        Lane.CLIENT,
        "looked",
        prompted.session,
        session=session.status.value if session else "not there",
        parts=[{"call": p.call_id, "tool": p.tool, "status": p.status.value} for p in parts],
        processes=[" ".join(process.argv) for process in look.alive],
        turns=look.turns,
    )
    return look


def carrying(bench: Bench, name: str) -> tuple[ProcessFacts, ...]:
    """The processes of the shell that carries this name, that any incarnation has started and that run."""
    return of_call(family(bench), name)


def of_call(processes: Iterable[ProcessFacts], name: str) -> tuple[ProcessFacts, ...]:
    """Those of the processes that are the shell of the call of this name: its command line ends with it."""
    return tuple(p for p in processes if p.argv and p.argv[-1].rstrip().endswith(f": {name}"))


def family(bench: Bench) -> tuple[ProcessFacts, ...]:
    """Everything that any incarnation of the server ever started and that still runs."""
    found = {p.pid: p for life in bench.incarnations for p in life.server.family()}
    return tuple(found.values())


def raw_messages(bench: Bench, prompted: Prompted, connection: Connection | None = None) -> object:
    """The session's messages as the bench's server, or the one of `connection`, answers them now."""
    path = (
        v1.scoped(v1.messages(prompted.session), prompted.directory)
        if bench.identity.line is Line.V1
        else v2.messages(prompted.session)
    )
    return (connection or bench.connection).actor.send(Request("GET", path))


def long_call(bench: Bench, name: str, command: str = "echo hello; sleep 590") -> Call:
    """The trigger's call: a command that says a word and then takes ten minutes."""
    return Call(bench.shell_tool, shell(f"{command}; : {name}") | {"timeout": _LONG_S * 1000})


def long_script(bench: Bench, name: str) -> Script:
    """One such call, and a turn after it."""
    return Script(name, (Turn(calls=(long_call(bench, name),)),))


def unwritten_script(bench: Bench, name: str) -> Script:
    """A call that the model begins to write and never ends."""
    call = Call(bench.shell_tool, shell(f"echo hello; : {name} {'x' * 400}"))
    return Script(name, (Turn(calls=(call,), rate=200.0, stall_after=10),))


def the_part(look: Sight) -> ToolPart:
    """The trial's call.

    Raises:
        LabError: the session has it no more.
    """
    if look.part is None:
        raise LabError("the call is not in the session any more")
    return look.part
