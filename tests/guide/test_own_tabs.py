"""The cures that have lines of their own: run as they stand on the page, they send what the lab sends."""

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pytest

from wedged.client.v1 import decode
from wedged.client.v1.stale_calls import settled
from wedged.facts.recovery import Action
from wedged.guide.own_tabs import own_tabs

_PART = {
    "id": "prt_1",
    "sessionID": "ses_1",
    "messageID": "msg_1",
    "type": "tool",
    "callID": "call_1",
    "tool": "bash",
    "state": {
        "status": "running",
        "input": {"command": "echo hello; sleep 600"},
        "metadata": {"output": "hello\n", "description": "x"},
        "time": {"start": 1000},
    },
    "metadata": {"google": {"thoughtSignature": "abc"}},
}
_UNWRITTEN = _PART | {"id": "prt_2", "state": {"status": "pending", "input": {}, "raw": ""}}
_OTHER = {"id": "prt_0", "type": "text", "text": "hello", "sessionID": "ses_1", "messageID": "msg_1"}


class _Server(BaseHTTPRequestHandler):
    taken: list[tuple[str, object]]

    def do_GET(self) -> None:
        body = json.dumps([{"info": {"id": "msg_1"}, "parts": [_OTHER, _PART, _UNWRITTEN]}]).encode()
        self._answer(body)

    def do_PATCH(self) -> None:
        size = int(self.headers["content-length"])
        self.taken.append((self.path, json.loads(self.rfile.read(size))))
        self._answer(b"{}")

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is the base's)
        del format, args


@pytest.fixture
def server() -> Iterator[tuple[str, list[tuple[str, object]]]]:
    taken: list[tuple[str, object]] = []
    handler = type("Handler", (_Server,), {"taken": taken})
    listening = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}", taken
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


def lines(name: str) -> str:
    (tab,) = (one for one in own_tabs(Action.SETTLE_PART) if one.name == name)
    return "\n".join(tab.lines)


def _check(taken: list[tuple[str, object]], part: dict[str, object]) -> None:
    ((path, body),) = taken
    assert unquote(path) == f"/session/ses_1/message/msg_1/part/{part['id']}?directory=/d"
    assert isinstance(body, dict)
    wanted = settled(decode.tool_part(msgspec.convert(part, decode.Part)), body["state"]["time"]["end"])
    assert body == wanted


@pytest.mark.skipif(
    not (shutil.which("jq") and shutil.which("curl")),
    reason="the lines are for curl and jq, which are not here",
)
@pytest.mark.parametrize("part", [_PART, _UNWRITTEN], ids=["running", "unwritten"])
def test_the_curl_lines(
    server: tuple[str, list[tuple[str, object]]], tmp_path: Path, part: dict[str, object]
) -> None:
    url, taken = server
    script = lines("curl").replace("directory=$DIRECTORY", "directory=/d")
    given = {"URL": url, "SESSION": "ses_1", "PART": str(part["id"]), "MESSAGE_ID": "msg_1"}
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "no_proxy": "127.0.0.1", **given},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    found = [json.loads(line) for line in re.findall(r"^\[.*\]$", ran.stdout, re.MULTILINE)]
    assert found == [["prt_1", "msg_1"], ["prt_2", "msg_1"]], "the calls that have not ended are listed"
    _check(taken, part)


@pytest.mark.parametrize("part", [_PART, _UNWRITTEN], ids=["running", "unwritten"])
def test_the_python_lines(server: tuple[str, list[tuple[str, object]]], part: dict[str, object]) -> None:
    url, taken = server
    given = {"URL": url, "SESSION": "ses_1", "PART": part["id"], "DIRECTORY": "/d"}
    exec(compile(lines("Python"), "page", "exec"), given)  # noqa: S102 (the page's own lines)
    _check(taken, part)


def test_only_these_cures_have_lines_of_their_own() -> None:
    having = {action for action in Action if own_tabs(action)}
    assert having == {Action.SETTLE_PART, Action.END_PROCESS}
    (tab,) = own_tabs(Action.END_PROCESS)
    assert "kill -TERM -- -$PID" in tab.lines
