"""One warmed server with everything around it that an experiment needs."""

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from wedged.client import Connection
from wedged.errors import LabError
from wedged.evidence import Normaliser
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.trial import Lane
from wedged.lab.home import Home
from wedged.lab.incarnation import How, Incarnation, Past, end, expected_sha256, hang_up, listen_to
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


@dataclass(frozen=True, slots=True)
class Prompted:
    """A prompt that was sent: where, by which script, and when (seconds on the timeline)."""

    session: str
    directory: str
    script: Script
    at: float


@dataclass(frozen=True)
class Bench:
    """A running server, the scripted model behind it, the recorder beside it, and the clock they share.

    `server`, `connection` and `recorder` are those of the current incarnation: after a restart they are
    others. `past` holds the incarnations that are over, oldest first. `routes` are the paths of the server's
    API document, each with its methods; empty until somebody has read it.
    """

    installed: InstalledServer
    home: Home
    model: ScriptedModel
    timeline: Timeline
    identity: ServerIdentity
    normaliser: Normaliser
    start: Callable[[bool], Incarnation]
    _lives: list[Incarnation]
    past: list[Past] = field(default_factory=list)
    routes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _projects: dict[str, Path] = field(default_factory=dict)
    _making: threading.Lock = field(default_factory=threading.Lock)

    @property
    def current(self) -> Incarnation:
        """The server of now, or the last one where it was ended and none was started yet."""
        return self._lives[-1]

    @property
    def incarnations(self) -> tuple[Incarnation, ...]:
        """Every one so far, oldest first."""
        return tuple(self._lives)

    @property
    def server(self) -> ServerProcess:
        """The current incarnation's process."""
        return self.current.server

    @property
    def connection(self) -> Connection:
        """The connection to the current incarnation."""
        return self.current.connection

    @property
    def recorder(self) -> Recorder:
        """The recorder beside the current incarnation."""
        return self.current.recorder

    def end_server(self, how: How) -> Past:
        """End the server alone, by that signal. What it started goes on; the model and the home stay.

        On the timeline: ``stream ends`` (recorder lane), then ``server ended`` (process lane).

        Raises:
            LabError: it was ended already, or its event stream outlived it.
        """
        if len(self.past) == len(self._lives):
            raise LabError("the server was ended already")
        self.past.append(end(self.current, how, self.timeline))
        return self.past[-1]

    def start_again(self, *, service: bool | None = None) -> Incarnation:
        """Start the next incarnation on the same home: another port, the same password, model and clock.

        `service` None: as the one before. What the server does before its event stream is followed is in no
        event; the model's log has no such hole. On the timeline: ``restarted`` (recorder lane), from when on
        everything is heard again.

        Raises:
            LabError: the server before was not ended by `end_server`.
            ServerDidNotStart: it did not come up.
        """
        if len(self.past) < len(self._lives):
            raise LabError("a second server on one home: end the one before first")
        as_before = self.server.service if service is None else service
        self._lives.append(self.start(as_before))
        self.timeline.add(
            Lane.RECORDER,
            "restarted",
            service=as_before,
            seconds=round(self.timeline.now() - self.past[-1].at, 3),
        )
        return self.current

    def restart(self, how: How) -> Past:
        """End the server by that signal, then start it again in the same mode; how the old one ended."""
        past = self.end_server(how)
        self.start_again()
        return past

    def through(self, other: Incarnation) -> "Bench":
        """The same bench with another server of its home in the place of its own: that one is asked."""
        return replace(self, _lives=[other], past=[])

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
    service: bool = False,
    port: int = 0,
) -> Iterator[Bench]:
    """Start `installed` in a home of its own, with a model and a recorder; end all of it on leaving.

    `protected` gives the server a password, as a careful user would. `service` starts V2's shared service
    instead of a plain server. `port` is where every incarnation listens, 0 for a free one each. The server
    has loaded nothing yet: call `Bench.warm_up` before anything is timed.
    """
    timeline = Timeline()
    normaliser = Normaliser()
    with ExitStack() as stack:
        scripted = stack.enter_context(model(timeline, seed))
        home = Home(keeper.make_home(installed.line.value))
        stack.callback(keeper.drop_home, home.root)
        password = secrets.token_urlsafe(18) if protected else ""
        project = home.project("project", model_url=scripted.url)

        def start(as_service: bool) -> Incarnation:
            server = start_server(
                keeper, installed, home, cwd=project, password=password, service=as_service, port=port
            )
            stack.callback(server.stop)
            life = listen_to(server, timeline, recorder)
            stack.callback(hang_up, life)
            for text, name in (
                (server.url, "http://127.0.0.1:PORT"),
                (str(urlsplit(server.url).port), "PORT"),
            ):
                normaliser.add(text, name)
            normaliser.secret(server.password)
            return life

        first = start(service)
        identity = replace(first.connection.reader.identity(), binary_sha256=expected_sha256(first))
        for text, name in (
            (str(project), "/project"),
            (str(home.outside), "/outside"),
            (str(home.root), "/home"),
            (str(Path(installed.argv[0]).parent), "/servers"),
            (scripted.url, "http://127.0.0.1:MODEL/v1"),
        ):
            normaliser.add(text, name)
        bench = Bench(installed, home, scripted, timeline, identity, normaliser, start, [first])
        bench._projects["project"] = project
        yield bench
