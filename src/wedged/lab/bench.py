"""One warmed server with everything around it that an experiment needs."""

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from wedged.client import Connection, connect
from wedged.client.v1 import events as v1_events
from wedged.errors import UnknownDialect
from wedged.evidence import Normaliser
from wedged.facts.server import Line, ServerIdentity, SpecKind
from wedged.facts.trial import Lane
from wedged.lab.binary_hash import running_binary_sha256
from wedged.lab.home import Home
from wedged.lab.keeper import Keeper
from wedged.lab.recorder import Recorder
from wedged.lab.scripted_model import ScriptedModel
from wedged.lab.server_process import ServerProcess, start_server
from wedged.lab.timeline import Timeline
from wedged.lab.turns import Call, Script, Turn
from wedged.servers import InstalledServer

# What each line calls the tool that runs a command.
_SHELL_TOOL = {Line.V1: "bash", Line.V2_PREVIEW: "shell", Line.V2_RELEASED: "shell"}
_IDLE_S = 30.0
# A server with twenty sessions at once may take its time to answer; how long is no evidence of anything.
_PATIENCE_S = 45.0


@dataclass(frozen=True, slots=True)
class Prompted:
    """A prompt that was sent: where, by which script, and when (seconds on the timeline)."""

    session: str
    directory: str
    script: Script
    at: float


@dataclass(frozen=True)
class Bench:
    """A running server, the scripted model behind it, the recorder beside it, and the clock they share."""

    installed: InstalledServer
    home: Home
    server: ServerProcess
    model: ScriptedModel
    recorder: Recorder
    timeline: Timeline
    connection: Connection
    identity: ServerIdentity
    normaliser: Normaliser
    _projects: dict[str, Path] = field(default_factory=dict)
    _making: threading.Lock = field(default_factory=threading.Lock)

    @property
    def shell_tool(self) -> str:
        """The name of the tool that runs a command."""
        return _SHELL_TOOL[self.identity.line]

    def whole_identity(self) -> ServerIdentity:
        """The identity with the API document's hash, which a cold server needs two seconds for."""
        return replace(self.identity, openapi_sha256=self.connection.reader.openapi_sha256())

    def project(
        self,
        name: str = "project",
        permission: Mapping[str, object] | str | None = None,
        plugin: str = "",
    ) -> str:
        """The directory of this name, made on first use. One directory is one permission config.

        `plugin` is the JavaScript of a plugin that the server loads there.
        """
        with self._making:
            if name not in self._projects:
                path = self.home.project(name, permission=permission, model_url=self.model.url)
                if plugin:
                    self.home.add_plugin(path, plugin)
                self.normaliser.add(str(path), f"/{name}")
                self._projects[name] = path
            return str(self._projects[name])

    def prompt(self, script: Script, directory: str, words: str = "Do what the script says.") -> Prompted:
        """Create a session in `directory` and send it a prompt that `script` answers."""
        self.model.learn(script)
        session = self.connection.actor.create_session(directory=directory, title=script.name)
        self.model.attribute(script, session)
        at = self.timeline.now()
        with self.timeline.call(session, "prompt"):
            self.connection.actor.prompt(session, f"{words} {script.mark}", directory=directory)
        return Prompted(session, directory, script, at)

    def wait_idle(self, prompted: Prompted, seconds: float = _IDLE_S) -> float:
        """Wait until the server says that the turn is over; the seconds it took since the prompt."""
        over = self.timeline.wait_for(
            prompted.session,
            lambda o: o.lane is Lane.STATUS and o.kind == "idle",
            f"session {prompted.script.name} to become idle",
            seconds,
            after=prompted.at,
        )
        return over.t - prompted.at

    def warm_up(self, directory: str, seconds: float = _IDLE_S) -> None:
        """One turn with one shell call, which must be seen to end within `seconds`: a server's first turn is
        slow, and belongs in no window.

        Raises:
            DeadlinePassed: it was not.
        """
        script = Script("warm-up", (Turn(calls=(Call(self.shell_tool, shell("echo warm")),)),))
        self.wait_idle(self.prompt(script, directory), seconds)


def shell(command: str) -> dict[str, object]:
    """The input of a shell call. The servers ask for a description, and store it as given."""
    return {"command": command, "description": "Runs the command of the script"}


@contextmanager
def open_bench(
    installed: InstalledServer,
    keeper: Keeper,
    *,
    seed: int = 0,
    model: Callable[[Timeline, int], ScriptedModel] = ScriptedModel,
    recorder: type[Recorder] = Recorder,
    protected: bool = True,
) -> Iterator[Bench]:
    """Start `installed` in a home of its own, with a model and a recorder; end all of it on leaving.

    `protected` gives the server a password, as a careful user would. The server has loaded nothing yet:
    call `Bench.warm_up` before anything is timed.
    """
    timeline = Timeline()
    normaliser = Normaliser()
    with ExitStack() as stack:
        scripted = stack.enter_context(model(timeline, seed))
        home = Home(keeper.make_home(installed.line.value))
        stack.callback(keeper.drop_home, home.root)
        password = secrets.token_urlsafe(18) if protected else ""
        start = home.project("project", model_url=scripted.url)
        server = start_server(keeper, installed, home, cwd=start, password=password)
        stack.callback(server.stop)
        connection = stack.enter_context(connect(server.url, password=server.password, timeout=_PATIENCE_S))
        identity = replace(connection.reader.identity(), binary_sha256=_binary_sha256(installed, server))
        route, decode = _stream(identity.line)
        auth = httpx.BasicAuth("opencode", server.password) if server.password else None
        ears = stack.enter_context(recorder(server.url, route, decode, timeline, auth))
        for text, name in (
            (str(start), "/project"),
            (str(home.outside), "/outside"),
            (str(home.root), "/home"),
            (server.url, "http://127.0.0.1:PORT"),
            (str(urlsplit(server.url).port), "PORT"),
            (str(Path(installed.argv[0]).parent), "/servers"),
            (scripted.url, "http://127.0.0.1:MODEL/v1"),
        ):
            normaliser.add(text, name)
        normaliser.secret(server.password)
        bench = Bench(installed, home, server, scripted, ears, timeline, connection, identity, normaliser)
        bench._projects["project"] = start
        yield bench


def _binary_sha256(installed: InstalledServer, server: ServerProcess) -> str:
    """What has to run: what the registry promised; for a user's own command, what runs behind it."""
    given = installed.spec.kind in (SpecKind.PATH, SpecKind.CMD)
    return running_binary_sha256(server.process.pid) if given else installed.sha256


def _stream(line: Line) -> tuple[str, Callable[[object], tuple[Lane, str, str, dict[str, object]] | None]]:
    if line is Line.V1:
        return v1_events.ROUTE, v1_events.decode_event
    raise UnknownDialect(f"the lab does not speak {line.value} yet")
