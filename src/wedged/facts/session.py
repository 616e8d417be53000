"""What a server says of one session."""

from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """Whether a session's turn is being worked on, by the server's own word."""

    BUSY = "busy"
    RETRY = "retry"
    IDLE = "idle"
    UNKNOWN = "unknown"


class PartStatus(StrEnum):
    """State of a tool call. A call that the model still writes is ``pending`` on V1, ``streaming`` on V2."""

    PENDING = "pending"
    STREAMING = "streaming"
    RUNNING = "running"
    COMPLETED = "completed"
    ERROR = "error"
    UNKNOWN = "unknown"

    @property
    def terminal(self) -> bool:
        """Whether this call will never change again."""
        return self in (PartStatus.COMPLETED, PartStatus.ERROR)


@dataclass(frozen=True, slots=True)
class ToolPart:
    """One tool call of an assistant message (V1: tool part, V2: tool content).

    Times are the server's wall clock in milliseconds since 1970, None where the server gives none.
    `started` says whether the tool's own work has begun: on V1 a shell that has been spawned carries
    ``state.metadata``, one that still waits for a permission does not (None: the dialect does not tell).
    `wire` is an unfinished call as the server gave it, for a dialect that takes it back whole; else empty.
    """

    id: str
    call_id: str
    message_id: str
    session_id: str
    tool: str
    status: PartStatus
    input: dict[str, object]
    output: str = ""
    error: str = ""
    start_ms: int | None = None
    end_ms: int | None = None
    started: bool | None = None
    wire: dict[str, object] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """A session's newest message without its contents.

    `from_model` tells the model's from a person's; an answer of the model is `complete` once its step has
    ended. `pieces` counts what it holds so far (texts, calls, thoughts), `finish` is the model's own reason
    for ending it ("" for none), `error` the server's name for what broke it.
    """

    id: str
    from_model: bool
    complete: bool
    pieces: int
    created_ms: int | None = None
    finish: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Retry:
    """A model request that failed and will be sent again: how often so far, when (the server's wall clock,
    milliseconds since 1970), and why in the model's words."""

    attempt: int
    next_ms: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """One session as one look saw it. `parts` holds its tool calls, oldest first.

    `answers` counts the model's messages: V1 writes one for each request to the model.
    `outcome` is the server's word for how the newest turn ended ("" where it gave none, or has no such word:
    only a released V2 has), `suspended_ms` when a turn was marked for resumption after a restart (None: no
    mark, or a source that does not show marks; `shows_suspended` tells which), `resume_attempts` how often it
    was resumed since.
    `forked_from` is the session whose messages it began with as copies ("" for none), `resumed_ms` when the
    server last woke a turn of it after a restart (None: never, or it leaves no word of that), `idle_ms` when
    it last marked the end of one (None: never, or it makes no such mark: only a released V2 does).
    """

    id: str
    directory: str
    status: Status
    title: str = ""
    parent_id: str = ""
    updated_ms: int | None = None
    parts: tuple[ToolPart, ...] = ()
    message_count: int = 0
    last_text: str = ""
    answers: int = 0
    newest: MessageFacts | None = None
    retry: Retry | None = None
    outcome: str = ""
    suspended_ms: int | None = None
    shows_suspended: bool = False
    resume_attempts: int = 0
    forked_from: str = ""
    resumed_ms: int | None = None
    idle_ms: int | None = None

    @property
    def works(self) -> bool:
        """Whether the server says that a turn of it runs."""
        return self.status in (Status.BUSY, Status.RETRY)

    @property
    def unfinished(self) -> tuple[ToolPart, ...]:
        """The tool calls that are not terminal."""
        return tuple(part for part in self.parts if not part.status.terminal)
