"""What a server says of one session."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Whether a session's turn is being worked on, by the server's own word."""

    BUSY = "busy"
    RETRY = "retry"
    IDLE = "idle"
    UNKNOWN = "unknown"


class PartStatus(StrEnum):
    """State of a tool call. V1 says ``pending``, V2 ``streaming`` for a call still being written by the model."""

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


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """One session as one look saw it. `parts` holds its tool calls, oldest first."""

    id: str
    directory: str
    status: Status
    title: str = ""
    parent_id: str = ""
    updated_ms: int | None = None
    parts: tuple[ToolPart, ...] = ()
    message_count: int = 0
    last_text: str = ""

    @property
    def unfinished(self) -> tuple[ToolPart, ...]:
        """The tool calls that are not terminal."""
        return tuple(part for part in self.parts if not part.status.terminal)
