"""A reading half whose answers a test sets, and which writes down what it was asked."""

from dataclasses import dataclass, field, replace

from wedged.errors import BadAnswer, ServerSaidNo
from wedged.facts.ask import Ask
from wedged.facts.process import Shell
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import SessionFacts, Status

OWN = "/own"


@dataclass
class FakeReader:
    """`busy` maps a session to the directory in which it works. `broken` names methods that fail."""

    known: list[SessionFacts] = field(default_factory=list)
    busy: dict[str, str] = field(default_factory=dict)
    pending: list[Ask] = field(default_factory=list)
    unfinished: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    answered_meanwhile: set[str] = field(default_factory=set)
    calls: list[tuple[str, str]] = field(default_factory=list)
    own_asks: list[Ask] = field(default_factory=list)
    listed_shells: list[Shell] = field(default_factory=list)
    line: Line = Line.V1
    loaded_directories: list[str] | None = None

    def listing_routes(self, directory: str = "") -> tuple[str, ...]:
        return (f"GET /lists{directory}",)

    def identity(self) -> ServerIdentity:
        self._called("identity")
        return ServerIdentity(Line.V1, "1.0.0")

    def openapi_sha256(self) -> str:
        return ""

    def directory(self) -> str:
        self._called("directory")
        return OWN

    def loaded(self) -> tuple[str, ...] | None:
        self._called("loaded")
        return None if self.loaded_directories is None else tuple(self.loaded_directories)

    def statuses(self, directory: str = "") -> dict[str, Status]:
        self._called("statuses", directory)
        whole = self.line is not Line.V1
        return {key: Status.BUSY for key, where in self.busy.items() if whole or where == (directory or OWN)}

    def sessions(self, directory: str = "", limit: int = 1000) -> tuple[SessionFacts, ...]:
        self._called("sessions", directory)
        found = [s for s in self.known if not directory or s.directory == directory][:limit]
        return tuple(replace(s, parts=(), newest=None, status=Status.UNKNOWN) for s in found)

    def session(self, session_id: str, directory: str = "") -> SessionFacts:
        self._called("session", directory)
        for one in self.known:
            if one.id == session_id:
                busy = self.busy.get(session_id) == one.directory
                return replace(one, status=Status.BUSY if busy else Status.IDLE)
        raise ServerSaidNo("no such session", status=404)

    def has_unfinished(self, session_id: str) -> bool:
        self._called("has_unfinished", session_id)
        return session_id in self.unfinished

    def children(self, session_id: str, directory: str = "") -> tuple[SessionFacts, ...]:
        return tuple(s for s in self.known if s.parent_id == session_id)

    def asks(self, directory: str = "") -> tuple[Ask, ...]:
        again = ("asks", directory) in self.calls
        self._called("asks", directory)
        gone = self.answered_meanwhile if again else set()
        return tuple(a for a in self.pending if a.directory == (directory or OWN) and a.id not in gone)

    def session_asks(self, session_id: str, directory: str = "") -> tuple[Ask, ...]:
        again = ("session_asks", session_id) in self.calls
        self._called("session_asks", session_id)
        gone = self.answered_meanwhile if again else set()
        return tuple(a for a in self.own_asks if a.session_id == session_id and a.id not in gone)

    def shells(self, directory: str = "") -> tuple[Shell, ...]:
        self._called("shells", directory)
        return tuple(s for s in self.listed_shells if s.directory == (directory or OWN))

    def _called(self, name: str, directory: str = "") -> None:
        self.calls.append((name, directory))
        if name in self.broken:
            raise BadAnswer(f"{name} is broken")
