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
from wedged.facts.ask import Ask
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.server import Line, ServerSpec
from wedged.facts.session import ToolPart
from wedged.facts.shown import Shown, table
from wedged.facts.trial import Trial
from wedged.lab import gated
from wedged.lab.bench import Bench, open_bench
from wedged.lab.campaign import measure
from wedged.lab.incarnation import How
from wedged.lab.keeper import Keeper
from wedged.lab.lifeline import follow_parent
from wedged.lab.scenarios import scenario
from wedged.lab.trials import complete_identity
from wedged.lab.turns import Call, Script, Turn
from wedged.servers import default_servers, install, resolve

_IDLE_S = 30.0
# V1's name first, then V2's.
_PASSWORDS = ("OPENCODE_SERVER_PASSWORD", "OPENCODE_PASSWORD")
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
        self._acted = 0.0

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

    @property
    def directory(self) -> str:
        """The project's directory."""
        return self.bench.project()

    def start_server(self, kind: str = "", *, service: bool = False, last: bool = False) -> Shown:
        """Start the first server of the list in a home of its own, with one warm turn behind it.

        `kind`: the first of the kind ``v1`` or ``v2``, for a class that the others don't have; where the list
        names none, the last of that kind that is used by default. `last`: the last of the list, not the
        first. `service` starts V2's shared service.

        Raises:
            LabError: there is none of that kind.
        """
        installed = install(resolve(self._named(kind, last)))
        bench = open_bench(installed, self.keeper, seed=self._seed, service=service)
        self._bench = self._ends.enter_context(bench)
        self.bench.warm_up(self.bench.project())
        # Clock times in an answer become seconds since now.
        self._names = self.bench.normaliser.trial(origin_ms=round(time.time() * 1000))
        identity = complete_identity(self.bench, self.folder)
        return table(
            ("line", "version", "binary (sha256)", "OpenAPI (sha256)"),
            [(identity.line, identity.version, identity.binary_sha256[:16], identity.openapi_sha256[:16])],
        )

    def _named(self, kind: str, last: bool) -> ServerSpec:
        named = [spec for spec in self._specs if kind in ("", spec.kind)]
        usual = [spec for spec in default_servers() if kind == spec.kind]
        if not named and not usual:
            raise LabError(f"the list of servers names no {kind} server, and none is used by default")
        return named[-1 if last else 0] if named else usual[-1]

    def restart(self, how: How = "SIGTERM") -> None:
        """End the server alone by that signal, and start the next one on the same home, in the same mode."""
        self._acted = self.bench.timeline.now()
        ended = self.bench.restart(how).ended
        word = f"signal {ended.signal}" if ended.signal else f"status {ended.returncode}"
        print(f"{how} → ended with {word}; started again on the same home\n")  # noqa: T201

    def send(self, method: str, path: str, body: dict[str, object] | None = None) -> object:
        """Send one request, print it and its answer as a reader may see them, and return the answer."""
        answer = self._send(method, path, body)
        shown = "(no content)" if answer is None else _document(self._names.value(answer))
        self._print(method, path, body, shown)
        return answer

    def _send(self, method: str, path: str, body: dict[str, object] | None) -> object:
        if method != "GET":
            self._acted = self.bench.timeline.now()
        return self.bench.connection.actor.send(Request(method, path, body))

    def _print(self, method: str, path: str, body: dict[str, object] | None, answer: str) -> None:
        said = "" if body is None else "\n" + _document(self._names.value(body))
        print(f"{method} {self._names.text(path)}{said}\n→ {self._names.text(answer)}\n")  # noqa: T201

    def session(self, title: str) -> str:
        """Create a session, as `send` does, and return its id. Of the long answer only the id is printed.

        Raises:
            LabError: the answer holds no id.
        """
        line, directory = self.bench.identity.line, self.bench.project()
        path, body = "/session", dict[str, object](title=title)
        if line is not Line.V1:
            path, body = "/api/session", {"location": {"directory": directory}}
        if line is Line.V2_RELEASED:
            body["title"] = title
        answer = self._send("POST", path, body)
        made = answer.get("data", answer) if isinstance(answer, dict) else None
        if not isinstance(made, dict) or not isinstance(made.get("id"), str):
            raise LabError("the server created no session")
        self._print("POST", path, body, f'{{"id": "{made["id"]}", …}}')
        if line is Line.V2_PREVIEW:
            # It takes no title with the creation, and would ask the model for one.
            self.send("POST", f"/api/session/{made['id']}/rename", {"title": title})
        return str(made["id"])

    def prompt(self, session: str, text: str) -> None:
        """Send a prompt, as `send` does. Of the answer nothing is printed: what counts comes later."""
        path, body = (
            f"/session/{session}/prompt_async",
            dict[str, object](parts=[{"type": "text", "text": text}]),
        )
        if not self._v1:
            path, body = f"/api/session/{session}/prompt", {"text": text}
        self._send("POST", path, body)
        self._print("POST", path, body, "(taken)")

    def statuses(self) -> None:
        """Print what the server says of who is working."""
        self.send("GET", "/session/status" if self._v1 else "/api/session/active")

    def asks(self) -> tuple[Ask, ...]:
        """Print the server's list of pending permission requests, and return its asks."""
        self.send("GET", "/permission" if self._v1 else "/api/permission/request")
        return self.bench.connection.reader.asks()

    def session_asks(self, session: str) -> tuple[Ask, ...]:
        """Print the session's own list of them, and return its asks."""
        self.send("GET", f"/api/session/{session}/permission")
        return self.bench.connection.reader.session_asks(session)

    def reject(self, ask: Ask, message: str) -> None:
        """Reject an ask with a message, as `send` does."""
        self.act(Action.REPLY_REJECT_MESSAGE, ask, message)

    def act(self, action: Action, ask: Ask, message: str = "") -> None:
        """Do this to an ask, as `send` does."""
        target = Target(ask.session_id, "", ask.id, message)
        request = self.bench.connection.actor.request(action, target)
        self.send(request.method, request.path, request.body)

    @property
    def _v1(self) -> bool:
        return self.bench.identity.line is Line.V1

    def tell_model(self, name: str, *commands: str, makes: str = "", background: bool = False) -> str:
        """Have the model answer with these shell calls in one response; what the prompt must carry.

        `makes`: before them comes the call that makes this path, which the server asks about where it lies
        outside the project: a shell call on V1, `write` on V2. `background`: the shells are started in
        the background, which only V2 knows.
        """
        line = self.bench.identity.line
        calls = [gated.shell_call(line, command) for command in commands]
        if background:
            calls = [Call(call.tool, {**call.input, "background": True}) for call in calls]
        if makes:
            calls.insert(0, gated.makes(line, Path(makes)))
        return self.bench.model.learn(Script(name, (Turn(calls=tuple(calls)),))).mark

    def until(self, session: str, what: str) -> None:
        """Wait until the session is ``idle`` or ``asked``, later than the newest request that `send` or
        `prompt` made and that was no GET.

        Raises:
            DeadlinePassed: it did not, within 30 s.
        """
        asked = ("permission.asked", "question.asked", "form.created")
        kinds = {"idle": ("idle",), "asked": asked}[what]
        self.bench.timeline.wait_for(
            session, lambda o: o.kind in kinds, f"the session to be {what}", _IDLE_S, after=self._acted
        )

    def parts(self, *sessions: str) -> Shown:
        """The tool calls of these sessions as the server has stored them, with the session's status."""
        reader, rows = self.bench.connection.reader, []
        for session in sessions:
            seen = reader.session(session, self.bench.project())
            rows += [(seen.title, seen.status, *self._row(part)) for part in seen.parts]
        return table(("session", "status", "command", "part", "output or error"), rows)

    def _row(self, part: ToolPart) -> tuple[str, str, str]:
        words = part.input.get("command") or f"{part.tool} {part.input.get('path', '')}"
        return (
            self._names.text(str(words)),
            part.status.value,
            self._names.text(part.error or part.output).strip(),
        )

    def readable(self, text: str) -> str:
        """The text as a reader may see it: paths, ports and ids by their names."""
        return self._names.text(text)

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
            env=os.environ | dict.fromkeys(_PASSWORDS, server.password),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode not in (0, 1):
            raise LabError(f"doctor ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def measure(self) -> tuple[Trial, ...]:
        """Run the lab's trials on every server of the list; each is in the run folder when this returns.

        The build's ``WEDGED_ARMS=last`` leaves the further arms to the last V1 and the last V2.
        """
        plan = scenario(self.failure_class.code)
        return measure(
            plan,
            self._specs,
            self.folder,
            self.keeper,
            trials=self._trials,
            seed=self._seed,
            announce=lambda line: print(line, file=sys.stderr),  # noqa: T201
            everywhere=os.environ.get("WEDGED_ARMS", "all") == "all",
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
