"""A second server on a bench's home, beside the bench's own: two servers, one database."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from wedged.client import Connection, connect
from wedged.errors import DeadlinePassed
from wedged.facts.process import ProcessFacts
from wedged.facts.session import Status
from wedged.lab.bench import Bench, Prompted
from wedged.lab.server_process import ServerProcess, start_server
from wedged.lab.turns import Script
from wedged.waiting import wait_until

_PATIENCE_S = 45.0


@dataclass(frozen=True)
class SecondServer:
    """Its process and a connection to it. Its events are not recorded: it is asked instead."""

    bench: Bench
    process: ServerProcess
    connection: Connection

    def prompt(self, script: Script, directory: str = "") -> Prompted:
        """Create a session on this server and prompt it, as `Bench.prompt` does on the bench's own."""
        bench, where = self.bench, directory or self.bench.project()
        bench.model.learn(script)
        session = self.connection.actor.create_session(directory=where, title=script.name)
        bench.model.attribute(script, session)
        at = bench.timeline.now()
        with bench.timeline.call(session, "prompt through the second server"):
            self.connection.actor.prompt(session, f"Do what the script says. {script.mark}", directory=where)
        return Prompted(session, where, script, at)

    def family(self) -> tuple[ProcessFacts, ...]:
        """It and everything it has started that runs."""
        return self.process.family()

    def wait_idle(self, prompted: Prompted, seconds: float) -> None:
        """Until it says that nothing works on the session.

        Raises:
            DeadlinePassed: it did not.
        """
        read = self.connection.reader.session
        if not wait_until(lambda: read(prompted.session).status is Status.IDLE, seconds, every=0.1):
            raise DeadlinePassed("the second server to end the turn", seconds)


@contextmanager
def second_server(bench: Bench) -> Iterator[SecondServer]:
    """Start it, with a password of its own; end it and all it has started on leaving.

    Raises:
        ServerDidNotStart: it did not come up.
    """
    process = start_server(
        bench.server.keeper,
        bench.installed,
        bench.home,
        cwd=Path(bench.project()),
        password=secrets.token_urlsafe(18),
    )
    try:
        bench.normaliser.add(process.url, "http://127.0.0.1:PORT")
        bench.normaliser.add(str(urlsplit(process.url).port), "PORT")
        bench.normaliser.secret(process.password)
        with connect(process.url, password=process.password, timeout=_PATIENCE_S) as connection:
            yield SecondServer(bench, process, connection)
    finally:
        process.stop()
