"""Doctor's look at one session of a server that holds many others."""

from collections.abc import Callable, Iterable, Mapping

from wedged.client.protocols import Reader
from wedged.facts.ask import Ask
from wedged.facts.process import Shell
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Window
from wedged.lab.bench import Bench
from wedged.observe import look_twice, server_tree

Statuses = Mapping[str, Status]


class OneSession:
    """A `Reader` to which the server's lists name one session only, as if it were alone on the server.

    The other trials' sessions are stuck on purpose, a hundred of them: reading each of them in each trial
    would cost more than the trials themselves, and no finding about one session rests on another one's calls.
    Every read is the real one. `after_statuses` is called with each list of statuses before the next read;
    `also` are sessions of its family that are named, too.
    """

    def __init__(
        self,
        reader: Reader,
        session: str,
        after_statuses: Callable[[Statuses], None] = lambda _: None,
        also: Iterable[str] = (),
    ) -> None:
        self._reader = reader
        self._named = frozenset((session, *also))
        self._after_statuses = after_statuses

    @property
    def line(self) -> Line:
        """See `Reader.line`."""
        return self._reader.line

    def listing_routes(self, directory: str = "") -> tuple[str, ...]:
        """See `Reader.listing_routes`."""
        return self._reader.listing_routes(directory)

    def identity(self) -> ServerIdentity:
        """See `Reader.identity`."""
        return self._reader.identity()

    def openapi_sha256(self) -> str:
        """See `Reader.openapi_sha256`."""
        return self._reader.openapi_sha256()

    def directory(self) -> str:
        """See `Reader.directory`."""
        return self._reader.directory()

    def loaded(self) -> tuple[str, ...] | None:
        """See `Reader.loaded`."""
        return self._reader.loaded()

    def statuses(self, directory: str = "") -> dict[str, Status]:
        """The one session's, where the list has it."""
        found = self._reader.statuses(directory)
        mine = {key: status for key, status in found.items() if key in self._named}
        self._after_statuses(mine)
        return mine

    def sessions(self, directory: str = "", limit: int = 1000) -> tuple[SessionFacts, ...]:
        """The one session, where the list has it."""
        return tuple(s for s in self._reader.sessions(directory, limit) if s.id in self._named)

    def session(self, session_id: str, directory: str = "") -> SessionFacts:
        """See `Reader.session`."""
        return self._reader.session(session_id, directory)

    def has_unfinished(self, session_id: str) -> bool:
        """See `Reader.has_unfinished`."""
        return self._reader.has_unfinished(session_id)

    def children(self, session_id: str, directory: str = "") -> tuple[SessionFacts, ...]:
        """See `Reader.children`."""
        return self._reader.children(session_id, directory)

    def asks(self, directory: str = "") -> tuple[Ask, ...]:
        """Those of the one session."""
        return tuple(ask for ask in self._reader.asks(directory) if ask.session_id in self._named)

    def session_asks(self, session_id: str, directory: str = "") -> tuple[Ask, ...]:
        """See `Reader.session_asks`."""
        return self._reader.session_asks(session_id, directory)

    def shells(self, directory: str = "") -> tuple[Shell, ...]:
        """Those of the one session."""
        return tuple(s for s in self._reader.shells(directory) if s.session_id in self._named)


def look_at(
    bench: Bench,
    session: str,
    *,
    sample_s: float,
    after_statuses: Callable[[Statuses], None] = lambda _: None,
    also: Iterable[str] = (),
) -> Window:
    """What `wedged doctor --sample` would look at on the bench's server, were `session` alone there, or alone
    with those of `also`."""
    return look_twice(
        OneSession(bench.connection.reader, session, after_statuses, also),
        sample_s=sample_s,
        tree=lambda: server_tree(bench.server.url),
        source=bench.server.url,
    )
