"""``wedged recover`` from the command line, against a server that a test scripts."""

import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from wedged.cli import main
from wedged.facts.plain_text import plain
from wedged.recover.document import SCHEMA_FILE, schema_text

from .fake_v1 import Wire, reply, serving, wedged_answers
from .hostile import TARGETS

Out = pytest.CaptureFixture[str]
ASK = "per_2276041bc001q4W5JN3Rmg1FJy"
SESSION = "ses_dd89fc35affecakx6cIjSsIjDv"
NOW = ("--sample", "0", "--settle", "0")
REPLY = f"/permission/{ASK}/reply"


class Terminal(io.StringIO):
    """A person who types these lines; `then` happens before the first is read."""

    then: Callable[[], object] = staticmethod(lambda: None)

    def isatty(self) -> bool:
        return True

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        self.then()
        return super().readline(size)


@pytest.fixture(autouse=True)
def _nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    for name in ("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD", "OPENCODE_SERVER_USERNAME"):
        monkeypatch.delenv(name, raising=False)


def settle(answers: Wire) -> None:
    """What a reject does."""
    answers["/permission"] = []
    answers["/session/status"] = {}
    answers[f"/session/{SESSION}/message"][-1]["parts"][1]["state"] |= {
        "status": "error",
        "error": "rejected",
    }


def answerable(then: Callable[[Wire], None] = settle) -> tuple[Wire, list[Any]]:
    """A wedged server that takes an answer and then does `then`; the bodies that it was sent."""
    answers, sent = wedged_answers(), []

    def take(handler: BaseHTTPRequestHandler) -> None:
        sent.append(json.loads(handler.rfile.read(int(handler.headers.get("Content-Length") or 0)) or "null"))
        then(answers)
        reply(handler, "true")

    answers[REPLY] = take
    return answers, sent


def recover(url: str, *more: str) -> int:
    return main(["recover", url, "--session", SESSION, *NOW, *more])


def as_json(capsys: Out) -> Any:
    tree = json.loads(capsys.readouterr().out)
    jsonschema.validate(tree, json.loads(schema_text()))
    return tree


def test_the_shipped_schema_is_the_one_of_the_dataclasses() -> None:
    shipped = (files("wedged.recover") / SCHEMA_FILE).read_text(encoding="utf-8")
    assert shipped == schema_text(), "write schema_text() of recover/document.py into that file"
    jsonschema.Draft202012Validator.check_schema(json.loads(shipped))


def test_the_steps_in_order_and_nothing_is_sent(capsys: Out) -> None:
    requests: list[str] = []
    with serving(wedged_answers(), seen=requests) as url:
        assert recover(url) == 1
        out, err = capsys.readouterr()
        assert err == ""
        assert recover(url, "--json") == 1
    assert all(line.startswith("GET ") for line in requests)
    assert all(line == plain(line) for line in out.splitlines())
    places = [out.index(f"\n{number}. ") for number in (1, 2, 3, 4)]
    assert places == sorted(places)
    tree = as_json(capsys)
    assert (tree["outcome"], tree["taken"], tree["left"]) == ("steps", [], [])
    (finding,) = tree["findings"]
    assert (finding["code"], finding["confidence"], finding["subject"]["id"]) == ("W101", "high", ASK)
    steps = {step["id"]: step for step in finding["steps"]}
    assert list(steps) == ["reply-reject", "reply-reject-message", "abort", "reply-once"]
    for step in steps.values():
        assert step["wedged"] in out
        assert all(row in out.splitlines() for row in step["python"].splitlines() if row)
    once = steps["reply-once"]
    assert (once["approves"], once["do"], once["curl"], once["python"]) == (True, None, "", "")
    assert once["wedged"] == f"wedged answer {ASK} {url} --once"


@pytest.mark.parametrize("way", ["wedged", "curl", "python"])
def test_each_way_does_the_same_when_it_is_pasted(
    way: str, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, sent = answerable()
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", "pass word'x")
    with serving(answers, password="pass word'x") as url:
        recover(url, "--json")
        text = as_json(capsys)["findings"][0]["steps"][0][way]
        assert "pass word" not in text
        if way == "wedged":
            assert main([*shlex.split(text)[1:], *NOW, "--yes"]) == 0
        else:
            run = ["bash", "-c", f"{text} --silent"] if way == "curl" else [sys.executable, "-c", text]
            done = subprocess.run(run, env=dict(os.environ), capture_output=True, text=True, timeout=30)
            assert done.stdout.strip() == "true", done.stderr
    assert sent == [{"reply": "reject"}]


def test_apply_takes_the_first_step_sees_that_it_worked_and_stops(capsys: Out) -> None:
    answers, sent = answerable()
    with serving(answers) as url:
        assert recover(url, "--apply", "--yes") == 0
        assert sent == [{"reply": "reject"}]
        out, err = capsys.readouterr()
        assert err == ""
        assert out.splitlines()[-2:] == [
            f"reply-reject: POST {REPLY}?directory=/home/proj, confirmed",
            "WELL: W101 is gone, and the session is well.",
        ]
        assert recover(url, "--apply", "--yes") == 0
        assert f"Nothing to recover: {SESSION} is idle." in capsys.readouterr().out
        assert len(sent) == 1


def test_apply_as_json(capsys: Out) -> None:
    answers, _ = answerable()
    with serving(answers) as url:
        assert recover(url, "--apply", "--yes", "--json") == 0
    tree = as_json(capsys)
    assert (tree["outcome"], tree["left"]) == ("well", [])
    (taken,) = tree["taken"]
    assert taken == {"step": "reply-reject", "did": f"POST {REPLY}?directory=/home/proj", "missing": ""}


def test_what_does_not_work_is_followed_by_the_next_step_and_is_said_in_the_end(capsys: Out) -> None:
    answers, sent = answerable(lambda _: None)
    answers[f"/session/{SESSION}/abort"] = True
    with serving(answers) as url:
        assert recover(url, "--apply", "--yes", "--json") == 1
    tree = as_json(capsys)
    assert [body["reply"] for body in sent] == ["reject", "reject"]
    assert [one["step"] for one in tree["taken"]] == ["reply-reject", "reply-reject-message", "abort"]
    assert all(one["missing"] for one in tree["taken"])
    assert tree["outcome"] == "not-well"
    assert [one["code"] for one in tree["left"]] == ["W101"]


def test_a_person_is_asked(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, sent = answerable()
    with serving(answers) as url:
        monkeypatch.setattr("sys.stdin", Terminal("n\n"))
        assert recover(url, "--apply") == 1
        out, err = capsys.readouterr()
        assert out.index("loses: The command does not run") < out.index("Take this step?")
        assert "reply-reject was declined, and nothing was sent" in err
        assert sent == []
        monkeypatch.setattr("sys.stdin", Terminal("y\n"))
        assert recover(url, "--apply", "--json") == 0
        out, err = capsys.readouterr()
        assert json.loads(out)["outcome"] == "well", "the question is on stderr"
        assert "Take this step?" in err


def test_without_a_person_it_needs_yes_and_never_approves(capsys: Out) -> None:
    answers, sent = answerable()
    with serving(answers) as url:
        assert recover(url, "--apply") == 1
        assert "nobody is at a terminal to agree to it; --yes does" in capsys.readouterr().err
        assert recover(url, "--apply", "--yes", "--step", "reply-once") == 1
        assert f"`wedged answer {ASK} --once`" in capsys.readouterr().err
    assert sent == []


def test_a_state_that_moved_while_the_person_thought(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, sent = answerable()
    person = Terminal("y\n")
    person.then = lambda: settle(answers)
    monkeypatch.setattr("sys.stdin", person)
    with serving(answers) as url:
        assert recover(url, "--apply", "--json") == 1
    out, err = capsys.readouterr()
    tree = json.loads(out)
    assert (tree["outcome"], tree["taken"], sent) == ("refused", [], [])
    assert tree["why"] in err
    assert "is gone since the look. Look again: `wedged recover` without --apply" in err


def test_what_could_be_another_servers_call_is_not_touched(capsys: Out) -> None:
    answers = wedged_answers() | {"/permission": [], "/session/status": {}}
    requests: list[str] = []
    with serving(answers, seen=requests) as url:
        assert recover(url) == 1
        out = capsys.readouterr().out
        assert "candidates: W201 or W002, confidence low" in out
        assert "--apply takes" not in out
        assert "Not sure enough for any step." in out
        assert recover(url, "--apply", "--yes") == 1
    assert "is of low confidence" in capsys.readouterr().err
    assert all(line.startswith("GET ") for line in requests)


def test_another_machine_needs_to_be_named_as_one(capsys: Out) -> None:
    assert main(["recover", "http://192.0.2.1:4096", "--session", SESSION, "--apply", "--yes"]) == 1
    assert "is not on this machine" in capsys.readouterr().err
    answers, sent = answerable()
    with serving(answers) as url:
        assert recover(url, "--apply", "--yes", "--remote") == 0
    assert len(sent) == 1


def test_nothing_is_done_in_a_dialect_that_is_not_known(capsys: Out) -> None:
    unknown = {"/api/health": {"healthy": True, "version": "3.0.0", "pid": 1}, "/openapi.json": {}}
    with serving(unknown) as url:
        assert recover(url) == 3
        assert "dialect" in capsys.readouterr().err
        assert recover(url, "--apply") == 1
        assert "use the server's own client" in capsys.readouterr().err


def test_a_session_that_is_not_there(capsys: Out) -> None:
    with serving(wedged_answers()) as url:
        assert main(["recover", url, "--session", "ses_nope\x1b[2J", *NOW]) == 3
    err = capsys.readouterr().err
    assert "could not be read" in err
    assert "\x1b" not in err


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--yes",), "go with --apply"),
        (("--step", "abort"), "go with --apply"),
        (("--remote",), "go with --apply"),
        (("--code", "W999"), "no failure class is called"),
    ],
)
def test_usage(more: tuple[str, ...], why: str, capsys: Out) -> None:
    assert recover("http://127.0.0.1:1", *more) == 2
    assert why in capsys.readouterr().err
    assert main(["recover", "http://127.0.0.1:1"]) == 2


def test_a_code_that_was_not_found_leaves_nothing_to_do(capsys: Out) -> None:
    with serving(wedged_answers()) as url:
        assert recover(url, "--code", "hard-crash") == 0
    assert "Nothing to recover" in capsys.readouterr().out


@pytest.mark.parametrize(("answers", "words"), TARGETS)
def test_a_target_that_can_not_be_looked_at_is_one_line(answers: Wire, words: str, capsys: Out) -> None:
    with serving(answers) as url:
        assert recover(url, "--json") == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert err.removesuffix("\n") == plain(err.removesuffix("\n"))


def test_what_a_server_says_does_not_steer_the_terminal(capsys: Out) -> None:
    text = json.dumps(wedged_answers()).replace("/home/proj", "/home/\\u001b[2J\\u202eproj")
    with serving(json.loads(text)) as url:
        assert recover(url) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any("\\x1b[2J" in line for line in lines)
    assert all(line == plain(line) for line in lines)
