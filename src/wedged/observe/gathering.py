"""What one look has read so far, and the reads themselves. A read that fails is a gap and nothing else."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from wedged.client.protocols import Reader
from wedged.errors import CannotLook, NoAnswerInTime
from wedged.facts.ask import Ask
from wedged.facts.process import Shell
from wedged.facts.server import Line
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Gap
from wedged.observe.at_once import AT_ONCE, read_at_once
from wedged.observe.patience import Patience

T = TypeVar("T")

SESSION_LIMIT = 1000
_PORTION = 2 * AT_ONCE
# Whose a shell is that names nobody, and a form that no session asks.
_NOBODY = ("", "global")


@dataclass
class Gathering:
    """`statuses` has a key for each directory that was asked, None where the read failed. `own` is the
    server's own directory."""

    reader: Reader
    own: str
    statuses: dict[str, dict[str, Status] | None] = field(default_factory=dict)
    sessions: dict[str, SessionFacts] = field(default_factory=dict)
    asks: dict[str, Ask] = field(default_factory=dict)
    shells: dict[str, Shell] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    peeked: dict[str, bool] = field(default_factory=dict)
    patience: Patience = field(default_factory=Patience)

    @property
    def speaks_for_all(self) -> bool:
        """Whether one list of statuses is the whole server's, so that who is not in it is idle."""
        return self.reader.line is not Line.V1

    def working(self) -> dict[str, Status]:
        """Every session that is not idle, as far as statuses were read."""
        return {sid: status for found in self.statuses.values() for sid, status in (found or {}).items()}

    def list_of(self, directory: str) -> None:
        """Read the lists of one directory, once. The server's own is asked without naming it."""
        name = directory or self.own
        if name in self.statuses:
            return
        named = self.named(name)
        self.statuses[name] = self._statuses_of(name)
        # One more than is kept tells whether there are more.
        read = partial(self.reader.sessions, named, SESSION_LIMIT + 1)
        listed = self.attempt(f"sessions of {name}", read) or ()
        if len(listed) > SESSION_LIMIT:
            self.gaps.append(Gap(f"sessions of {name}", f"only the newest {SESSION_LIMIT} were listed"))
        for session in listed[:SESSION_LIMIT]:
            self.sessions.setdefault(session.id, session)
        self.asks.update(self._asks_of(name) or {})
        shells = self.attempt(f"shells in {name}", partial(self.reader.shells, named)) or ()
        self.shells.update((shell.id, shell) for shell in shells)

    def follow(self, session_id: str) -> None:
        """Ask the directory of a session that somebody named, or that works."""
        known = self.sessions.get(session_id)
        if known is None:
            known = self.attempt(f"session {session_id}", partial(self.reader.session, session_id))
        if known is not None:
            self.sessions[session_id] = known
            if known.directory:
                self.list_of(known.directory)

    def read_details(self, named: Iterable[str]) -> None:
        """Statuses for all, calls for those that matter, and the asks a second time."""
        working = self.working()
        for session in list(self.sessions.values()):
            if session.id not in working and self._speaks_for(session.directory):
                self.sessions[session.id] = replace(session, status=Status.IDLE)
        for session_id in working if self.speaks_for_all else ():
            self._own_asks_of(session_id)
        wanted = [*working, *(ask.session_id for ask in self.asks.values())]
        wanted += [*(shell.session_id for shell in self.shells.values()), *named]
        for session_id in dict.fromkeys(wanted):
            if session_id not in _NOBODY:
                self.detail(session_id, working.get(session_id))
        self._drop_answered()

    def has_unfinished(self, session: SessionFacts) -> bool:
        """Whether one of its last messages holds a call that has not ended; asked once."""
        self.peek_into([session])
        return self.peeked[session.id]

    def peek_into(self, sessions: Iterable[SessionFacts]) -> None:
        """Ask that of each of them, several at once, so that `has_unfinished` has it at hand."""
        wanted = [session for session in sessions if session.id not in self.peeked]
        # In small portions: a server that does not answer any more is to be noticed in between.
        for first in range(0, len(wanted), _PORTION):
            portion = wanted[first : first + _PORTION]
            with self.patience.spent_on("session"):
                over = self.patience.is_over("session")
                read = read_at_once(self._peek, () if over else portion)
            for at, session in enumerate(portion):
                what = f"session {session.id} in {session.directory}"
                found = self.attempt(what, read[at] if not over else partial(self._peek, session))
                self.peeked[session.id] = bool(found)

    def _peek(self, session: SessionFacts) -> bool:
        return self.reader.has_unfinished(session.id)

    def named(self, directory: str) -> str:
        """How a directory is named to the server: its own is not."""
        return "" if directory == self.own else directory

    def attempt(self, what: str, read: Callable[[], T]) -> T | None:
        """What was read; None, and a gap, where it could not be, or where the reads of its kind (the first
        word of `what`) have had all their time."""
        kind = what.partition(" ")[0]
        try:
            if self.patience.is_over(kind):
                raise NoAnswerInTime(f"not asked: such reads have taken {self.patience.seconds:g} s already")
            with self.patience.spent_on(kind):
                return read()
        except CannotLook as error:
            # A session that somebody named is read twice: once to find its directory, once in detail.
            if (gap := Gap(what, str(error))) not in self.gaps:
                self.gaps.append(gap)
            return None

    def _statuses_of(self, directory: str) -> dict[str, Status] | None:
        if self.speaks_for_all and self.statuses:
            return next(iter(self.statuses.values()))
        read = partial(self.reader.statuses, self.named(directory))
        return self.attempt(f"statuses in {directory}", read)

    def _speaks_for(self, directory: str) -> bool:
        asked = self.own if self.speaks_for_all else directory
        return self.statuses.get(asked) is not None

    def _asks_of(self, directory: str) -> dict[str, Ask] | None:
        found = self.attempt(f"asks in {directory}", partial(self.reader.asks, self.named(directory)))
        return None if found is None else {ask.id: ask for ask in found}

    def _own_asks_of(self, session_id: str) -> None:
        """A session's own list, joined to its directory's: an ask says by which of the two it is listed."""
        session = self.sessions.get(session_id)
        where = session.directory if session else ""
        read = partial(self.reader.session_asks, session_id, where)
        for ask in self.attempt(f"asks of session {session_id}", read) or ():
            known = self.asks.get(ask.id)
            listed_by = tuple(dict.fromkeys((*(known.listed_by if known else ()), *ask.listed_by)))
            self.asks[ask.id] = replace(known or ask, listed_by=listed_by)

    def detail(self, session_id: str, status: Status | None = None) -> None:
        """Read one session with its calls; `status` stands where that fails."""
        known = self.sessions.get(session_id)
        where = self.named(known.directory) if known and known.directory in self.statuses else ""
        read = self.attempt(f"session {session_id}", partial(self.reader.session, session_id, where))
        if read is not None:
            self.sessions[session_id] = read
        elif known is not None:
            self.sessions[session_id] = replace(known, status=status or known.status)

    def _drop_answered(self) -> None:
        """An ask answered since the list was read would look like one that its call still waits for."""
        before, self.asks = self.asks, {}
        directories = dict.fromkeys(ask.directory for ask in before.values())
        pending = {name: self._asks_of(name) for name in directories}
        own = dict.fromkeys(a.session_id for a in before.values() if self._only_its_session_lists(a))
        again = {sid: self._pending_of(sid) for sid in own}
        for key, ask in before.items():
            found = again[ask.session_id] if ask.session_id in again else pending[ask.directory]
            if found is None or key in found:
                self.asks[key] = ask

    def _only_its_session_lists(self, ask: Ask) -> bool:
        return self.speaks_for_all and all("/session/" in route for route in ask.listed_by)

    def _pending_of(self, session_id: str) -> dict[str, Ask] | None:
        read = partial(self.reader.session_asks, session_id)
        found = self.attempt(f"asks of session {session_id}", read)
        return None if found is None else {ask.id: ask for ask in found}
