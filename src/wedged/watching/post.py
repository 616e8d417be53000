"""Where a watch looks from: one connection to the server, with its event stream and its processes."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from wedged.client import Connection, Credentials
from wedged.client.event_stream import EventStream, stream_of
from wedged.errors import CannotLook, ServerSaidNo
from wedged.facts.process import Tree
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.snapshot import Gap, Snapshot
from wedged.observe import look, server_tree
from wedged.observe.processes import tree_of
from wedged.watching.bell import DoorBell
from wedged.watching.follower import Follower
from wedged.watching.pace import DIRECTORIES

_NOT_FOUND = 404


@dataclass(frozen=True)
class Post:
    """An `Outlook` on a real server. Its events ring `bell`."""

    connection: Connection
    credentials: Credentials
    bell: DoorBell
    every_directory: bool = False

    def take(
        self, peek: Snapshot | None, named: Sequence[str], loaded: Sequence[str], sessions: Sequence[str]
    ) -> Snapshot:
        """One look, cheaper with `peek`, the one before. The directories `named` are asked in any case, those
        `loaded` where the server does not tell itself what it has loaded.

        Raises:
            CannotLook: the server does not answer.
        """
        reader = self.connection.reader
        # A look makes gaps of whatever it can't read: of a server that is gone, too.
        reader.statuses()
        tells = reader.loaded()
        return look(
            reader,
            scopes=tuple(dict.fromkeys((*named, *(loaded if tells is None else tells[:DIRECTORIES])))),
            sessions=sessions,
            every_directory=self.every_directory,
            peek=peek,
            tree=lambda: self._tree(peek),
            source=self.connection.url,
        )

    def is_gone(self, session_id: str) -> bool:
        """Whether the server says that there is no such session."""
        try:
            self.connection.reader.session(session_id)
        except ServerSaidNo as error:
            return error.status == _NOT_FOUND
        except CannotLook:
            return False
        return False

    def request(self, action: Action, target: Target) -> Request:
        """See `Actor.request`. Pure."""
        return self.connection.actor.request(action, target)

    def follow(self) -> Follower:
        """Begin to follow its events."""
        route, decode = stream_of(self.connection.line)
        who = self.credentials
        auth = httpx.BasicAuth(who.username, who.password) if who.password else None
        return Follower(EventStream(self.connection.url, route, auth), decode, self.bell)

    def close(self) -> None:
        """Hang up."""
        self.connection.close()

    def _tree(self, peek: Snapshot | None) -> Tree | Gap:
        """Who listens on a port takes a walk through every process; the one that did so before is known."""
        known = tree_of(peek.processes.server) if peek and peek.processes else None
        return known or server_tree(self.connection.url)
