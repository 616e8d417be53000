"""``wedged ready`` from the command line: what it prints where, with which exit code, and how it waits."""

import json
import socket
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler

import jsonschema
import pytest

from wedged.cli import main
from wedged.diagnose.readiness_document import schema_text
from wedged.facts.plain_text import plain
from wedged.facts.process import ProcessFacts, Tree
from wedged.facts.snapshot import Gap

from .fake_v1 import Wire, answering, serving, wedged_answers
from .hostile import TARGETS

Out = pytest.CaptureFixture[str]
SERVER = ProcessFacts(10, 1, 1000.0, "opencode", ("opencode", "serve"))
RUNNER = ProcessFacts(77, 10, 2000.0, "node", ("node", "cursor-runner.js"))


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No password, quick looks, and an empty process tree below the server."""
    for name in ("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD", "OPENCODE_SERVER_USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("wedged.diagnose.readiness_looks.BETWEEN_S", 0.01)
    monkeypatch.setattr("wedged.cli.ready._EVERY_S", 0.02)
    below(monkeypatch)


def below(monkeypatch: pytest.MonkeyPatch, *processes: ProcessFacts) -> None:
    monkeypatch.setattr("wedged.observe.processes.server_tree", lambda url: Tree(SERVER, processes))


def idle_answers() -> Wire:
    return wedged_answers() | {"/session/status": {}, "/permission": []}


def test_a_waiting_turn_is_not_safe(capsys: Out) -> None:
    requests: list[str] = []
    with serving(wedged_answers(), seen=requests) as url:
        assert main(["ready", url]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert "NOT SAFE TO RESTART: 1 active turn, 1 pending ask." in out
    assert "mkdir -p /home/outside/cap/a" in out
    assert all(line.startswith("GET ") for line in requests)
    assert not any("directory=" in line for line in requests), "naming a directory makes a V1 server load it"


def test_an_idle_server_is_ready(capsys: Out) -> None:
    with serving(idle_answers()) as url:
        assert main(["ready", url]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "READY: nothing runs" in out
    assert "two looks" in " ".join(out.split())


def test_json_is_one_document_and_nothing_else(capsys: Out) -> None:
    with serving(wedged_answers()) as url:
        assert main(["ready", url, "--json"]) == 1
    out, err = capsys.readouterr()
    assert (err, out.count("\n")) == ("", 1)
    tree = json.loads(out)
    jsonschema.validate(tree, json.loads(schema_text()))
    assert [one["kind"] for one in tree["blockers"]] == ["turn", "ask"]
    assert (tree["verdict"], tree["waited_s"]) == ("not-safe", None)


def test_a_process_that_no_list_explains(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    below(monkeypatch, RUNNER)
    with serving(idle_answers()) as url:
        assert main(["ready", url]) == 1
        assert "process 77" in capsys.readouterr().out
        assert main(["ready", url, "--expect", "cursor-runner"]) == 0
        assert "expected: process 77, node cursor-runner.js" in capsys.readouterr().out
        assert main(["ready", url, "--lists-only"]) == 0
        assert "not seen: processes of the server: left out" in capsys.readouterr().out
        assert main(["ready", url, "--expect", ""]) == 2


def test_processes_that_can_not_be_seen(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    unseen = Gap("processes of the server", "the server is on another machine")
    monkeypatch.setattr("wedged.observe.processes.server_tree", lambda url: unseen)
    with serving(idle_answers()) as url:
        assert main(["ready", url]) == 3
        assert "processes of the server: the server is on another machine" in capsys.readouterr().out
        assert main(["ready", url, "--wait"]) == 3, "waiting would change nothing"
        assert main(["ready", url, "--lists-only"]) == 0


def test_a_list_that_is_broken_is_unknown(capsys: Out) -> None:
    with serving(idle_answers() | {"/permission": answering("oops", "text/plain", 500)}) as url:
        assert main(["ready", url]) == 3
    assert "NOT KNOWN" in capsys.readouterr().out


def test_wait_says_for_what_and_ends_when_the_turn_does(capsys: Out) -> None:
    answers = wedged_answers()
    busy = json.dumps(answers["/session/status"])
    asked: list[str] = []

    def status(handler: BaseHTTPRequestHandler) -> None:
        asked.append("status")
        if len(asked) == 4:
            answers["/permission"] = []
        answering(busy if len(asked) < 6 else "{}")(handler)

    answers["/session/status"] = status
    with serving(answers) as url:
        assert main(["ready", url, "--wait", "--json", "--timeout", "60"]) == 0
    out, err = capsys.readouterr()
    tree = json.loads(out)
    assert (tree["verdict"], tree["blockers"]) == ("ready", [])
    assert tree["waited_s"] >= 0
    lines = err.splitlines()
    assert lines[0] == "wedged: 0 s: waiting for 1 active turn, 1 pending ask"
    assert lines[-1].endswith(": ready")
    assert len(lines) == len({line.partition("s: ")[2] for line in lines}), "a line for each change, no more"


def test_wait_gives_up_at_its_deadline_with_what_is_left(capsys: Out) -> None:
    with serving(wedged_answers()) as url:
        assert main(["ready", url, "--wait", "--timeout", "0.3"]) == 1
    out, err = capsys.readouterr()
    assert "NOT SAFE TO RESTART" in out
    assert err.count("\n") == 1


def test_a_server_that_stops_answering_while_it_is_waited_for(capsys: Out) -> None:
    answers = wedged_answers()
    busy = json.dumps(answers["/session/status"])

    def only_once(handler: BaseHTTPRequestHandler) -> None:
        answering(busy)(handler)
        answers["/session/status"] = answering("no", "text/plain", 503)

    answers["/session/status"] = only_once
    with serving(answers) as url:
        assert main(["ready", url, "--wait", "--timeout", "0.5"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("wedged: GET /session/status answered with status 503")


def test_a_server_that_is_gone_while_it_is_waited_for_ends_the_waiting(
    capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    with ExitStack() as stack:
        url = stack.enter_context(serving(wedged_answers()))

        def goes_away(*_: object) -> Tree:
            nonlocal looks
            looks += 1
            if looks == 2:
                stack.close()
            return Tree(SERVER)

        monkeypatch.setattr("wedged.observe.processes.server_tree", goes_away)
        assert main(["ready", url, "--wait"]) == 3
    out, err = capsys.readouterr()
    assert (out, looks) == ("", 2)
    assert "cannot connect to" in err.splitlines()[-1]


@pytest.mark.parametrize(("answers", "words"), TARGETS)
def test_a_target_that_can_not_be_looked_at_is_one_line(answers: Wire, words: str, capsys: Out) -> None:
    with serving(answers) as url:
        assert main(["ready", url]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert err.removesuffix("\n") == plain(err.removesuffix("\n"))


def test_a_server_that_accepts_and_never_answers(capsys: Out) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        assert main(["ready", url, "--timeout", "0.3"]) == 3
        assert main(["ready", url, "--wait", "--timeout", "0.3"]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 2)


def test_a_narrow_terminal_and_escapes_in_names(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    answers = wedged_answers()
    answers["/session"][0]["title"] = "\x1b]0;owned\x07 " + "a long title " * 30
    with serving(answers) as url:
        assert main(["ready", url]) == 1
    out = capsys.readouterr().out
    assert all(line == plain(line) for line in out.splitlines())
    assert [line for line in out.splitlines() if len(line) > 40 and len(line.split()) > 2] == []


@pytest.mark.parametrize("arguments", [["nowhere"], ["http://u:p@h"], ["http://h", "--timeout", "0"]])
def test_usage(arguments: list[str], capsys: Out) -> None:
    assert main(["ready", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
