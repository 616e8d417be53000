"""V2's server of one terminal: ``opencode serve --stdio``, which ends when its standard input does.

A terminal starts it so (`--standalone`). Here a `sleep` holds the other end of its input, in the terminal's
place: ending that is what a terminal's death is to the server.
"""

import json
import secrets
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from wedged.client import Connection, connect
from wedged.errors import DeadlinePassed, ServerDidNotStart
from wedged.facts.process import ProcessFacts
from wedged.lab.bench import Bench
from wedged.waiting import wait_for, wait_until

_HOLDS_S = 3599
_START_S = 30.0
_PATIENCE_S = 45.0


@dataclass(frozen=True)
class StdioServer:
    """Its process (the shell that started both), and a connection to it."""

    bench: Bench
    shell: ProcessFacts
    connection: Connection

    def end_terminal(self, seconds: float) -> None:
        """End what holds the server's input, and wait until the server has ended by itself.

        Raises:
            DeadlinePassed: it has not, within `seconds`.
        """
        self._kill("sleep")
        if not wait_until(lambda: not self._servers(), seconds, every=0.05):
            raise DeadlinePassed("the server to end after its input", seconds)

    def kill(self) -> None:
        """SIGKILL to the server and the terminal at once, as the machine's end would be."""
        self._kill("server", "sleep")
        wait_for(lambda: not self._servers(), "the killed server to be gone", 5)

    def _servers(self) -> list[ProcessFacts]:
        return [p for p in self.family() if "--stdio" in p.argv and p.argv[:1] != ("/bin/sh",)]

    def _kill(self, *what: str) -> None:
        holders = [p for p in self.family() if p.argv == ("sleep", str(_HOLDS_S))]
        for process in (*(self._servers() if "server" in what else ()), *holders):
            try:
                seen = psutil.Process(process.pid)
                if seen.create_time() == process.created:
                    seen.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                continue

    def family(self) -> tuple[ProcessFacts, ...]:
        """It, its shell and everything it has started that runs."""
        return self.bench.server.keeper.family(self.shell)


@contextmanager
def stdio_server(bench: Bench) -> Iterator[StdioServer]:
    """Start one on the bench's home; end it and all it has started on leaving.

    Raises:
        ServerDidNotStart: it did not say where it listens.
    """
    keeper, password = bench.server.keeper, secrets.token_urlsafe(18)
    log = bench.home.logs / f"stdio-{bench.timeline.count()}.log"
    line = f"sleep {_HOLDS_S} | {shlex.join(bench.installed.argv)} serve --stdio --port 0"
    env = bench.home.env | dict.fromkeys(("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD"), password)
    shell = keeper.spawn(("/bin/sh", "-c", line), env=env, cwd=Path(bench.project()), log=log)
    try:
        try:
            url = wait_for(lambda: _url(log), "the server to say where it listens", _START_S)
        except DeadlinePassed as error:
            raise ServerDidNotStart(f"{bench.installed.spec} serve --stdio: {error}") from None
        bench.normaliser.add(url, "http://127.0.0.1:PORT")
        bench.normaliser.secret(password)
        with connect(url, password=password, timeout=_PATIENCE_S) as connection:
            yield StdioServer(bench, shell, connection)
    finally:
        keeper.end_tree(shell)


def _url(log: Path) -> str:
    """What it prints first: one line of JSON."""
    line, end, _ = log.read_text(errors="replace").partition("\n")
    try:
        return str(json.loads(line)["url"]) if end else ""
    except (ValueError, KeyError, TypeError):
        return ""
