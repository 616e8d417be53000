"""V1's answers as facts. Pure. Every field that some version leaves out has a default."""

from dataclasses import replace

import msgspec

from wedged.facts.ask import Ask, AskKind
from wedged.facts.session import MessageFacts, PartStatus, Retry, SessionFacts, Status, ToolPart

# Parts that mark a step's edges and are nothing that the model said.
_FRAME = ("step-start", "step-finish", "snapshot", "patch")


class Paths(msgspec.Struct):
    """``GET /path``"""

    directory: str


class Time(msgspec.Struct):
    """Milliseconds since 1970. Some versions write fractions."""

    created: float | None = None
    updated: float | None = None
    start: float | None = None
    end: float | None = None
    completed: float | None = None


class Session(msgspec.Struct):
    """One element of ``GET /session``"""

    id: str
    directory: str = ""
    title: str = ""
    parent: str | None = msgspec.field(default=None, name="parentID")
    time: Time = msgspec.field(default_factory=Time)


class SessionStatus(msgspec.Struct):
    """One value of ``GET /session/status``; a retrying one says more."""

    type: str
    attempt: object = None
    message: object = None
    next: object = None


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
    metadata: object = msgspec.UNSET


class Info(msgspec.Struct):
    """A message without its parts."""

    id: str
    role: str = ""
    time: object = None
    finish: object = ""
    error: object = None


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
    """One element of ``GET /question``"""

    id: str
    session: str = msgspec.field(name="sessionID")
    questions: object = None
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


def retry(wire: SessionStatus | None) -> Retry | None:
    """The retry that a session waits for; None where it waits for none."""
    if wire is None or status(wire) is not Status.RETRY:
        return None
    due = wire.next if isinstance(wire.next, int | float) else None
    return Retry(
        attempt=wire.attempt if isinstance(wire.attempt, int) else 0,
        next_ms=_ms(due),
        message=_text(wire.message),
    )


def newest(messages: list[Message]) -> MessageFacts | None:
    """The session's newest message; None where it has none."""
    if not messages:
        return None
    message = messages[-1]
    try:
        time = msgspec.convert(message.info.time, Time)
    except msgspec.ValidationError:
        time = Time()
    error = message.info.error
    return MessageFacts(
        id=message.info.id,
        from_model=message.info.role == "assistant",
        complete=time.completed is not None,
        pieces=sum(part.type not in _FRAME for part in message.parts),
        created_ms=_ms(time.created),
        finish=_text(message.info.finish),
        error=_text(error.get("name")) if isinstance(error, dict) else "",
    )


def answers(messages: list[Message]) -> int:
    """How many messages are the model's."""
    return sum(message.info.role == "assistant" for message in messages)


def tool_part(part: Part) -> ToolPart:
    """One tool call."""
    try:
        state = msgspec.convert(part.state, State)
    except msgspec.ValidationError:
        state = State()
    time, status = state.time or Time(), _part_status(state.status)
    return ToolPart(
        id=part.id,
        call_id=part.call,
        message_id=part.message,
        session_id=part.session,
        tool=_text(part.tool),
        status=status,
        input=dict(state.input) if isinstance(state.input, dict) else {},
        output=_text(state.output),
        error=_text(state.error),
        start_ms=_ms(time.start),
        end_ms=_ms(time.end),
        started=state.metadata is not msgspec.UNSET,
        wire={} if status.terminal else _whole(part),
    )


def _whole(part: Part) -> dict[str, object]:
    """A tool part as the server takes it back: what a provider keeps in it (a signature) stays with it."""
    return {key: value for key, value in msgspec.to_builtins(part).items() if key != "text"}


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


def with_messages(facts: SessionFacts, messages: list[Message]) -> SessionFacts:
    """The session with what its messages say, oldest first."""
    return replace(
        facts,
        parts=tool_parts(messages),
        message_count=len(messages),
        last_text=last_text(messages),
        answers=answers(messages),
        newest=newest(messages),
    )


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
        words=_questions(wire.questions),
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


def _questions(wire: object) -> str:
    """Each question with the labels it offers: ``Which one? (left | right)``."""
    said = []
    for one in wire if isinstance(wire, list) else []:
        if isinstance(one, dict) and (question := _text(one.get("question"))):
            options = one.get("options")
            labels = [
                _text(option.get("label"))
                for option in (options if isinstance(options, list) else [])
                if isinstance(option, dict)
            ]
            said.append(f"{question} ({' | '.join(labels)})" if labels else question)
    return "; ".join(said)


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
