"""What a notebook works with: a server to talk to by hand, then the lab's trials of the same thing.

The by-hand half shows each request and answer. The measured half is written to the run folder by the lab; the
notebook reads it back and shows it, so that a verdict never depends on a cell.
"""

import atexit
import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from wedged.catalog import by_code
from wedged.errors import LabError
from wedged.evidence import RunFolder, new_run
from wedged.facts.recovery import Request
from wedged.facts.server import ServerSpec
from wedged.facts.session import ToolPart
from wedged.facts.shown import Shown, table
from wedged.facts.trial import Trial
from wedged.lab.bench import Bench, open_bench, shell
from wedged.lab.campaign import measure
from wedged.lab.keeper import Keeper
from wedged.lab.lifeline import follow_parent
from wedged.lab.scenarios import scenario
from wedged.lab.turns import Call, Script, Turn
from wedged.servers import install, resolve

_IDLE_S = 30.0
_LINE = 100


class Lesson:
    """One notebook's run. `begin` reads where the build wants the results; by hand in JupyterLab they go to a
    folder of their own under ``runs/``, and everything else is the same."""

    def __init__(
        self, code: str, specs: tuple[ServerSpec, ...], trials: int, seed: int, folder: RunFolder
    ) -> None:
        """Use `begin`."""
        self.failure_class = by_code(code)
        self.folder = folder
        self._specs, self._trials, self._seed = specs, trials, seed
        self._ends = ExitStack()
        atexit.register(self.close)
        self.keeper = self._ends.enter_context(Keeper.start())
        self._bench: Bench | None = None

    @classmethod
    def begin(cls, code: str, *, servers: str, trials: int, seed: int) -> Self:
        """Start the keeper. `servers` is a list of server specs separated by blanks."""
        follow_parent(int(os.environ.get("WEDGED_PARENT") or 0))
        specs = ServerSpec.parse_all(servers)
        place = os.environ.get("WEDGED_RUN")
        folder = RunFolder.open(Path(place)) if place else _by_hand(seed)
        return cls(code, specs, trials, seed, folder)

    @property
    def bench(self) -> Bench:
        """The server of the by-hand half.

        Raises:
            LabError: `start_server` was not called.
        """
        if self._bench is None:
            raise LabError("no server yet: call start_server() first")
        return self._bench

    @property
    def outside(self) -> str:
        """A folder that is in no project."""
        return str(self.bench.home.outside)

    def start_server(self) -> Shown:
        """Start the first server of the list in a home of its own, with one warm turn behind it."""
        installed = install(resolve(self._specs[0]))
        self._bench = self._ends.enter_context(open_bench(installed, self.keeper, seed=self._seed))
        self.bench.warm_up(self.bench.project())
        # Clock times in an answer become seconds since now.
        self._names = self.bench.normaliser.trial(origin_ms=round(time.time() * 1000))
        identity = self.bench.whole_identity()
        return table(
            ("line", "version", "binary (sha256)", "OpenAPI (sha256)"),
            [(identity.line, identity.version, identity.binary_sha256[:16], identity.openapi_sha256[:16])],
        )

    def send(self, method: str, path: str, body: dict[str, object] | None = None) -> object:
        """Send one request, print it and its answer as a reader may see them, and return the answer."""
        answer = self._send(method, path, body)
        shown = "(no content)" if answer is None else _document(self._names.value(answer))
        self._print(method, path, body, shown)
        return answer

    def _send(self, method: str, path: str, body: dict[str, object] | None) -> object:
        return self.bench.connection.actor.send(Request(method, path, body))

    def _print(self, method: str, path: str, body: dict[str, object] | None, answer: str) -> None:
        said = "" if body is None else "\n" + _document(self._names.value(body))
        print(f"{method} {self._names.text(path)}{said}\n→ {self._names.text(answer)}\n")  # noqa: T201

    def session(self, title: str) -> str:
        """Create a session, as `send` does, and return its id. Of the long answer only the id is printed.

        Raises:
            LabError: the answer holds no id.
        """
        answer = self._send("POST", "/session", {"title": title})
        if not isinstance(answer, dict) or not isinstance(answer.get("id"), str):
            raise LabError("the server created no session")
        self._print("POST", "/session", {"title": title}, f'{{"id": "{answer["id"]}", …}}')
        return str(answer["id"])

    def tell_model(self, name: str, *commands: str) -> str:
        """Have the model answer with these shell calls in one response; what the prompt must carry."""
        calls = tuple(Call(self.bench.shell_tool, shell(command)) for command in commands)
        return self.bench.model.learn(Script(name, (Turn(calls=calls),))).mark

    def until(self, session: str, what: str) -> None:
        """Wait until the session ``idle`` or ``asked``.

        Raises:
            DeadlinePassed: it did not, within 30 s.
        """
        kinds = {"idle": ("idle",), "asked": ("permission.asked", "question.asked")}[what]
        self.bench.timeline.wait_for(session, lambda o: o.kind in kinds, f"the session to be {what}", _IDLE_S)

    def parts(self, *sessions: str) -> Shown:
        """The tool calls of these sessions as the server has stored them, with the session's status."""
        reader, rows = self.bench.connection.reader, []
        for session in sessions:
            seen = reader.session(session, self.bench.project())
            rows += [(seen.title, seen.status, *self._row(part)) for part in seen.parts]
        return table(("session", "status", "command", "part", "output or error"), rows)

    def _row(self, part: ToolPart) -> tuple[str, str, str]:
        command = self._names.text(str(part.input.get("command", "")))
        return command, part.status.value, self._names.text(part.error or part.output).strip()

    def exists(self, path: str) -> bool:
        """Whether a path is there on disk."""
        return Path(path).exists()

    def processes(self) -> Shown:
        """The server and everything below it, one row a process."""
        rows = [(p.name, self._names.text(" ".join(p.argv))) for p in self.bench.server.tree()]
        return table(("process", "command"), rows)

    def doctor(self, *options: str) -> dict[str, Any]:
        """Run `wedged doctor` on this server as a user would: print its report, return its JSON document.

        Raises:
            LabError: it could not look; the message is its own.
        """
        text = self._doctor(*options)
        print(self._names.text(text).rstrip())  # noqa: T201
        report = json.loads(self._doctor("--json", *options))
        if not isinstance(report, dict):
            raise LabError("doctor printed no JSON document")
        return report

    def _doctor(self, *options: str) -> str:
        server = self.bench.server
        done = subprocess.run(
            [sys.executable, "-m", "wedged", "doctor", server.url, *options],
            env=os.environ | {"OPENCODE_SERVER_PASSWORD": server.password},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode not in (0, 1):
            raise LabError(f"doctor ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def measure(self) -> tuple[Trial, ...]:
        """Run the lab's trials on every server of the list; each is in the run folder when this returns."""
        plan = scenario(self.failure_class.code)
        return measure(
            plan,
            self._specs,
            self.folder,
            self.keeper,
            trials=self._trials,
            seed=self._seed,
            announce=lambda line: print(line, file=sys.stderr),  # noqa: T201
        )

    def close(self) -> None:
        """End everything. Safe to call twice; called at the kernel's exit too."""
        atexit.unregister(self.close)
        self._bench = None
        self._ends.close()


def _document(value: object) -> str:
    """A JSON document as a reader wants it: a short one on one line, a longer one indented."""
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= _LINE else json.dumps(value, ensure_ascii=False, indent=2)


def _by_hand(seed: int) -> RunFolder:
    record = new_run(seed, {"made by": "a notebook run by hand"})
    return RunFolder.create(_project_root() / "runs" / f"by-hand-{record.id}", record)


def _project_root() -> Path:
    """The checkout a notebook lies in, else the working directory."""
    here = Path.cwd()
    return next((p for p in (here, *here.parents) if (p / "mkdocs.yml").exists()), here)
