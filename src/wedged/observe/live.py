"""One look at a running server. Only GETs, and each directory that was asked is named in the snapshot."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from wedged.client.protocols import Reader
from wedged.errors import CannotLook
from wedged.facts.ask import Ask
from wedged.facts.process import Tree
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Gap, Scope, Snapshot

T = TypeVar("T")

SESSION_LIMIT = 1000
# Sessions of other directories whose last messages are looked at, newest first.
ELSEWHERE_LIMIT = 100
# Other directories that are asked because a session there has an unfinished call.
DIRECTORY_LIMIT = 20


def look(
    reader: Reader,
    *,
    scopes: Sequence[str] = (),
    sessions: Sequence[str] = (),
    every_directory: bool = False,
    peek: Snapshot | None = None,
    tree: Callable[[], Tree | Gap] | None = None,
    source: str = "",
) -> Snapshot:
    """What the server says now of its own directory, of those of `scopes`, and of every other one in which a
    session has an unfinished call.

    Every session is listed; those that are busy, have an ask or are named in `sessions` are read with their
    calls. The directory of a named session is asked too. Any other directory is not, unless
    `every_directory`: asking makes a V1 server load the project there. A read that fails, and whatever was
    left out, becomes a gap.

    With `peek`, an earlier look, the search for unfinished calls elsewhere is not repeated and its gaps are
    taken over. `tree` looks at the server's processes.

    Raises:
        CannotLook: the server does not even say who it is and where.
    """
    taken = time.time_ns() // 1_000_000
    gathering = _Gathering(reader, reader.directory())
    identity = reader.identity()
    for directory in ("", *scopes):
        gathering.list_of(directory)
    for session_id in sessions:
        gathering.follow(session_id)
    left_out = peek.left_out if peek else gathering.go_elsewhere(every_directory)
    gathering.gaps += left_out
    gathering.read_details(sessions)
    seen = tree() if tree else None
    return Snapshot(
        taken_ms=taken,
        source=source,
        identity=identity,
        scopes=tuple(
            Scope(directory, reader.listing_routes("" if directory == gathering.own else directory))
            for directory in gathering.statuses
        ),
        sessions=tuple(gathering.sessions.values()),
        asks=tuple(gathering.asks.values()),
        processes=seen if isinstance(seen, Tree) else None,
        gaps=tuple(gathering.gaps),
        blind=(seen,) if isinstance(seen, Gap) else (),
        left_out=left_out,
    )


@dataclass
class _Gathering:
    """What has been read so far. `statuses` has a key for each directory that was asked, None where the
    read failed."""

    reader: Reader
    own: str
    statuses: dict[str, dict[str, Status] | None] = field(default_factory=dict)
    sessions: dict[str, SessionFacts] = field(default_factory=dict)
    asks: dict[str, Ask] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)

    def list_of(self, directory: str) -> None:
        """Read the three lists of one directory, once. The server's own is asked without naming it."""
        name = directory or self.own
        if name in self.statuses:
            return
        named = self._named(name)
        self.statuses[name] = self._try(f"statuses in {name}", partial(self.reader.statuses, named))
        listed = self._try(f"sessions of {name}", partial(self.reader.sessions, named, SESSION_LIMIT)) or ()
        if len(listed) >= SESSION_LIMIT:
            self.gaps.append(Gap(f"sessions of {name}", f"only the newest {SESSION_LIMIT} were listed"))
        for session in listed:
            self.sessions.setdefault(session.id, session)
        asks = self._try(f"asks in {name}", partial(self.reader.asks, named)) or ()
        self.asks.update((ask.id, ask) for ask in asks)

    def follow(self, session_id: str) -> None:
        """Ask the directory of a session that somebody named."""
        known = self.sessions.get(session_id)
        if known is None:
            known = self._try(f"session {session_id}", partial(self.reader.session, session_id))
        if known is not None:
            self.sessions[session_id] = known
            if known.directory:
                self.list_of(known.directory)

    def read_details(self, named: Iterable[str]) -> None:
        """Statuses for all, calls for those that matter, and the asks a second time."""
        working = {sid: status for found in self.statuses.values() for sid, status in (found or {}).items()}
        for session in list(self.sessions.values()):
            if session.id not in working and self.statuses.get(session.directory) is not None:
                self.sessions[session.id] = replace(session, status=Status.IDLE)
        wanted = [*working, *(ask.session_id for ask in self.asks.values()), *named]
        for session_id in dict.fromkeys(wanted):
            self._detail(session_id, working.get(session_id))
        self._drop_answered()

    def _detail(self, session_id: str, status: Status | None) -> None:
        known = self.sessions.get(session_id)
        where = self._named(known.directory) if known and known.directory in self.statuses else ""
        read = self._try(f"session {session_id}", partial(self.reader.session, session_id, where))
        if read is not None:
            self.sessions[session_id] = read
        elif known is not None:
            self.sessions[session_id] = replace(known, status=status or known.status)

    def _drop_answered(self) -> None:
        """An ask answered since the list was read would look like one that its call still waits for."""
        for directory in dict.fromkeys(ask.directory for ask in self.asks.values()):
            named = self._named(directory)
            again = self._try(f"asks in {directory}", partial(self.reader.asks, named))
            if again is not None:
                pending = {ask.id for ask in again}
                self.asks = {
                    key: ask for key, ask in self.asks.items() if ask.directory != directory or key in pending
                }

    def go_elsewhere(self, every: bool) -> tuple[Gap, ...]:
        """Ask the other directories in which something is unfinished (or `every` one); what is left out."""
        elsewhere = [s for s in self.sessions.values() if s.directory and s.directory not in self.statuses]
        elsewhere.sort(key=lambda session: session.updated_ms or 0, reverse=True)
        wanted: dict[str, str] = {}
        for session in elsewhere if every else elsewhere[:ELSEWHERE_LIMIT]:
            if session.directory in wanted:
                continue
            what = f"session {session.id} in {session.directory}"
            if every or self._try(what, partial(self.reader.has_unfinished, session.id)):
                wanted[session.directory] = session.id
        asked = list(wanted)[: None if every else DIRECTORY_LIMIT]
        for directory in asked:
            self.list_of(directory)
        left_out = [
            Gap(
                f"directory {directory}",
                f"not asked: it is one of more than {DIRECTORY_LIMIT} in which something is unfinished "
                f"(session {wanted[directory]}); name it with --directory",
            )
            for directory in list(wanted)[len(asked) :]
        ]
        if len(elsewhere) > ELSEWHERE_LIMIT and not every:
            left = len(elsewhere) - ELSEWHERE_LIMIT
            left_out.append(Gap(f"{left} older sessions of other directories", "not looked at"))
        return tuple(left_out)

    def _named(self, directory: str) -> str:
        return "" if directory == self.own else directory

    def _try(self, what: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except CannotLook as error:
            # A session that somebody named is read twice: once to find its directory, once in detail.
            if (gap := Gap(what, str(error))) not in self.gaps:
                self.gaps.append(gap)
            return None
