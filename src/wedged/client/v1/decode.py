"""V1's answers as facts. Pure. Every field that some version leaves out has a default."""

import msgspec

from wedged.facts.ask import Ask, AskKind
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart


class OpenApi(msgspec.Struct):
    """``GET /doc``, of which only the paths' names matter."""

    paths: dict[str, msgspec.Raw]


class Paths(msgspec.Struct):
    """``GET /path``"""

    directory: str


class Time(msgspec.Struct):
    """Milliseconds since 1970. Some versions write fractions."""

    created: float | None = None
    updated: float | None = None
    start: float | None = None
    end: float | None = None


class Session(msgspec.Struct):
    """One element of ``GET /session``"""

    id: str
    directory: str = ""
    title: str = ""
    parent: str | None = msgspec.field(default=None, name="parentID")
    time: Time = msgspec.field(default_factory=Time)


class SessionStatus(msgspec.Struct):
    """One value of ``GET /session/status``"""

    type: str


class State(msgspec.Struct):
    """A tool part's state. `metadata` appears when a shell has started, so a missing one is told apart."""

    status: str = ""
    input: object = None
    output: object = None
    error: object = None
    metadata: object = msgspec.UNSET
    time: Time | None = None


class Part(msgspec.Struct):
    """One part of a message; only text and tool parts have more than a type."""

    type: str = ""
    id: str = ""
    call: str = msgspec.field(default="", name="callID")
    message: str = msgspec.field(default="", name="messageID")
    session: str = msgspec.field(default="", name="sessionID")
    tool: object = ""
    text: object = ""
    state: object = None


class Info(msgspec.Struct):
    """A message without its parts."""

    id: str
    role: str = ""


class Message(msgspec.Struct):
    """One element of ``GET /session/S/message``"""

    info: Info
    parts: list[Part] = []


class Tool(msgspec.Struct):
    """Which call an ask belongs to."""

    message: str = msgspec.field(default="", name="messageID")
    call: str = msgspec.field(default="", name="callID")


class Permission(msgspec.Struct):
    """One element of ``GET /permission``"""

    id: str
    session: str = msgspec.field(name="sessionID")
    permission: str = ""
    patterns: list[str] = []
    metadata: object = None
    always: list[str] = []
    tool: Tool | None = None


class Question(msgspec.Struct):
    """One element of ``GET /question``. What is asked is the user's business and is not kept."""

    id: str
    session: str = msgspec.field(name="sessionID")
    tool: Tool | None = None


class Listed(msgspec.Struct):
    """One element of ``GET /api/session/S/permission``, which speaks V2's words."""

    id: str
    session: str = msgspec.field(default="", name="sessionID")
    action: str = ""
    resources: list[str] = []
    source: Tool | None = None


class ListedAsks(msgspec.Struct):
    """``GET /api/session/S/permission``"""

    data: list[Listed]


def session(wire: Session) -> SessionFacts:
    """A session without its messages; its status is another list's word."""
    return SessionFacts(
        id=wire.id,
        directory=wire.directory,
        status=Status.UNKNOWN,
        title=wire.title,
        parent_id=wire.parent or "",
        updated_ms=_ms(wire.time.updated),
    )


def status(wire: SessionStatus) -> Status:
    """A word that is new here is UNKNOWN, not an error."""
    try:
        return Status(wire.type)
    except ValueError:
        return Status.UNKNOWN


def tool_part(part: Part) -> ToolPart:
    """One tool call."""
    try:
        state = msgspec.convert(part.state, State)
    except msgspec.ValidationError:
        state = State()
    time = state.time or Time()
    return ToolPart(
        id=part.id,
        call_id=part.call,
        message_id=part.message,
        session_id=part.session,
        tool=_text(part.tool),
        status=_part_status(state.status),
        input=dict(state.input) if isinstance(state.input, dict) else {},
        output=_text(state.output),
        error=_text(state.error),
        start_ms=_ms(time.start),
        end_ms=_ms(time.end),
        started=state.metadata is not msgspec.UNSET,
    )


def tool_parts(messages: list[Message]) -> tuple[ToolPart, ...]:
    """Every tool call, oldest first."""
    return tuple(tool_part(part) for message in messages for part in message.parts if part.type == "tool")


def last_text(messages: list[Message]) -> str:
    """The last text that the model wrote, "" when it wrote none."""
    for message in reversed(messages):
        if message.info.role == "assistant":
            for part in reversed(message.parts):
                if part.type == "text" and (text := _text(part.text)):
                    return text
    return ""


def permission(wire: Permission, directory: str, route: str) -> Ask:
    """A permission request, as `route` listed it."""
    command = wire.metadata.get("command") if isinstance(wire.metadata, dict) else None
    return Ask(
        id=wire.id,
        kind=AskKind.PERMISSION,
        session_id=wire.session,
        action=wire.permission,
        resources=tuple(wire.patterns),
        call_id=wire.tool.call if wire.tool else "",
        message_id=wire.tool.message if wire.tool else "",
        directory=directory,
        command=_text(command),
        always=tuple(wire.always),
        listed_by=(route,),
    )


def question(wire: Question, directory: str, route: str) -> Ask:
    """A question, as `route` listed it."""
    return Ask(
        id=wire.id,
        kind=AskKind.QUESTION,
        session_id=wire.session,
        action="question",
        resources=(),
        call_id=wire.tool.call if wire.tool else "",
        message_id=wire.tool.message if wire.tool else "",
        directory=directory,
        listed_by=(route,),
    )


def listed(wire: Listed, session_id: str, directory: str, route: str) -> Ask:
    """A permission request in the newer engine's words."""
    return Ask(
        id=wire.id,
        kind=AskKind.PERMISSION,
        session_id=wire.session or session_id,
        action=wire.action,
        resources=tuple(wire.resources),
        call_id=wire.source.call if wire.source else "",
        message_id=wire.source.message if wire.source else "",
        directory=directory,
        listed_by=(route,),
    )


def _part_status(text: str) -> PartStatus:
    try:
        return PartStatus(text)
    except ValueError:
        return PartStatus.UNKNOWN


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _ms(value: float | None) -> int | None:
    # Infinity can't be made an int; no server has business sending it.
    return int(value) if value is not None and abs(value) < 2**53 else None
