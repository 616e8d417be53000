"""What stands in a roster."""

from dataclasses import dataclass
from enum import StrEnum

from wedged.facts.snapshot import Gap


class EntryKind(StrEnum):
    """`SUBAGENT`: the turn of a session that has a parent. `SHELL`: one that the server lists as running."""

    TURN = "turn"
    SUBAGENT = "subagent"
    SHELL = "shell"


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of pending work. `id` is a session's or a shell's.

    `session_id` is the session it belongs to ("" where the server names none), `above` that one's parents,
    nearest first. `words` is a shell's command or a session's title: untrusted, and it may hold secrets.
    """

    id: str
    kind: EntryKind
    session_id: str
    directory: str
    above: tuple[str, ...] = ()
    words: str = ""
    since_ms: int | None = None
    pid: int | None = None

    @property
    def root_id(self) -> str:
        """The topmost session above it, or its own."""
        return self.above[-1] if self.above else self.session_id

    def concerns(self, session_id: str) -> bool:
        """Whether it is the work of this session or of a sub-agent somewhere below it."""
        return session_id in (self.session_id, *self.above)


@dataclass(frozen=True, slots=True)
class Roster:
    """The pending work at one time. Where `gaps` says what could not be read, being empty says nothing."""

    entries: tuple[Entry, ...] = ()
    taken_ms: int = 0
    gaps: tuple[Gap, ...] = ()

    def of(self, session_id: str) -> tuple[Entry, ...]:
        """The work of a session and of its sub-agents."""
        return tuple(entry for entry in self.entries if entry.concerns(session_id))

    @property
    def shells(self) -> tuple[Entry, ...]:
        """The shells alone."""
        return tuple(entry for entry in self.entries if entry.kind is EntryKind.SHELL)
