#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["httpx>=0.27"]
# ///
"""W203 orphaned-process: the server died, and the command that it was running goes on without it.

    python W203.py /path/to/opencode          starts it in a home of its own, and ends it

Linux only: who is below whom is read from /proc. The model is scripted, in this file. First a control: a
command that ends; no process of it may be left. Then a command that takes ten minutes: when it runs, the
server alone is killed (SIGKILL) and started again on the same data. For 3 seconds the very same process must
be there, below no server. At last the cure: its process group is ended, after which nothing of it may be
left.

Exit code 1: reproduced. 0: not reproduced, and the control was healthy. 3: could not tell. 2: usage.
"""

# --- the same in every file of this folder ----------------------------------------------------
import base64
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx


class Unclear(Exception):
    """What kept this script from telling."""


def await_(condition: Callable[[], Any], what: str, seconds: float) -> Any:
    """The first true value of `condition`; raises `Unclear` after `seconds`."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise Unclear(f"waited {seconds:g} s for {what}")
        time.sleep(0.05)
    return value


class Model(ThreadingHTTPServer):
    """An OpenAI-compatible model: for a prompt that holds ``[NAME]`` it calls what `calls` has under NAME,
    once; afterwards, and for anything else, it says "Done.". `requests` keeps name and last words of each
    request that offers tools.
    """

    daemon_threads = True

    def __init__(self) -> None:
        self.calls: dict[str, tuple[str, dict[str, object]]] = {}
        self.requests: list[tuple[str, str]] = []
        super().__init__(("127.0.0.1", 0), _Completion)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """What a provider's baseURL is set to."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, body: dict[str, Any]) -> dict[str, object]:
        """The one delta of the answer to a request."""
        messages = [(str(m.get("role")), json.dumps(m.get("content"))) for m in body.get("messages") or []]
        names = [n for role, text in messages if role == "user" for n in re.findall(r"\[(\w+)\]", text)]
        name = next((n for n in reversed(names) if n in self.calls), "")
        if not name or not body.get("tools"):
            return {"role": "assistant", "content": "Done."}
        self.requests.append((name, messages[-1][1]))
        if sum(n == name for n, _ in self.requests) > 1:
            return {"role": "assistant", "content": "Done."}
        tool, arguments = self.calls[name]
        function = {"name": tool, "arguments": json.dumps(arguments)}
        return {
            "role": "assistant",
            "tool_calls": [{"index": 0, "id": f"call_{name}", "type": "function", "function": function}],
        }


class _Completion(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        delta = self.server.answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        reason = "tool_calls" if "tool_calls" in delta else "stop"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for choice in ({"delta": delta, "finish_reason": None}, {"delta": {}, "finish_reason": reason}):
            chunk = {
                "id": "x",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": "m",
                "choices": [{"index": 0, **choice}],
            }
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Nothing."""


class Server:
    """A server in its own dialect: `line` is v1, preview or released; `project` its sessions' directory."""

    def __init__(self, url: str, password: str, project: Path) -> None:
        auth = httpx.BasicAuth("opencode", password) if password else None
        self.http = httpx.Client(base_url=url, auth=auth, timeout=30, trust_env=False)
        self.project = str(project)
        self.line, self.version = self._who()

    def ask(self, method: str, path: str, body: object = None, **params: str) -> Any:
        """One request in the project; the decoded answer, without V2's envelope."""
        named = {"directory": self.project} if self.line == "v1" else {"location[directory]": self.project}
        answer = self.http.request(method, path, json=body, params={**named, **params})
        if answer.status_code >= 400:
            raise Unclear(f"{method} {path} answered {answer.status_code}")
        document = (
            answer.json() if answer.content and "json" in answer.headers.get("content-type", "") else None
        )
        return document["data"] if isinstance(document, dict) and "data" in document else document

    def session(self) -> str:
        """A new session's id."""
        if self.line == "v1":
            return str(self.ask("POST", "/session", {"title": "repro"})["id"])
        return str(self.ask("POST", "/api/session", {"location": {"directory": self.project}})["id"])

    def prompt(self, session: str, text: str) -> None:
        """Send a prompt; the turn goes on by itself."""
        if self.line == "v1":
            self.ask("POST", f"/session/{session}/prompt_async", {"parts": [{"type": "text", "text": text}]})
        else:
            self.ask("POST", f"/api/session/{session}/prompt", {"text": text})

    def busy(self, session: str) -> bool:
        """Whether the server says that a turn of this session runs."""
        return session in self.ask("GET", "/session/status" if self.line == "v1" else "/api/session/active")

    def calls(self, session: str) -> dict[str, str]:
        """State of each tool call by its call id."""
        if self.line == "v1":
            parts = [
                p
                for m in self.ask("GET", f"/session/{session}/message")
                for p in m["parts"]
                if p["type"] == "tool"
            ]
            return {p["callID"]: p["state"]["status"] for p in parts}
        parts = [
            c for m in self.ask("GET", f"/api/session/{session}/message") for c in m.get("content") or []
        ]
        return {
            c.get("callID") or c["id"]: c["state"]["status"]
            for c in parts
            if isinstance(c, dict) and c.get("type") == "tool"
        }

    def asks(self, session: str) -> list[dict[str, object]]:
        """The session's pending permission requests."""
        if self.line == "v1":
            return [a for a in self.ask("GET", "/permission") if a["sessionID"] == session]
        return list(self.ask("GET", f"/api/session/{session}/permission"))

    def reject(self, session: str, ask: str) -> None:
        """Answer a permission request with no."""
        if self.line == "v1":
            self.ask("POST", f"/permission/{ask}/reply", {"reply": "reject"})
        else:
            key = "reply" if self.line == "preview" else "decision"
            self.ask("POST", f"/api/session/{session}/permission/{ask}/reply", {key: "reject"})

    def _who(self) -> tuple[str, str]:
        for path, line in (("/global/health", "v1"), ("/api/info", "released"), ("/api/health", "preview")):
            answer = self.http.get(path)
            if answer.status_code == 401:
                raise Unclear("the server wants another password: set OPENCODE_PASSWORD")
            if answer.status_code == 200 and "json" in answer.headers.get("content-type", ""):
                return line, str(answer.json().get("version", "?"))
        raise Unclear("that is no OpenCode server")

    def __str__(self) -> str:
        return f"{self.line} {self.version}"


class Host:
    """Where the server comes from: an address, or a program that is started in `home`, ended by pid."""

    def __init__(self, target: str, home: Path, project: Path) -> None:
        self.target, self.home, self.project = target, home, project
        self.process: subprocess.Popen[bytes] | None = None
        self.left: dict[int, str] = {}
        self.given = target.startswith(("http://", "https://"))
        if not self.given and (Path(target).is_dir() or not os.access(target, os.X_OK)):
            raise Unclear(f"{target} is neither an address nor a program")

    def start(self, *more: str) -> Server:
        """The server, listening; `more` are options of ``serve``. After `end`, the same store again."""
        if self.given:
            given = os.environ.get("OPENCODE_PASSWORD") or os.environ.get("OPENCODE_SERVER_PASSWORD", "")
            return Server(self.target, given, self.project)
        # Its own home: nothing of the user's OpenCode is touched; no password is on a command line.
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "SHELL") if name in os.environ}
        places = {
            f"XDG_{kind}_HOME": str(self.home / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")
        }
        password = base64.urlsafe_b64encode(os.urandom(18)).decode()
        secrets = dict.fromkeys(("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD"), password)
        quiet = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
        environment = {**kept, **places, **secrets, **quiet, "HOME": str(self.home), "TMPDIR": str(self.home)}
        log = self.home / "server.log"
        with log.open("wb") as out:
            self.process = subprocess.Popen(
                [str(Path(self.target).resolve()), "serve", *(more or ("--port", "0"))],
                cwd=self.project,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        url, found = await_(lambda: self._listens(log, password), "the server to listen", 30)
        return Server(url, found, self.project)

    def end(self, how: signal.Signals = signal.SIGTERM, *, all_below: bool = True) -> None:
        """End the server, and what is below it, each by its own pid. `all_below` False: as a crash would."""
        if self.given:
            raise Unclear("this needs a program that can be ended and started again, not an address")
        if self.process is None:
            return
        below = _below(self.process.pid)
        self.process.send_signal(how)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
        self.left |= below
        if all_below:
            self.sweep()

    def sweep(self) -> None:
        """End what the servers of this host left behind."""
        for pid, started in self.left.items():
            if _started(pid) == started:
                os.kill(pid, signal.SIGKILL)
        self.left = {}

    def _listens(self, log: Path, password: str) -> tuple[str, str] | None:
        if self.process is None or self.process.poll() is not None:
            words = " ".join(log.read_text(errors="replace").split())[-200:]
            raise Unclear(f"the server ended before it listened: {words}")
        found = re.search(r"server listening on (http://\S+)\n", log.read_text(errors="replace"))
        service = self.home / "state" / "opencode" / "service.json"
        if service.is_file():
            registered = json.loads(service.read_text() or "{}")
            if registered.get("pid") == self.process.pid:
                return registered["url"], registered["password"]
        return (found[1], password) if found else None


def _below(root: int) -> dict[int, str]:
    """Process id and start time of everything below `root` (Linux; elsewhere nothing is seen)."""
    parents = {int(p.name): _fields(p.name) for p in Path("/proc").glob("[0-9]*")}
    found: dict[int, str] = {}
    wanted = {root}
    while wanted:
        wanted = {
            pid
            for pid, fields in parents.items()
            if len(fields) > 19 and int(fields[1]) in wanted and pid not in found
        }
        found |= {pid: parents[pid][19] for pid in wanted}
    return found


def _started(pid: int) -> str:
    return fields[19] if len(fields := _fields(pid)) > 19 else ""


def _fields(pid: int | str) -> list[str]:
    try:
        # A process's name may hold blanks and brackets; what follows its last bracket does not.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def run(reproduce: Callable[[Host, Model, Path], str]) -> int:
    """Set up, call `reproduce` ("" for not reproduced, else what was seen), print one line; the exit code."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(sys.modules["__main__"].__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    # Whoever ends this script with SIGTERM has it clean up, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    model = Model()
    with tempfile.TemporaryDirectory(prefix="repro-", ignore_cleanup_errors=True) as name:
        base = Path(name).resolve()
        home, project, outside = base / "home", base / "project", base / "outside"
        for folder in (home, project, outside):
            folder.mkdir()
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": model.url, "apiKey": "none"},
            "models": {"m": {}},
        }
        config = {
            "provider": {"mock": provider},
            "model": "mock/m",
            "small_model": "mock/m",
            "enabled_providers": ["mock"],
        }
        (project / "opencode.json").write_text(json.dumps(config))
        try:
            # A git repository of its own: without one V1 takes "/" for the project.
            subprocess.run(["git", "init", "-q", str(project)], check=True)
            host = Host(sys.argv[1], home, project)
            try:
                seen = reproduce(host, model, outside)
            finally:
                if not host.given:
                    host.end()
                    host.sweep()
            print(f"reproduced: {seen}" if seen else "not reproduced; the control was healthy")
            return 1 if seen else 0
        except (Unclear, httpx.HTTPError, OSError, subprocess.CalledProcessError) as error:
            print(f"could not tell: {error}", file=sys.stderr)
            return 3


# --- end of what is the same -----------------------------------------------------------------


WATCH_S = 3.0


def reproduce(host: Host, model: Model, outside: Path) -> str:
    """The control, the crash, and the end of what it left."""
    del outside
    server = host.start()
    project = Path(server.project)
    tool = "bash" if server.line == "v1" else "shell"
    for name, command in {"control": "echo hello", "orphan": "sleep 600"}.items():
        arguments = {"command": f"echo $$ > {name}.pid; {command}", "timeout": 600_000}
        model.calls[name] = (tool, {**arguments, "description": "Says which process it is"})
    control = server.session()
    server.prompt(control, "Do it. [control]")
    await_(lambda: server.calls(control) and not server.busy(control), "the control's turn to end", 30)
    gone = process_of(project / "control.pid")
    if _started(gone):
        raise Unclear(f"the control's command has ended, and its process {gone} runs")

    orphan = server.session()
    server.prompt(orphan, "Do it. [orphan]")
    pid = await_(lambda: process_of(project / "orphan.pid"), "the command to run", 30)
    await_(lambda: server.calls(orphan).get("call_orphan") == "running", "the call to be stored", 15)
    born = _started(pid)
    if pid not in below(host):
        raise Unclear(f"process {pid} is not below the server that was told to run it")

    host.end(signal.SIGKILL, all_below=False)
    server = host.start()
    end = time.monotonic() + WATCH_S
    while time.monotonic() < end:
        if _started(pid) != born:
            return ""
        time.sleep(0.2)
    if pid in below(host):
        raise Unclear(f"process {pid} is below the server again")
    listed = server.line != "v1" and "orphan.pid" in json.dumps(server.ask("GET", "/api/shell"))
    if os.getpgid(pid) != pid:
        raise Unclear(f"process {pid} leads no group: who else is in it is not known")
    os.killpg(pid, signal.SIGKILL)
    await_(lambda: _started(pid) != born, "the process to end", 10)
    seen = f"process {pid} ran on for {WATCH_S:g} s below no server, {'listed' if listed else 'not listed'}"
    return f"{server}: killed and restarted, {seen}; its call is {server.calls(orphan).get('call_orphan')}"


def below(host: Host) -> dict[int, str]:
    """What is below the server of now."""
    return _below(host.process.pid) if host.process else {}


def process_of(path: Path) -> int:
    """The process that wrote its number there, 0 for none yet."""
    words = path.read_text().split() if path.exists() else []
    return int(words[0]) if words else 0


if __name__ == "__main__":
    sys.exit(run(reproduce))
