"""V2's reading half: GET and nothing else."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from wedged.client.transport import Transport
from wedged.client.v2 import decode, decode_asks, routes
from wedged.client.v2.dialect import Dialect
from wedged.errors import BadAnswer, NoAnswerInTime
from wedged.facts.ask import Ask
from wedged.facts.process import Shell
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import SessionFacts, Status

T = TypeVar("T")

# What both dialects take for messages; a larger number is refused with 400.
_PAGE = 200
_PAGES = 200
_FEW = "5"
# How many requests' time a whole list may take. Each page has its own deadline, and there may be many.
_REQUESTS = 3


class V2Reader:
    """A `wedged.client.protocols.Reader` for both V2 dialects.

    Lists of asks and shells are one location's; the list of active sessions is the whole server's. On the
    preview every request about a session loads the location that it belongs to; on 2.0.15 only the requests
    for its asks do.
    """

    def __init__(self, transport: Transport, version: str, dialect: Dialect, openapi_sha256: str) -> None:
        self._transport = transport
        self._version = version
        self._dialect = dialect
        self._openapi = openapi_sha256
        self._directory = ""

    @property
    def line(self) -> Line:
        """See `Reader.line`."""
        return self._dialect.line

    def listing_routes(self, directory: str = "") -> tuple[str, ...]:
        """See `Reader.listing_routes`."""
        del directory
        return tuple(
            f"GET {path}" for path in (routes.ACTIVE, routes.SESSIONS, *self._ask_lists(), routes.SHELLS)
        )

    def identity(self) -> ServerIdentity:
        """See `Reader.identity`."""
        return ServerIdentity(self.line, self._version)

    def openapi_sha256(self) -> str:
        """See `Reader.openapi_sha256`. The document was read to learn the dialect."""
        return self._openapi

    def directory(self) -> str:
        """See `Reader.directory`. Asked once: it does not change while the server runs."""
        if not self._directory:
            self._directory = self._get(routes.LOCATION, decode.Location).directory
        return self._directory

    def loaded(self) -> tuple[str, ...] | None:
        """See `Reader.loaded`."""
        if not self._dialect.locations:
            return None
        wire = self._get(routes.LOCATIONS, list[decode.Location])
        return tuple(dict.fromkeys(one.directory for one in wire if one.directory))

    def statuses(self, directory: str = "") -> dict[str, Status]:
        """See `Reader.statuses`. The whole server's, whatever `directory` says."""
        del directory
        return {session_id: decode.status(one) for session_id, one in self._active().items()}

    def sessions(self, directory: str = "", limit: int = 1000) -> tuple[SessionFacts, ...]:
        """See `Reader.sessions`."""
        only = {"directory": directory} if directory else {}
        return self._sessions(limit, **only)

    def session(self, session_id: str, directory: str = "") -> SessionFacts:
        """See `Reader.session`."""
        del directory
        facts = decode.session(self._get(routes.session(session_id), decode.OneSession).data)
        read = decode.with_messages(facts, self._messages(session_id))
        return replace(read, status=decode.status(self._active().get(session_id)))

    def has_unfinished(self, session_id: str) -> bool:
        """See `Reader.has_unfinished`. The preview loads the session's location for it all the same."""
        wire = self._get(routes.messages(session_id), decode.Messages, limit=_FEW).data
        return any(not part.status.terminal for part in decode.tool_parts(wire, session_id))

    def children(self, session_id: str, directory: str = "") -> tuple[SessionFacts, ...]:
        """See `Reader.children`. They are found wherever they are."""
        del directory
        return self._sessions(None, parentID=session_id)

    def asks(self, directory: str = "") -> tuple[Ask, ...]:
        """See `Reader.asks`."""
        where = directory or self.directory()
        scope = routes.scope(directory)
        found = self._permissions(routes.PERMISSIONS, where, scope)
        found += self._forms(self._dialect.forms, where, scope)
        if self._dialect.questions:
            wire = self._get(routes.QUESTIONS, decode_asks.Questions, **scope).data
            found += tuple(decode_asks.question(one, where, f"GET {routes.QUESTIONS}") for one in wire)
        return found

    def session_asks(self, session_id: str, directory: str = "") -> tuple[Ask, ...]:
        """See `Reader.session_asks`. Without a directory the session is asked for its own."""
        where = directory or self._get(routes.session(session_id), decode.OneSession).data.location.directory
        found = self._permissions(routes.session_permissions(session_id), where, {})
        return found + self._forms(routes.session_forms(session_id), where, {})

    def shells(self, directory: str = "") -> tuple[Shell, ...]:
        """See `Reader.shells`."""
        wire = self._get(routes.SHELLS, decode.Shells, **routes.scope(directory)).data
        where = directory or self.directory()
        return tuple(decode.shell(one, where, f"GET {routes.SHELLS}") for one in wire)

    def _ask_lists(self) -> tuple[str, ...]:
        questions = (routes.QUESTIONS,) if self._dialect.questions else ()
        return (routes.PERMISSIONS, self._dialect.forms, *questions)

    def _permissions(self, path: str, where: str, scope: Mapping[str, str]) -> tuple[Ask, ...]:
        wire = self._get(path, decode_asks.Permissions, **scope).data
        return tuple(decode_asks.permission(one, where, f"GET {path}") for one in wire)

    def _forms(self, path: str, where: str, scope: Mapping[str, str]) -> tuple[Ask, ...]:
        wire = self._get(path, decode_asks.Forms, **scope).data
        return tuple(decode_asks.form(one, where, f"GET {path}") for one in wire)

    def _active(self) -> dict[str, decode.Running]:
        return self._get(routes.ACTIVE, decode.Active).data

    def _sessions(self, limit: int | None, **only: str) -> tuple[SessionFacts, ...]:
        def page(**more: str) -> tuple[list[decode.Session], str | None]:
            wire = self._get(routes.SESSIONS, decode.Sessions, **only, **more)
            return wire.data, wire.cursor.next

        found: dict[str, SessionFacts] = {}
        for wire in _paged(f"GET {routes.SESSIONS}", page, _REQUESTS * self._transport.timeout):
            found.setdefault(wire.id, decode.session(wire))
            if limit is not None and len(found) >= limit:
                break
        return tuple(found.values())

    def _messages(self, session_id: str) -> list[decode.Message]:
        """All messages, oldest first."""
        path = routes.messages(session_id)

        def page(**more: str) -> tuple[list[decode.Message], str | None]:
            wire = self._get(path, decode.Messages, **more)
            return wire.data, wire.cursor.next

        # A message that comes in between two pages is not told twice.
        pages = _paged(f"GET {path}", page, _REQUESTS * self._transport.timeout)
        found = {message.id: message for message in pages}
        return list(found.values())[::-1]

    def _get(self, path: str, shape: type[T], **params: str) -> T:
        return self._transport.json("GET", path, shape, params=params)


def _paged(route: str, page: Callable[..., tuple[list[T], str | None]], seconds: float) -> Iterator[T]:
    """Every element of a list, page by page. A full page may be the last: then an empty one follows.

    Raises:
        BadAnswer: the list does not end.
        NoAnswerInTime: `seconds` have passed, and there are more pages.
    """
    cursor: str | None = None
    over = time.monotonic() + seconds
    for _ in range(_PAGES):
        if time.monotonic() >= over:
            raise NoAnswerInTime(f"{route} did not come to its end within {seconds:g} s")
        found, cursor = page(limit=str(_PAGE), **({"cursor": cursor} if cursor else {}))
        yield from found
        if len(found) < _PAGE or not cursor:
            return
    raise BadAnswer(f"{route} has more than {_PAGE * _PAGES} elements; not read further")
