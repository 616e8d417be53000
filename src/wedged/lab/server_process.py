"""A real server as a process: start it, know it, stop it."""

import contextlib
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from wedged.client.certificates import verified_by
from wedged.errors import DeadlinePassed, LabError, ServerDidNotStart
from wedged.facts.process import ProcessFacts
from wedged.facts.redaction import redact
from wedged.facts.server import Line
from wedged.lab import process_tree, shared_service
from wedged.lab.home import Home
from wedged.lab.keeper import Ended, Keeper
from wedged.servers import InstalledServer
from wedged.waiting import wait_for

# Where a line reads its password. A server of unknown line is told by both names.
_PASSWORD_NAMES = {Line.V1: ("OPENCODE_SERVER_PASSWORD",), Line.V2_PREVIEW: ("OPENCODE_PASSWORD",)}
_BOTH = ("OPENCODE_SERVER_PASSWORD", "OPENCODE_PASSWORD")
_ALWAYS_PROTECTED = (Line.V2_PREVIEW, Line.V2_RELEASED)

_LISTENS = re.compile(r"server listening on (http://\S+)")
_PASSWORD = re.compile(r"server password (\S+)")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PORTS_TRIED = 3
_LAST_LINES = 12
_LAST_BYTES = 1 << 16


@dataclass(frozen=True)
class ServerProcess:
    """A server that said it listens at `url`. `password` is "" where it asks for none. `service`: it is its
    home's shared service, which resumes what it finds unfinished."""

    installed: InstalledServer
    url: str
    password: str
    process: ProcessFacts
    log: Path
    home: Home
    keeper: Keeper
    service: bool = False

    def __repr__(self) -> str:
        return f"ServerProcess({self.installed.spec}, {self.url}, pid {self.process.pid})"

    def alive(self) -> bool:
        """Whether this very process still runs: same pid and same start, not a zombie."""
        return process_tree.is_running(self.process)

    def tree(self) -> tuple[ProcessFacts, ...]:
        """The server and what is below it now; empty when it has ended."""
        return process_tree.tree(self.process)

    def family(self) -> tuple[ProcessFacts, ...]:
        """The server and everything it ever started that still runs, what outlived its parents included."""
        return self.keeper.family(self.process)

    def raw_client(self, seconds: float) -> httpx.Client:
        """A client for requests that are sent as they are; each gets `seconds`.

        Close it after use. It raises httpx's own errors.
        """
        auth = httpx.BasicAuth("opencode", self.password) if self.password else None
        return httpx.Client(
            base_url=self.url, auth=auth, trust_env=False, verify=verified_by(self.url), timeout=seconds
        )

    def words(self) -> str:
        """The last lines it printed, redacted."""
        return last_words(self.log, self.password)

    def stop(self, seconds: float = 5.0, *, leave_children: bool = False) -> Ended:
        """SIGTERM, SIGKILL when it has not ended within `seconds`, then whatever it started and left behind.

        Stopping a server that has ended already ends what it left.
        """
        ended = self.keeper.terminate(self.process, seconds)
        if not leave_children:
            self.keeper.end_tree(self.process)
        return ended

    def kill(self) -> Ended:
        """SIGKILL of the server alone, as a crash would end it. What it started goes on."""
        return self.keeper.kill(self.process)


def start_server(
    keeper: Keeper,
    installed: InstalledServer,
    home: Home,
    *,
    cwd: Path,
    password: str = "",
    service: bool = False,
    seconds: float = 30.0,
    port: int = 0,
) -> ServerProcess:
    """Start a server on a free loopback port, or on `port`, and wait until it says that it listens.

    V2 servers always ask for a password; without one given they make one, which is then in `password`.
    Starting twice in one home is a restart on the same store. `service` starts V2's shared service
    (``serve --service``).

    Raises:
        ServerDidNotStart: it ended, or said nothing within `seconds`; the message ends with its last words.
        LabError: a V1 has no shared service; or somebody else has `port`.
    """
    must_be_free(port)
    if service and installed.line is Line.V1:
        raise LabError(f"{installed.spec} has no shared service; only V2 has")
    # The service takes its password from a file alone.
    env = (
        home.env | dict.fromkeys(_PASSWORD_NAMES.get(installed.line, _BOTH), password)
        if password and not service
        else home.env
    )
    for attempt in range(1, _PORTS_TRIED + 1):
        # Not `--port 0`: V1 takes 4096 then when it is free, which is where the user's own clients look.
        on = port or free_port()
        log = _new_log(home)
        if service or (installed.line in _ALWAYS_PROTECTED and not shared_service.configured(home.env)):
            # Beside a plain server too: should anything in this home start the service, it must not take the
            # port on which the user's own one would be.
            shared_service.configure(home.env, port=on if service else free_port(), password=password)
        how = ("--service",) if service else ()
        argv = (*installed.argv, "serve", *how, "--port", str(on))
        process = keeper.spawn(argv, env=env, cwd=cwd, log=log)
        try:
            url = _await_url(keeper, installed, process, log, password, seconds)
            if service:
                password = _await_registration(home, process, seconds).password
            elif not password and installed.line in _ALWAYS_PROTECTED:
                password = _await_password(log, seconds)
        except ServerDidNotStart:
            keeper.end_tree(process)
            if attempt < _PORTS_TRIED and not port and _taken(on):
                continue  # somebody else took it between our look and the server's
            raise
        except BaseException:
            keeper.end_tree(process)
            raise
        return ServerProcess(installed, url, password, process, log, home, keeper, service)
    raise AssertionError("unreachable")


def last_words(log: Path, password: str = "") -> str:
    """The last lines of a server's log, redacted."""
    with contextlib.suppress(OSError), log.open("rb") as file:
        # The preview prints its events by the megabyte; the end is all that is wanted.
        file.seek(max(log.stat().st_size - _LAST_BYTES, 0))
        lines = file.read().decode(errors="replace").strip().splitlines()
        return redact("\n".join(lines[-_LAST_LINES:]), [password])
    return ""


def _await_url(
    keeper: Keeper,
    installed: InstalledServer,
    process: ProcessFacts,
    log: Path,
    password: str,
    seconds: float,
) -> str:
    def said_or_ended() -> tuple[str, Ended | None] | None:
        ended = keeper.ended(process)
        url = _printed(_LISTENS, log)
        return (url, ended) if url or ended else None

    def failed(what: str) -> ServerDidNotStart:
        words = last_words(log, password)
        return ServerDidNotStart(
            f"{installed.spec} {what}" + (f": {words}" if words else "; it said nothing")
        )

    try:
        url, ended = wait_for(said_or_ended, "the server to listen", seconds)
    except DeadlinePassed:
        raise failed(f"did not say within {seconds:g} s that it listens") from None
    if ended:
        how = f"signal {ended.signal}" if ended.signal else f"status {ended.returncode}"
        raise failed(f"ended with {how} before it listened")
    parts = urlsplit(url)
    if parts.hostname not in _LOOPBACK or not parts.port:
        raise failed("listens somewhere else than on a loopback port")
    return url


def _await_password(log: Path, seconds: float) -> str:
    return wait_for(lambda: _printed(_PASSWORD, log), "the server to print its password", seconds)


def _await_registration(home: Home, process: ProcessFacts, seconds: float) -> shared_service.Registration:
    """What this very process wrote: after a crash the file still names the one before."""

    def own() -> shared_service.Registration | None:
        found = shared_service.registration(home.env)
        return found if found and found.pid == process.pid else None

    return wait_for(own, "the service to write where it listens", seconds)


def _printed(pattern: re.Pattern[str], log: Path) -> str:
    with contextlib.suppress(OSError):
        # Only whole lines: the last one may still be on its way.
        text = log.read_text(errors="replace").rpartition("\n")[0]
        if found := pattern.search(text):
            return found[1]
    return ""


def _new_log(home: Home) -> Path:
    number = sum(1 for _ in home.logs.iterdir()) + 1
    return home.logs / f"server-{number}.log"


def free_port() -> int:
    """A loopback port that nobody has at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def must_be_free(port: int) -> None:
    """Nothing, where `port` is 0 or nobody has it at this moment.

    Raises:
        LabError: somebody has.
    """
    if port and _taken(port):
        raise LabError(f"port {port} of 127.0.0.1 is taken")


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        # What an earlier listener's closed connections leave behind takes no port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False
