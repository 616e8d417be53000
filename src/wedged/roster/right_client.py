"""The right client as a whole: a poller that keeps its roster in a file, and what it does with it."""

from collections.abc import Sequence
from pathlib import Path

from wedged.client import Connection
from wedged.errors import CannotLook
from wedged.roster.entries import Entry, Roster
from wedged.roster.file import load, save
from wedged.roster.kinds import right
from wedged.roster.lost import Kept, recovery_text, restarted, told
from wedged.roster.reading import read_work
from wedged.roster.stopping import Stopped, stop


class RightClient:
    """One client of one server. Whoever restarts the server, or sees it come back, calls `restarted`.

    `directories` as in `read_work`. A client that starts anew with the same file goes on where the last one
    ended.
    """

    def __init__(self, connection: Connection, path: Path, directories: Sequence[str] = ()) -> None:
        self._connection = connection
        self._path = path
        self._directories = tuple(directories)
        self.kept = load(path)

    def poll(self) -> Roster:
        """Look, and keep what is seen. A look with gaps (the server is down, say) replaces nothing: its
        roster is returned, and the file still says what was known."""
        now = right(read_work(self._connection.reader, self._directories))
        if not now.gaps:
            self._keep(Kept(now, self.kept.cancelled))
        return now

    def restarted(self, connection: Connection) -> tuple[Entry, ...]:
        """The server was restarted and is now reached through `connection`: record what that cancelled, and
        return all that no model has been told of.

        Raises:
            CannotLook: who is pending now can't be read; nothing was recorded, and it can be called again.
        """
        self._connection = connection
        now = right(read_work(connection.reader, self._directories))
        if now.gaps:
            raise CannotLook(f"{now.gaps[0].what}: {now.gaps[0].why}")
        self._keep(restarted(self.kept, now))
        return self.kept.cancelled

    def prompt(self, session_id: str, words: str, directory: str = "") -> None:
        """Send a prompt that begins with what the session does not know of its cancelled work."""
        text = recovery_text(self.kept.cancelled, session_id) + words
        self._connection.actor.prompt(session_id, text, directory)
        # Only now: a prompt that the server did not take has told nobody anything.
        self._keep(told(self.kept, session_id))

    def stop(self, session_id: str, seconds: float = 10.0) -> Stopped:
        """See `wedged.roster.stop`; what is left is kept."""
        stopped = stop(self._connection.reader, self._connection.actor, session_id, seconds)
        self.poll()
        return stopped

    def _keep(self, kept: Kept) -> None:
        if kept.roster.entries != self.kept.roster.entries or kept.cancelled != self.kept.cancelled:
            save(kept, self._path)
        self.kept = kept
