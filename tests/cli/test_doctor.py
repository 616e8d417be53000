"""``wedged doctor`` from the command line: what it prints where, and with which exit code."""

import contextlib
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler

import jsonschema
import pytest

from wedged.cli import main
from wedged.diagnose.document import schema_text
from wedged.facts.plain_text import plain

from .fake_v1 import Wire, answering, serving, wedged_answers
from .hostile import TARGETS

Out = pytest.CaptureFixture[str]
NOW = ("--sample", "0")


@pytest.fixture(autouse=True)
def _no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD", "OPENCODE_SERVER_USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("wedged.cli.target.ALSO_USUAL", ())


def abandoned_answers() -> Wire:
    """Nothing works, nothing is asked, and a call is stored as running."""
    return wedged_answers() | {"/session/status": {}, "/permission": []}


def idle_answers() -> Wire:
    answers = abandoned_answers()
    (path,) = (path for path in answers if path.endswith("/message"))
    for part in (part for message in answers[path] for part in message["parts"] if part["type"] == "tool"):
        part["state"] |= {"status": "error", "error": "Tool execution aborted"}
    return answers


def test_a_wedged_session_is_found_with_its_cure(capsys: Out) -> None:
    requests: list[str] = []
    with serving(wedged_answers(), seen=requests) as url:
        assert main(["doctor", url, *NOW]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert "WAITING ON YOU" in out
    assert "variant external, confidence high" in out
    assert f"curl -X POST '{url}/permission/per_" in out
    assert "mkdir" not in out
    assert requests
    assert all(line.startswith("GET ") for line in requests)
    assert not any("directory=" in line for line in requests), "naming a directory makes a V1 server load it"


def test_include_shows_the_command(capsys: Out) -> None:
    with serving(wedged_answers()) as url:
        assert main(["doctor", url, *NOW, "--include"]) == 1
    assert "command    mkdir -p /home/outside/cap/a" in capsys.readouterr().out


def test_json_is_one_document_and_nothing_else(capsys: Out) -> None:
    with serving(wedged_answers()) as url:
        assert main(["doctor", url, *NOW, "--json"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    tree = json.loads(out)
    jsonschema.validate(tree, json.loads(schema_text()))
    assert [finding["code"] for finding in tree["findings"]] == ["W101"]
    assert tree["target"] == {"kind": "url", "name": url}


def test_nothing_found(capsys: Out) -> None:
    with serving(idle_answers()) as url:
        assert main(["doctor", url, *NOW]) == 0
    assert "Nothing found." in capsys.readouterr().out


def test_an_ask_younger_than_the_grace_is_no_finding(capsys: Out) -> None:
    with serving(wedged_answers()) as url:
        assert main(["doctor", url, *NOW, "--grace", "1e12"]) == 0
        assert main(["doctor", url, *NOW, "--grace", "1e12", "--all"]) == 0
    assert "within the grace" in capsys.readouterr().out


def test_a_leftover_ask_is_a_notice(capsys: Out) -> None:
    with serving(wedged_answers() | {"/session/status": {}}) as url:
        main(["doctor", url, *NOW])
    out = capsys.readouterr().out
    assert "NOTICE" in out
    assert "reject it" in out
    assert "W101" not in out


def test_a_call_that_nobody_works_on_is_named_with_its_doubt_and_without_a_cure(capsys: Out) -> None:
    """Who else has that server's database open can't be seen: every cure could destroy a live turn."""
    with serving(abandoned_answers()) as url:
        assert main(["doctor", url, *NOW]) == 1
    out = capsys.readouterr().out
    assert "candidates: W201 or W002, confidence low" in out
    assert "Unless another server runs it" in out
    assert "Do one of these" not in out


def test_what_can_not_be_read_is_unknown(capsys: Out) -> None:
    with serving(idle_answers() | {"/permission": answering("oops", "text/plain", 500)}) as url:
        assert main(["doctor", url, *NOW]) == 3
    out, err = capsys.readouterr()
    assert err == ""
    assert "asks in /home/proj: GET /permission answered with status 500" in out


def test_one_session(capsys: Out) -> None:
    answers = wedged_answers()
    (session,) = answers["/session"]
    with serving(answers) as url:
        assert main(["doctor", url, *NOW, "--session", session["id"]]) == 1
        assert main(["doctor", url, *NOW, "--session", "ses_nope"]) == 3
    assert "session ses_nope" in capsys.readouterr().out


def test_a_directory_with_unfinished_work_is_asked(capsys: Out) -> None:
    answers = wedged_answers()
    (session,) = answers["/session"]
    answers["/session"] = [session | {"directory": "/else"}]
    requests: list[str] = []
    with serving(answers, seen=requests) as url:
        assert main(["doctor", url, "--sample", "0"]) == 1
    assert any("/permission?directory=%2Felse" in line for line in requests), "something is unfinished there"
    assert "/else (GET /session/status" in capsys.readouterr().out


def test_a_password_from_the_environment(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(wedged_answers(), password="geheim") as url:
        assert main(["doctor", url, *NOW]) == 3
        assert "wants a password" in capsys.readouterr().err
        monkeypatch.setenv("OPENCODE_PASSWORD", "geheim")
        assert main(["doctor", url, *NOW]) == 1
        out, err = capsys.readouterr()
    assert '-u opencode:"$OPENCODE_PASSWORD"' in out
    assert "geheim" not in out + err


@pytest.mark.parametrize(("answers", "words"), TARGETS)
def test_a_target_that_can_not_be_looked_at_is_one_line(answers: Wire, words: str, capsys: Out) -> None:
    with serving(answers) as url:
        assert main(["doctor", url, *NOW]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert err.removesuffix("\n") == plain(err.removesuffix("\n"))


def test_a_server_that_accepts_and_never_answers(capsys: Out) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        assert main(["doctor", f"http://127.0.0.1:{mute.getsockname()[1]}", "--timeout", "0.3"]) == 3
    assert "gave no whole answer to GET /global/health within 0.3 s" in capsys.readouterr().err


def test_a_server_that_drips_for_ever(capsys: Out) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        with contextlib.suppress(OSError):
            while True:
                handler.wfile.write(b" ")
                threading.Event().wait(0.05)

    answers = wedged_answers() | {"/path": drip}
    with serving(answers) as url:
        assert main(["doctor", url, *NOW, "--timeout", "0.4"]) == 3
    assert "gave no whole answer to GET /path within 0.4 s" in capsys.readouterr().err


def test_lists_that_are_broken_are_unknown_and_hide_nothing_else(capsys: Out) -> None:
    answers = wedged_answers() | {"/session/status": answering("<html>", "text/html"), "/question": {"a": 1}}
    with serving(answers) as url:
        assert main(["doctor", url, *NOW, "--json"]) == 3
    tree = json.loads(capsys.readouterr().out)
    assert {gap["what"] for gap in tree["unknown"]} >= {"statuses in /home/proj", "asks in /home/proj"}


def test_one_ask(capsys: Out) -> None:
    answers = wedged_answers()
    ask_id = answers["/permission"][0]["id"]
    with serving(answers) as url:
        assert main(["doctor", url, *NOW, "--ask", ask_id]) == 1
        assert f"LIVE: {ask_id} is live" in capsys.readouterr().out
        assert main(["doctor", url, *NOW, "--ask", "per_22760000000000", "--json"]) == 0
        tree = json.loads(capsys.readouterr().out)
        assert (tree["ask"]["verdict"], tree["findings"]) == ("gone", [])
        assert main(["doctor", url, *NOW, "--ask", ask_id, "--session", "ses_1"]) == 2


def test_what_counts_as_a_failure(capsys: Out) -> None:
    with serving(wedged_answers()) as url:
        assert main(["doctor", url, *NOW, "--fail-on", "stuck"]) == 0
        assert main(["doctor", url, *NOW, "--fail-on", "waiting-on-you"]) == 1
        assert main(["doctor", url, *NOW, "--fail-on", "past"]) == 1
        assert main(["doctor", url, *NOW, "--fail-on", "nonsense"]) == 2


def test_two_looks(capsys: Out) -> None:
    with serving(wedged_answers()) as url:
        assert main(["doctor", url, "--sample", "0.05", "--json"]) == 1
    tree = json.loads(capsys.readouterr().out)
    assert tree["checked"]["seconds_between"] > 0
    (one,) = tree["activity"]
    assert (one["waiting"], one["progress"]["calls"]) == ("person", 0)
    assert [gap["what"] for gap in tree["checked"]["blind"]] in ([], ["processes of the server"])


def test_without_an_address_the_usual_one_is_said(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(wedged_answers()) as url:
        monkeypatch.setattr("wedged.cli.target.USUAL", url)
        assert main(["doctor", *NOW]) == 1
    assert capsys.readouterr().err == f"wedged: no URL given, looking at {url}\n"


def test_nothing_listens(capsys: Out) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert main(["doctor", f"http://127.0.0.1:{port}", "--json"]) == 3
    assert capsys.readouterr().out == ""


def test_terminal_escapes_in_names(capsys: Out) -> None:
    answers = wedged_answers()
    answers["/permission"][0]["patterns"] = ["/out\x1b]0;owned\x07/*"]
    answers["/path"]["directory"] = "/home/\x1b[31mproj"
    with serving(answers) as url:
        main(["doctor", url, *NOW, "--all", "--include"])
    out = capsys.readouterr().out
    assert "\\x1b]0;owned\\x07" in out
    assert all(line == plain(line) for line in out.splitlines())


@pytest.mark.parametrize(
    "arguments", [["nowhere"], ["http://u:p@h"], ["http://h", "--grace", "-1"], ["http://h", "--nope"]]
)
def test_usage(arguments: list[str], capsys: Out) -> None:
    assert main(["doctor", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
