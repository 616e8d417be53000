"""V1's reading half: GET and nothing else."""

import hashlib
import threading
from dataclasses import replace
from typing import TypeVar

from wedged.client.transport import Transport
from wedged.client.v1 import decode, routes
from wedged.facts.ask import Ask
from wedged.facts.process import Shell
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import SessionFacts, Status

T = TypeVar("T")
_FEW = "5"


class V1Reader:
    """A `wedged.client.protocols.Reader` for OpenCode 1.x."""

    line = Line.V1

    def __init__(self, transport: Transport, version: str) -> None:
        self._transport = transport
        self._version = version
        self._openapi: str | None = None
        self._directory = ""
        self._lock = threading.Lock()

    def listing_routes(self, directory: str = "") -> tuple[str, ...]:
        """See `Reader.listing_routes`."""
        paths = (routes.STATUSES, self._sessions_of(directory), routes.PERMISSIONS, routes.QUESTIONS)
        return tuple(f"GET {path}" for path in paths)

    def identity(self) -> ServerIdentity:
        """See `Reader.identity`."""
        return ServerIdentity(Line.V1, self._version)

    def openapi_sha256(self) -> str:
        """See `Reader.openapi_sha256`. A V1 takes about two seconds for the first one."""
        with self._lock:
            if self._openapi is None:
                answer = self._transport.ask("GET", routes.OPENAPI)
                known = answer.status == 200 and answer.is_json
                self._openapi = hashlib.sha256(answer.body).hexdigest() if known else ""
            return self._openapi

    def directory(self) -> str:
        """See `Reader.directory`. Asked once: it does not change while the server runs."""
        if not self._directory:
            self._directory = self._get(routes.PATHS, decode.Paths).directory
        return self._directory

    def loaded(self) -> tuple[str, ...] | None:
        """See `Reader.loaded`."""
        return None

    def statuses(self, directory: str = "") -> dict[str, Status]:
        """See `Reader.statuses`."""
        wire = self._statuses(directory)
        found = {session_id: decode.status(status) for session_id, status in wire.items()}
        return {session_id: status for session_id, status in found.items() if status is not Status.IDLE}

    def sessions(self, directory: str = "", limit: int = 1000) -> tuple[SessionFacts, ...]:
        """See `Reader.sessions`. Without a limit the server answers 100."""
        wire = self._get(self._sessions_of(directory), list[decode.Session], directory, limit=str(limit))
        return tuple(decode.session(session) for session in wire)

    def session(self, session_id: str, directory: str = "") -> SessionFacts:
        """See `Reader.session`."""
        facts = decode.session(self._get(routes.session(session_id), decode.Session, directory))
        messages = self._get(routes.messages(session_id), list[decode.Message], directory)
        elsewhere = facts.directory if facts.directory != self.directory() else ""
        working = self._statuses(elsewhere).get(session_id)
        return replace(
            decode.with_messages(facts, messages),
            status=decode.status(working) if working else Status.IDLE,
            retry=decode.retry(working),
        )

    def has_unfinished(self, session_id: str) -> bool:
        """See `Reader.has_unfinished`. A prompt sent meanwhile stands behind the message that waits."""
        wire = self._get(routes.messages(session_id), list[decode.Message], limit=_FEW)
        newest = decode.newest(wire)
        over = newest is None or (newest.from_model and newest.complete and newest.finish != "tool-calls")
        return not over or any(not part.status.terminal for part in decode.tool_parts(wire))

    def children(self, session_id: str, directory: str = "") -> tuple[SessionFacts, ...]:
        """See `Reader.children`."""
        wire = self._get(routes.children(session_id), list[decode.Session], directory)
        return tuple(decode.session(session) for session in wire)

    def asks(self, directory: str = "") -> tuple[Ask, ...]:
        """See `Reader.asks`."""
        where = directory or self.directory()
        permissions = self._get(routes.PERMISSIONS, list[decode.Permission], directory)
        found = [decode.permission(wire, where, f"GET {routes.PERMISSIONS}") for wire in permissions]
        questions = self._get(routes.QUESTIONS, list[decode.Question], directory)
        found += [decode.question(wire, where, f"GET {routes.QUESTIONS}") for wire in questions]
        return tuple(found)

    def session_asks(self, session_id: str, directory: str = "") -> tuple[Ask, ...]:
        """See `Reader.session_asks`."""
        if not self._has_session_lists():
            return ()
        path = routes.session_permissions(session_id)
        wire = self._get(path, decode.ListedAsks, directory).data
        where = directory or self.directory()
        return tuple(decode.listed(ask, session_id, where, f"GET {path}") for ask in wire)

    def shells(self, directory: str = "") -> tuple[Shell, ...]:
        """See `Reader.shells`. Nothing is sent."""
        del directory
        return ()

    def _statuses(self, directory: str) -> dict[str, decode.SessionStatus]:
        return self._get(routes.STATUSES, dict[str, decode.SessionStatus], directory)

    def _get(self, path: str, shape: type[T], directory: str = "", **params: str) -> T:
        return self._transport.json("GET", path, shape, params={**routes.scope(directory), **params})

    def _sessions_of(self, directory: str) -> str:
        """The route that lists a directory's sessions; for "" the one across projects."""
        return routes.SESSIONS if directory else routes.ALL_SESSIONS

    def _has_session_lists(self) -> bool:
        """Whether this version has a list of asks for each session: 1.17.0 has it, 1.15.13 has not.

        Not tried out: an old V1 passes a path that it does not know on to a host on the internet, session ids
        included.
        """
        numbers = self._version.split(".")[:2]
        return len(numbers) == 2 and all(map(str.isdecimal, numbers)) and [*map(int, numbers)] >= [1, 17]
