"""Makes the databases of this folder again, with real servers: ``python make.py [NAME …]``.

Each server runs in the lab, in a home below /tmp/w, a path that says nothing of the machine. It is brought
into a state that holds something of everything, and killed; what its store then is goes into NAME.zip, with
the -wal, and with a list that names the sessions.
"""

import json
import sqlite3
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from wedged.client import Connection, connect
from wedged.facts.server import Line, ServerSpec
from wedged.facts.session import PartStatus, ToolPart
from wedged.lab.home import Home
from wedged.lab.keeper import Keeper
from wedged.lab.scripted_model import ScriptedModel
from wedged.lab.server_process import ServerProcess, start_server
from wedged.lab.timeline import Timeline
from wedged.lab.turns import Call, Script, Turn
from wedged.servers import install
from wedged.waiting import wait_for

HERE = Path(__file__).parent
NEUTRAL = "/tmp/w"
# The same bytes in every archive of the same files.
STAMP = (2026, 1, 1, 0, 0, 0)
QUESTION = {
    "questions": [
        {
            "question": "Which one?",
            "header": "Which",
            "options": [{"label": "left", "description": "L"}, {"label": "right", "description": "R"}],
        }
    ]
}


@dataclass
class Maker:
    """One server with the sessions that were made on it, by name."""

    server: ServerProcess
    connection: Connection
    model: ScriptedModel
    sessions: dict[str, str] = field(default_factory=dict)

    @property
    def shell(self) -> str:
        return "bash" if self.connection.line is Line.V1 else "shell"

    def run(self, command: str, **more: object) -> Turn:
        """A turn with one shell call."""
        return Turn(calls=(Call(self.shell, {"command": command, "description": "A command", **more}),))

    def prompt(self, name: str, *turns: Turn, directory: str = "") -> str:
        script = self.model.learn(Script(name, turns))
        where = directory or self.connection.reader.directory()
        session = self.connection.actor.create_session(directory=where, title=name)
        self.connection.actor.prompt(session, f"Do what the script says. {script.mark}", directory=where)
        self.sessions[name] = session
        return session

    def call(self, session: str, accept: Callable[[ToolPart], bool]) -> ToolPart:
        """Wait for a call of this session that is as wanted."""

        def found() -> ToolPart | None:
            return next((p for p in self.connection.reader.session(session).parts if accept(p)), None)

        return wait_for(found, f"a call of session {session}", 30)

    def idle(self, session: str, directory: str = "") -> None:
        wait_for(
            lambda: session not in self.connection.reader.statuses(directory),
            f"session {session} to be idle",
            30,
        )


def running(part: ToolPart) -> bool:
    return part.status is PartStatus.RUNNING


def begun(part: ToolPart) -> bool:
    """Running, and on V1, where it shows, with its work begun."""
    return running(part) and part.started is not False


def being_written(part: ToolPart) -> bool:
    return part.status in (PartStatus.PENDING, PartStatus.STREAMING)


def what_has_ended(maker: Maker) -> None:
    """Turns that are over, on every line."""
    maker.idle(maker.prompt("finished", maker.run("echo finished")))
    interrupted = maker.prompt("interrupted", maker.run("echo hello && sleep 602"))
    maker.call(interrupted, begun)
    maker.connection.actor.abort(interrupted)
    maker.idle(interrupted)


def what_has_not(maker: Maker, asking: str) -> None:
    """Turns that are not, on every line."""
    if maker.connection.line is Line.V1:
        outside = maker.server.home.outside
        maker.call(maker.prompt("asking", maker.run(f"mkdir -p {outside}/new")), running)
    else:
        maker.call(maker.prompt("asking", maker.run("echo asked"), directory=asking), running)
    maker.call(maker.prompt("running", maker.run("echo hello && sleep 600")), begun)
    maker.call(maker.prompt("question", Turn(calls=(Call("question", QUESTION),))), running)
    kid = maker.model.learn(Script("kid", (maker.run("echo hello && sleep 601"),)))
    task = {"description": "A sub-agent", "prompt": f"Do what the script says. {kid.mark}"}
    sub = (
        Call("task", task | {"subagent_type": "general"})
        if maker.connection.line is Line.V1
        else Call("subagent", task | {"agent": "general"})
    )
    parent = maker.prompt("parent", Turn(calls=(sub,)))
    children = wait_for(lambda: maker.connection.reader.children(parent), "the sub-agent", 30)
    maker.sessions["kid"] = children[0].id
    maker.call(children[0].id, begun)
    written = Call(maker.shell, {"command": "echo " + "never " * 30, "description": "A command"})
    maker.call(maker.prompt("written", Turn(calls=(written,), rate=100, stall_after=4)), being_written)


def of_v2(maker: Maker, asking: str) -> None:
    """The states that only V2 knows: a decline that ends the turn, one that does not, background shells."""
    for name, words in (("declined", ""), ("declined-with-words", "Not now.")):
        session = maker.prompt(name, maker.run(f"echo {name}"), directory=asking)
        (ask,) = wait_for(lambda s=session: maker.connection.reader.session_asks(s), "the ask", 30)  # type: ignore[misc]
        maker.connection.actor.reply(ask.id, "reject", session_id=session, directory=asking, message=words)
        maker.idle(session)
    ended = maker.prompt("background-ended", maker.run("echo hello", background=True))
    wait_for(lambda: maker.connection.reader.session(ended).answers >= 3, "the notice of its end", 30)
    maker.idle(ended)
    maker.idle(maker.prompt("background", maker.run("echo hello && sleep 603", background=True)))


@dataclass
class Stage:
    """A home with its model, in which servers run one after another."""

    keeper: Keeper
    model: ScriptedModel
    home: Home

    @property
    def asking(self) -> str:
        """A project in which every shell call is asked for."""
        return str(self.home.root / "projects" / "asking")

    @contextmanager
    def server(self, spec: str) -> Iterator[Maker]:
        installed = install(ServerSpec.parse(spec))
        server = start_server(self.keeper, installed, self.home, cwd=self.home.root / "projects" / "project")
        with connect(server.url, password=server.password, timeout=45) as connection:
            yield Maker(server, connection, self.model)
        server.stop()


@contextmanager
def staged() -> Iterator[Stage]:
    with Keeper.start() as keeper, ScriptedModel(Timeline(), 0) as model:
        home = Home(keeper.make_home("store"))
        home.project("project", model_url=model.url)
        home.project("asking", model_url=model.url, permission={"bash": "ask"})
        yield Stage(keeper, model, home)


def make(name: str, spec: str) -> None:
    """A server in all its states, killed."""
    with staged() as stage, stage.server(spec) as maker:
        what_has_ended(maker)
        if maker.connection.line is not Line.V1:
            of_v2(maker, stage.asking)
        _checkpoint(maker.server)
        what_has_not(maker, stage.asking)
        maker.connection.close()
        maker.server.kill()
        _pack(name, stage.home, maker.sessions)


def make_carried(name: str, first: str, second: str) -> None:
    """A V1 server killed in a running call, and a 2.x that took its file over and was stopped in order."""
    with staged() as stage:
        with stage.server(first) as before:
            before.call(before.prompt("running", before.run("echo hello && sleep 600")), begun)
            before.connection.close()
            before.server.kill()
        with stage.server(second) as after:
            after.idle(after.prompt("finished", after.run("echo finished")))
        _pack(name, stage.home, before.sessions | after.sessions)


def _store(home: Home) -> Path:
    (path,) = (Path(home.env["XDG_DATA_HOME"]) / "opencode").glob("opencode*.db")
    return path


def _checkpoint(server: ServerProcess) -> None:
    """Empty the -wal once: its megabytes of set-up say nothing. What comes after is in it again."""
    with closing(sqlite3.connect(_store(server.home))) as connection:
        connection.execute("pragma wal_checkpoint(truncate)").fetchone()


def _pack(name: str, home: Home, sessions: dict[str, str]) -> None:
    store = _store(home)
    with zipfile.ZipFile(HERE / f"{name}.zip", "w") as archive:
        for suffix in ("", "-wal"):
            path = Path(f"{store}{suffix}")
            if path.exists():
                archive.writestr(zipfile.ZipInfo(path.name, STAMP), path.read_bytes(), zipfile.ZIP_LZMA)
        text = json.dumps(sessions, indent=1, sort_keys=True)
        archive.writestr(zipfile.ZipInfo("sessions.json", STAMP), text, zipfile.ZIP_LZMA)
        sizes = ", ".join(f"{entry.filename} {entry.file_size}" for entry in archive.infolist())
    print(f"{name}.zip: {(HERE / f'{name}.zip').stat().st_size} bytes ({sizes})")  # noqa: T201


MAKERS: dict[str, Callable[[], None]] = {
    "v1-1.17.18": lambda: make("v1-1.17.18", "v1@1.17.18"),
    "v2-0.0.0-next-16350": lambda: make("v2-0.0.0-next-16350", "v2@0.0.0-next-16350"),
    "v2-2.0.15": lambda: make("v2-2.0.15", "v2@2.0.15"),
    "v1-carried-to-2.0.15": lambda: make_carried("v1-carried-to-2.0.15", "v1@1.17.18", "v2@2.0.15"),
}

if __name__ == "__main__":
    Path(NEUTRAL).mkdir(exist_ok=True)
    tempfile.tempdir = NEUTRAL
    for wanted in sys.argv[1:] or MAKERS:
        MAKERS[wanted]()
