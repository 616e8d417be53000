"""The server of one terminal: the real client on a pseudo-terminal, and what it starts to do its work.

V2's client, told to be on its own (`--standalone`), starts ``serve --stdio`` below itself, which ends when
its standard input does. V1's client is its own server, in one process; told a port, that server listens.
"""

import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil

from wedged.client import Connection
from wedged.client.certificates import verified_by
from wedged.errors import DeadlinePassed, LabError, ServerDidNotStart
from wedged.facts.process import ProcessFacts
from wedged.facts.server import Line
from wedged.lab.bench import Bench
from wedged.lab.incarnation import Incarnation, hang_up, listen_to
from wedged.lab.process_tree import is_running, send
from wedged.lab.server_process import ServerProcess, free_port
from wedged.lab.terminal import Terminal, open_terminal, own_state
from wedged.waiting import wait_for, wait_until

_STDIO = "--stdio"
_PASSWORDS = ("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD")
_START_S = 60.0
_GONE_S = 5.0
_PATIENCE_S = 2.0


@dataclass(frozen=True)
class TerminalServer:
    """The client's process and its server's, which are one on V1, and that server as an incarnation: its
    connection, and its events on the bench's timeline."""

    bench: Bench
    terminal: Terminal
    client: ProcessFacts
    server: ProcessFacts
    incarnation: Incarnation

    @property
    def connection(self) -> Connection:
        """The connection to its server."""
        return self.incarnation.connection

    def end_client(self, seconds: float) -> None:
        """SIGKILL to the client alone, and wait until its server has ended by itself.

        Raises:
            DeadlinePassed: it has not, within `seconds`.
            LabError: they are one process.
        """
        if self.client.pid == self.server.pid:
            raise LabError("the client is its own server")
        self._kill(self.client)
        if not wait_until(lambda: not is_running(self.server), seconds, every=0.05):
            raise DeadlinePassed("the server to end after its client", seconds)

    def kill_server(self) -> None:
        """SIGKILL to the server alone (V1: to the one process)."""
        self._kill(self.server)
        self._await_gone(self.server)

    def kill(self) -> None:
        """SIGKILL to both at once, as the machine's end would be."""
        self._kill(self.server, self.client)
        self._await_gone(self.server, self.client)

    def tell(self, number: signal.Signals) -> None:
        """Send the client a signal that does not end it.

        Raises:
            LabError: it runs no more.
        """
        if not send(self.client, number):
            raise LabError("the client runs no more")

    def family(self) -> tuple[ProcessFacts, ...]:
        """Everything that the terminal has started and that runs."""
        return self.terminal.below()

    def _kill(self, *processes: ProcessFacts) -> None:
        self.incarnation.recorder.expect_end()
        for process in processes:
            send(process, signal.SIGKILL)

    def _await_gone(self, *processes: ProcessFacts) -> None:
        wait_for(lambda: not any(map(is_running, processes)), "what was killed to be gone", _GONE_S)


@contextmanager
def terminal_server(bench: Bench) -> Iterator[TerminalServer]:
    """Open a client on the bench's home with a server of its own; end both, and all they have started, on
    leaving.

    Raises:
        ServerDidNotStart: its server did not come up.
        CannotLook: its server does not answer.
    """
    v1, port = bench.identity.line is Line.V1, free_port()
    given = secrets.token_urlsafe(18)
    own = ("--port", str(port)) if v1 else ("--standalone",)
    with open_terminal(
        bench.server.keeper,
        bench.home,
        [*bench.installed.argv, *own],
        cwd=Path(bench.project()),
        env=dict.fromkeys(_PASSWORDS, given) | own_state(bench.home, f"client-{port}", animated=False),
    ) as terminal:
        try:
            client, server, listens = wait_for(
                lambda: _found(terminal, v1), "the terminal's server to listen", _START_S, every=0.1
            )
        except DeadlinePassed as error:
            raise ServerDidNotStart(f"{bench.installed.spec} on a terminal: {error}") from None
        # V2's client makes up a password of its own, and hands it on in the environment.
        password = given if v1 else _password(server)
        bench.normaliser.secret(password)
        url = f"http://127.0.0.1:{listens}"
        if not wait_until(lambda: _answers(url), _START_S, every=0.2):
            raise ServerDidNotStart(f"{bench.installed.spec} on a terminal listens, and answers nothing")
        bench.normaliser.add(url, "http://127.0.0.1:PORT")
        bench.normaliser.add(str(urlsplit(url).port), "PORT")
        process = ServerProcess(
            bench.installed, url, password, server, terminal.log, bench.home, bench.server.keeper
        )
        life = listen_to(process, bench.timeline, type(bench.recorder))
        try:
            yield TerminalServer(bench, terminal, client, server, life)
        finally:
            life.recorder.expect_end()
            hang_up(life)


def _found(terminal: Terminal, v1: bool) -> tuple[ProcessFacts, ProcessFacts, int] | None:
    """The client, its server, and the port on which that listens; None while there is none yet."""
    below = terminal.below()
    client = next((p for p in below if p.parent == terminal.process.pid), None)
    server = client if v1 else next((p for p in below if _STDIO in p.argv), None)
    port = _listening(server) if server else 0
    return (client, server, port) if client and server and port else None


def _listening(process: ProcessFacts) -> int:
    """The loopback port on which it listens, 0 for none."""
    try:
        found = psutil.Process(process.pid).net_connections(kind="inet")
    except psutil.Error:
        return 0
    return next((one.laddr.port for one in found if one.status == psutil.CONN_LISTEN), 0)


def _answers(url: str) -> bool:
    """Whether it answers anything. V1 listens before it serves: a request that comes in between is never
    answered, so that it takes a new one."""
    try:
        httpx.get(url + "/global/health", timeout=_PATIENCE_S, trust_env=False, verify=verified_by(url))
    except httpx.HTTPError:
        return False
    return True


def _password(process: ProcessFacts) -> str:
    """The one in its environment, "" for none."""
    try:
        environment = psutil.Process(process.pid).environ()
    except psutil.Error:
        return ""
    return next((environment[name] for name in _PASSWORDS if name in environment), "")
