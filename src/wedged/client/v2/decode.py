"""V2's answers as facts. Pure. Every field that some version leaves out has a default."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from wedged.facts.process import Shell
from wedged.facts.session import MessageFacts, PartStatus, Retry, SessionFacts, Status, ToolPart

_MODEL = "assistant"
# Messages that mark something and that nobody said.
MARKS = ("idle", "agent-switched", "model-switched", "location-switched")


# What a released server writes into the history when it takes an interrupted turn up again.
_RESUMED = "Continuing after restart"


class Location(msgspec.Struct):
    """``GET /api/location``, and what a session or a list says of where it belongs."""

    directory: str = ""


class Time(msgspec.Struct):
    """Milliseconds since 1970."""

    created: float | None = None
    updated: float | None = None
    ran: float | None = None
    completed: float | None = None
    started: float | None = None
    idle: float | None = None


class Cursor(msgspec.Struct):
    """Where a list goes on. `next` is there after the last page, too: only an empty page ends a list."""

    next: str | None = None


class Session(msgspec.Struct):
    """One element of ``GET /api/session``. Its `outcome` is the one of the last turn that had one, also while
    a newer turn runs or after one that was declined: it qualifies `time.idle`, and nothing else."""

    id: str
    parent: str | None = msgspec.field(default=None, name="parentID")
    title: str | None = None
    time: Time = msgspec.field(default_factory=Time)
    location: Location = msgspec.field(default_factory=Location)
    fork: object = None
    outcome: object = ""


class OneSession(msgspec.Struct):
    """``GET /api/session/S``"""

    data: Session


class Sessions(msgspec.Struct):
    """``GET /api/session``"""

    data: list[Session]
    cursor: Cursor = msgspec.field(default_factory=Cursor)


class Running(msgspec.Struct):
    """One value of ``GET /api/session/active``"""

    type: str = ""


class Active(msgspec.Struct):
    """``GET /api/session/active``"""

    data: dict[str, Running]


class State(msgspec.Struct):
    """A tool call's state. A running one's `metadata` is empty, whether its work has begun or not."""

    status: str = ""
    input: object = None
    content: object = None
    error: object = None
    metadata: object = None


class Content(msgspec.Struct):
    """One piece of the model's message: text, reasoning or a call."""

    type: str = ""
    id: object = ""
    name: object = ""
    text: object = ""
    state: object = None
    time: object = None


class Message(msgspec.Struct):
    """One element of ``GET /api/session/S/message``"""

    id: str
    type: str = ""
    time: object = None
    content: list[Content] = []
    finish: object = ""
    error: object = None
    retry: object = None
    outcome: object = ""
    description: object = ""


class Messages(msgspec.Struct):
    """``GET /api/session/S/message``"""

    data: list[Message]
    cursor: Cursor = msgspec.field(default_factory=Cursor)


class Owner(msgspec.Struct):
    """What a shell's record says of itself."""

    session: object = msgspec.field(default="", name="sessionID")


class ListedShell(msgspec.Struct):
    """One element of ``GET /api/shell``"""

    id: str
    status: str = ""
    command: str = ""
    pid: int | None = None
    exit: float | None = None
    metadata: Owner = msgspec.field(default_factory=Owner)
    time: Time = msgspec.field(default_factory=Time)


class Shells(msgspec.Struct):
    """``GET /api/shell``"""

    data: list[ListedShell]


def session(wire: Session) -> SessionFacts:
    """A session without its messages; its status is another list's word."""
    return SessionFacts(
        id=wire.id,
        directory=wire.location.directory,
        status=Status.UNKNOWN,
        title=wire.title or "",
        parent_id=wire.parent or "",
        updated_ms=ms(wire.time.updated),
        # A service that gives up a crashed turn marks its end as failed, and leaves its call running.
        idle_ms=None if text(wire.outcome) == "failed" else ms(wire.time.idle),
        forked_from=text(wire.fork.get("sessionID")) if isinstance(wire.fork, dict) else "",
    )


def status(wire: Running | None) -> Status:
    """A session that is not in the list of the active is idle; a word that is new here is UNKNOWN."""
    if wire is None:
        return Status.IDLE
    return Status.BUSY if wire.type == "running" else Status.UNKNOWN


def spoken(messages: Sequence[Message]) -> list[Message]:
    """The messages that somebody said: marks left out."""
    return [message for message in messages if message.type not in MARKS]


def newest(messages: Sequence[Message]) -> MessageFacts | None:
    """The session's newest message, of messages oldest first; None where it has none."""
    said = spoken(messages)
    if not said:
        return None
    message = said[-1]
    time = _time(message.time)
    error = message.error
    return MessageFacts(
        id=message.id,
        from_model=message.type == _MODEL,
        complete=time.completed is not None,
        pieces=len(message.content),
        created_ms=ms(time.created),
        finish=text(message.finish),
        error=text(error.get("type")) if isinstance(error, dict) else "",
    )


def answers(messages: Sequence[Message]) -> int:
    """How many messages are the model's."""
    return sum(message.type == _MODEL for message in messages)


def retry(messages: Sequence[Message]) -> Retry | None:
    """The retry that an unfinished newest message waits for; None where it waits for none."""
    said = spoken(messages)
    if not said or not isinstance(said[-1].retry, dict) or _time(said[-1].time).completed is not None:
        return None
    wire = said[-1].retry
    at, attempt, error = wire.get("at"), wire.get("attempt"), wire.get("error")
    return Retry(
        attempt=attempt if isinstance(attempt, int) else 0,
        next_ms=ms(at) if isinstance(at, int | float) else None,
        message=text(error.get("message")) if isinstance(error, dict) else "",
    )


def outcome(messages: Sequence[Message]) -> str:
    """How the newest turn ended, by its own mark; "" while it runs, and where the server makes no mark."""
    if not messages or messages[-1].type != "idle":
        return ""
    return text(messages[-1].outcome)


def resumed_ms(messages: Sequence[Message]) -> int | None:
    """When the server last woke a turn after a restart, of messages oldest first. The preview leaves no word
    of that."""
    for message in reversed(messages):
        if message.type == "synthetic" and message.description == _RESUMED:
            return ms(_time(message.time).created)
    return None


def tool_part(call: Content, message_id: str, session_id: str) -> ToolPart:
    """One tool call. V2 gives it no id beside the call's own."""
    try:
        state = msgspec.convert(call.state, State)
    except msgspec.ValidationError:
        state = State()
    time = _time(call.time)
    begun = isinstance(state.metadata, dict) and bool(state.metadata)
    error = state.error
    return ToolPart(
        id=text(call.id),
        call_id=text(call.id),
        message_id=message_id,
        session_id=session_id,
        tool=text(call.name),
        status=_part_status(state.status),
        input=dict(state.input) if isinstance(state.input, dict) else {},
        output=_output(state.content),
        error=text(error.get("message")) if isinstance(error, dict) else text(error),
        start_ms=ms(time.ran if time.ran is not None else time.created),
        end_ms=ms(time.completed),
        started=True if begun else None,
    )


def tool_parts(messages: Sequence[Message], session_id: str) -> tuple[ToolPart, ...]:
    """Every tool call, in the order of the messages."""
    return tuple(
        tool_part(piece, message.id, session_id)
        for message in messages
        for piece in message.content
        if piece.type == "tool"
    )


def last_text(messages: Sequence[Message]) -> str:
    """The last text that the model wrote, of messages oldest first; "" when it wrote none."""
    for message in reversed(messages):
        if message.type == _MODEL:
            for piece in reversed(message.content):
                if piece.type == "text" and (said := text(piece.text)):
                    return said
    return ""


def with_messages(facts: SessionFacts, messages: Sequence[Message]) -> SessionFacts:
    """The session with what its messages say, oldest first."""
    said = spoken(messages)
    return replace(
        facts,
        parts=tool_parts(said, facts.id),
        message_count=len(said),
        last_text=last_text(said),
        answers=answers(said),
        newest=newest(said),
        retry=retry(said),
        outcome=outcome(messages),
        resumed_ms=resumed_ms(said),
    )


def shell(wire: ListedShell, directory: str, route: str) -> Shell:
    """A shell, as `route` listed it."""
    return Shell(
        id=wire.id,
        session_id=text(wire.metadata.session),
        directory=directory,
        command=wire.command,
        status=wire.status,
        pid=wire.pid,
        started_ms=ms(wire.time.started),
        exit=ms(wire.exit),
        listed_by=(route,),
    )


def text(value: object) -> str:
    """A text, "" for anything else."""
    return value if isinstance(value, str) else ""


def ms(value: float | None) -> int | None:
    """A whole number; None for what can't be one, which no server has business sending."""
    return int(value) if value is not None and abs(value) < 2**53 else None


def _time(wire: object) -> Time:
    try:
        return msgspec.convert(wire, Time)
    except msgspec.ValidationError:
        return Time()


def _output(content: object) -> str:
    pieces = content if isinstance(content, list) else []
    return "\n".join(text(piece.get("text")) for piece in pieces if isinstance(piece, dict))


def _part_status(word: str) -> PartStatus:
    try:
        return PartStatus(word)
    except ValueError:
        return PartStatus.UNKNOWN
