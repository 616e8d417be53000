"""The looks of one recovery, each judged: a pair first, then one before each step."""

from collections.abc import Sequence
from dataclasses import dataclass

from wedged.client import Connection
from wedged.diagnose import Diagnosis, diagnose
from wedged.errors import CannotLook
from wedged.facts.snapshot import Snapshot, Window
from wedged.observe import look, look_twice, server_tree


@dataclass(frozen=True)
class Looking:
    """Looks at one session of one server. An ask younger than `grace_s` seconds is no finding."""

    connection: Connection
    session: str
    grace_s: float

    def twice(self, sample_s: float, directories: Sequence[str], *, every_directory: bool) -> Diagnosis:
        """Two looks, `sample_s` seconds apart.

        Raises:
            CannotLook: the server, or this session, could not be read.
        """
        window = look_twice(
            self.connection.reader,
            sample_s=sample_s,
            scopes=directories,
            sessions=(self.session,),
            every_directory=every_directory,
            tree=lambda: server_tree(self.connection.url),
            source=self.connection.url,
        )
        if window.latest.session(self.session) is None:
            why = next((gap.why for gap in window.latest.gaps if self.session in gap.what), "no list has it")
            raise CannotLook(f"session {self.session} could not be read: {why}")
        return self._judge(window)

    def again(self, before: Snapshot) -> Diagnosis:
        """A fresh look at the same directories, beside the one before.

        Raises:
            CannotLook: the server could not be read.
        """
        seen = look(
            self.connection.reader,
            scopes=[scope.directory for scope in before.scopes],
            sessions=(self.session,),
            peek=before,
            tree=lambda: server_tree(self.connection.url),
            source=self.connection.url,
        )
        return self._judge(Window(seen, before))

    def _judge(self, window: Window) -> Diagnosis:
        return diagnose(window, self.grace_s, request=self.connection.actor.request)
