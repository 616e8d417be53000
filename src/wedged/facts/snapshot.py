"""One look at a target, and the pair of looks that matchers get."""

from dataclasses import dataclass
from enum import StrEnum

from wedged.facts.ask import Ask
from wedged.facts.process import Holders, Shell, Stray, Tree
from wedged.facts.server import ServerIdentity
from wedged.facts.session import SessionFacts


class Origin(StrEnum):
    """What was looked at. A file shows neither asks nor who runs what: those live in a server's memory."""

    LIVE = "live"
    DATABASE = "database"
    EXPORT = "export"


@dataclass(frozen=True, slots=True)
class Scope:
    """A directory that was asked. `reads` are the requests made of it, as ``GET /permission``."""

    directory: str
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be read, or was left unread, and why. Every `unknown` comes from a gap."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one look saw.

    `taken_ms` is the reader's wall clock in milliseconds since 1970. `source` is where it came from
    (``http://127.0.0.1:4096``). `processes` is None where the server's process tree could not be seen,
    which is not the same as empty. `blind` is what this look had no means to see: it makes nothing unknown,
    it only leaves some sentences less precise. `left_out` are those of the gaps that are a choice,
    not a failure. `holders` are the processes that have the file open that was read, or the database of the
    server that was asked: None where that was not looked at. `strays` run outside of the server what it has
    as unfinished calls (None: not looked for). `loaded` are the directories that the server had loaded when
    the look began (None: it does not tell); asking a directory makes a server load it. `woken` are those that
    it had loaded when the look ended and not before: the look's own doing, unless somebody else's.
    """

    taken_ms: int
    source: str
    identity: ServerIdentity
    scopes: tuple[Scope, ...] = ()
    sessions: tuple[SessionFacts, ...] = ()
    asks: tuple[Ask, ...] = ()
    shells: tuple[Shell, ...] = ()
    processes: Tree | None = None
    gaps: tuple[Gap, ...] = ()
    blind: tuple[Gap, ...] = ()
    left_out: tuple[Gap, ...] = ()
    origin: Origin = Origin.LIVE
    holders: Holders | None = None
    strays: tuple[Stray, ...] | None = None
    loaded: tuple[str, ...] | None = None
    woken: tuple[str, ...] | None = None

    def session(self, session_id: str) -> SessionFacts | None:
        """The session with this id, if this look saw it."""
        return next((s for s in self.sessions if s.id == session_id), None)


@dataclass(frozen=True, slots=True)
class Window:
    """What a matcher gets: the latest look, and the one before it where there was one."""

    latest: Snapshot
    earlier: Snapshot | None = None
