"""The two halves of a client. Whoever only looks is given the reading half and can do nothing else."""

from collections.abc import Sequence
from typing import Literal, Protocol

from wedged.facts.ask import Ask
from wedged.facts.process import Shell
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import SessionFacts, Status

Decision = Literal["once", "always", "reject"]


class Reader(Protocol):
    """Sends only GET.

    On V1 a GET that names a directory makes the server load that project; on V2 so do some that name a
    session. `directory` "" is the server's own, which it has loaded already. Every method raises a subclass
    of `errors.CannotLook` when the server gives no readable answer.
    """

    @property
    def line(self) -> Line:
        """Which dialect is spoken."""

    def listing_routes(self, directory: str = "") -> tuple[str, ...]:
        """The requests behind `statuses`, `sessions` and `asks`, as ``GET /permission``."""

    def identity(self) -> ServerIdentity:
        """Line and version, by the server's own word; nothing is sent for it."""

    def openapi_sha256(self) -> str:
        """Lower-case hex sha256 of the server's API document, "" where it has none. Fetched once; slow."""

    def directory(self) -> str:
        """The directory that the server was started in."""

    def loaded(self) -> tuple[str, ...] | None:
        """The directories that the server has loaded; None where it does not tell (V1).

        Asking one of these loads nothing, and no other can hold an ask or list a shell.
        """

    def statuses(self, directory: str = "") -> dict[str, Status]:
        """The sessions that are not idle: of this directory on V1, of the whole server on V2."""

    def sessions(self, directory: str = "", limit: int = 1000) -> tuple[SessionFacts, ...]:
        """At most `limit` sessions, newest first, without parts and with status UNKNOWN.

        With "" the list is of the server's whole store, or, where the server can't list that, of its own
        project, which can hold other directories' sessions too.
        """

    def session(self, session_id: str, directory: str = "") -> SessionFacts:
        """One session with its tool calls, message count, last text and status.

        The status is asked of the session's own directory, whatever `directory` says.
        """

    def has_unfinished(self, session_id: str) -> bool:
        """Whether one of the session's last few messages holds a call that is not terminal; on V1 also
        whether the newest one is a prompt, or an answer of the model that has not ended.

        Asked of the server's own directory, so that it loads no project; it says nothing about who runs it.
        """

    def children(self, session_id: str, directory: str = "") -> tuple[SessionFacts, ...]:
        """The sub-agents' sessions of a session, as `sessions` gives them."""

    def asks(self, directory: str = "") -> tuple[Ask, ...]:
        """Every pending permission and question of this directory, each with the route that lists it."""

    def session_asks(self, session_id: str, directory: str = "") -> tuple[Ask, ...]:
        """What the session's own list says. V1 lists nothing there, even while an ask is pending.

        Empty, too, where the server has no such list.
        """

    def shells(self, directory: str = "") -> tuple[Shell, ...]:
        """Every shell that the server lists as running in this directory. V1 keeps no such list: empty."""


class Actor(Protocol):
    """Changes things. Errors as for `Reader`."""

    def create_session(self, directory: str = "", title: str = "") -> str:
        """Create a session; its id. With a `title` the server asks the model for none."""

    def prompt(self, session_id: str, text: str, directory: str = "") -> None:
        """Send a prompt and return once the server has taken it."""

    def reply(
        self, ask_id: str, decision: Decision, *, session_id: str, directory: str = "", message: str = ""
    ) -> None:
        """Answer a permission request. `message` goes to the model, with a reject only."""

    def answer(
        self, ask_id: str, answers: Sequence[Sequence[str]], *, session_id: str, directory: str = ""
    ) -> None:
        """Answer a question: for each of its questions the labels that were picked."""

    def abort(self, session_id: str, directory: str = "") -> None:
        """End the session's turn."""

    def request(self, action: Action, target: Target) -> Request:
        """The HTTP request of a recovery step in this dialect. Pure: nothing is sent.

        Raises:
            Refused: this dialect has no such request for this target.
        """

    def send(self, request: Request) -> object:
        """Send a request that `request` made; the decoded answer (None for an empty one)."""
