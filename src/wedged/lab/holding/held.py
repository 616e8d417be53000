"""`held`: start a server, bring it into a state, keep it there, end everything."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from wedged.catalog import by_code
from wedged.errors import LabError
from wedged.facts.server import Line, ServerSpec
from wedged.lab.bench import Bench, open_bench
from wedged.lab.conformance import RecordingProxy, Scene, Sheet, judge
from wedged.lab.holding.bringing import Brought, bring
from wedged.lab.holding.observing import observed
from wedged.lab.holding.states import HELD_STATES, HeldState
from wedged.lab.keeper import Keeper
from wedged.lab.server_process import must_be_free
from wedged.servers import install, resolve

USER = "opencode"
_SCHEMA = 1
_ENVIRONMENT = ("OPENCODE_SERVER_PASSWORD", "OPENCODE_PASSWORD")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Held:
    """A server in a state. `url` is what a client under test is pointed at, with `password` and the user
    ``opencode``; `password_file` holds the password too, readable by this user alone.

    `server` is the server's key (``v1@1.17.18``), `pid` its process, `session` the one that is in the state
    and `directory` its own; the rest of `scene` says what belongs to it. `state` says what is wrong and what
    a right client shows.
    """

    code: str
    url: str
    server: str
    scene: Scene
    state: HeldState
    password_file: Path
    password: str = field(repr=False)
    bench: Bench = field(repr=False)
    _brought: Brought = field(repr=False)
    _proxy: "RecordingProxy | None" = field(repr=False)

    @property
    def session(self) -> str:
        """The session that is in the state."""
        return self.scene.session

    @property
    def directory(self) -> str:
        """Its directory."""
        return self.scene.directory

    @property
    def line(self) -> Line:
        """Which dialect is spoken."""
        return self.scene.line

    @property
    def pid(self) -> int:
        """The server's process; after a crash that belongs to the state, the one started since."""
        return self.bench.server.process.pid

    def alive(self) -> bool:
        """Whether every server of the state still runs."""
        other = self._brought.other
        return self.bench.server.alive() and (other is None or other.process.alive())

    def environment(self) -> Mapping[str, str]:
        """What a client's process gets: ``WEDGED_HELD`` with `json_line`, and the password."""
        return {"WEDGED_HELD": self.json_line()} | dict.fromkeys(_ENVIRONMENT, self.password)

    def json_line(self) -> str:
        """The state as one line of JSON, schema 1; the password is not in it."""
        scene = self.scene
        return json.dumps(
            {
                "schema": _SCHEMA,
                "code": self.code,
                "server": self.server,
                "url": self.url,
                "pid": self.pid,
                "user": USER,
                "password_file": str(self.password_file),
                "session": scene.session,
                "directory": scene.directory,
                "children": list(scene.children),
                "asks": [ask.id for ask in scene.asks],
                "shells": list(scene.shells),
                "wrong": self.state.wrong,
                "right_client_shows": self.state.right_client_shows,
            }
        )

    def sheet(self) -> Sheet:
        """What the record says of the client so far.

        Raises:
            LabError: it was not observed.
        """
        if self._proxy is None:
            raise LabError("nothing was recorded: hold the server with observe=True (`--observe`)")
        return judge(self.scene, self._proxy.record(), server=self.server, over=self._proxy.now())


@contextmanager
def held(
    code: str,
    server: str | ServerSpec = "",
    *,
    port: int = 0,
    observe: bool = False,
    say: Say = lambda _: None,
) -> Iterator[Held]:
    """Start a real server in a home of its own and hold it in the state of `code` until the block ends.

    `server` is a spec (``v1@1.17.18``); without one, a server on which the class is known to be present.
    `port` is where it listens, 0 for a free one. `observe` puts a recording proxy before it, which `url` is
    then; for W102 the ask is still there, and goes once the client has read of it. `say` is told what goes
    on, one sentence at a time.

    Raises:
        UnknownCode, BadServerSpec: no such class, no such spec.
        InstallError: the server can't be had.
        LabError: it can't be brought into the state, and why; or `port` is taken.
    """
    code = by_code(code).code
    state = HELD_STATES[code]
    spec = server if isinstance(server, ServerSpec) else ServerSpec.parse(server or state.server)
    installed = install(resolve(spec), say)
    if installed.line in state.not_on:
        raise LabError(f"{spec} has no {code}: {state.not_on[installed.line]}")
    must_be_free(port)
    with ExitStack() as stack:
        say(f"starting {spec}")
        keeper = stack.enter_context(Keeper.start())
        bench = stack.enter_context(open_bench(installed, keeper, port=0 if observe else port))
        bench.warm_up(bench.project())
        say(f"bringing it into {code}")
        yield stack.enter_context(held_on(bench, code, port=port, observe=observe))


@contextmanager
def held_on(
    bench: Bench, code: str, *, port: int = 0, observe: bool = False, name: str = "held"
) -> Iterator[Held]:
    """A session of `bench` in the state of `code` until the block ends; for several on one server.

    `name` is the session's and must be new on this bench. `port` is the proxy's.

    Raises:
        LabError: it can't be brought into the state, and why; or `port` is taken.
    """
    with ExitStack() as stack:
        brought = stack.enter_context(bring(bench, code, late=observe, name=name))
        proxy = stack.enter_context(observed(bench, brought, port)) if observe else None
        yield Held(
            code=code,
            url=proxy.url if proxy else bench.server.url,
            server=bench.identity.key,
            scene=brought.scene,
            state=HELD_STATES[code],
            password_file=_write_down(bench),
            password=bench.server.password,
            bench=bench,
            _brought=brought,
            _proxy=proxy,
        )


def _write_down(bench: Bench) -> Path:
    """The password, in a file that is made for this user alone."""
    path = bench.home.root / "password"
    if not path.exists():
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(bench.server.password)
    return path
