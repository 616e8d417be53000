"""The first split of "busy": what a session's turn waits for, as far as it can be seen from outside."""

from dataclasses import dataclass
from enum import StrEnum


class Waiting(StrEnum):
    """What a turn waits for. `UNSEEN`: it runs, and from outside one can't see what it waits for."""

    PERSON = "person"
    RETRY = "retry"
    LOOP = "loop"
    WORKING = "working"
    MODEL = "model"
    TOOL = "tool"
    UNSEEN = "unseen"
    NOT_BUSY = "not-busy"


@dataclass(frozen=True, slots=True)
class Progress:
    """What changed between two looks `seconds` apart: new or changed tool calls, new model answers (V1: one a
    model request), new pieces of the newest message, and further attempts of a failed request."""

    seconds: float
    calls: int = 0
    answers: int = 0
    pieces: int = 0
    attempts: int = 0

    @property
    def any(self) -> bool:
        """Whether anything moved."""
        return bool(self.calls or self.answers or self.pieces or self.attempts)


@dataclass(frozen=True, slots=True)
class Activity:
    """One session's verdict. `why` is one sentence with the observations behind it.

    `ask` is the pending ask that is waited for, `through` the sub-agent's session that really waits ("" for
    none). `progress` is None where there was one look only.
    """

    session: str
    directory: str
    waiting: Waiting
    why: str
    ask: str = ""
    through: str = ""
    progress: Progress | None = None
