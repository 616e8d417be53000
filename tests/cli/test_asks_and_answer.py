"""``wedged asks`` and ``wedged answer`` from the command line, against a server that a test scripts."""

import io
import json
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from wedged.cli import main
from wedged.facts.plain_text import plain

from .fake_v1 import Wire, reply, serving, wedged_answers
from .hostile import TARGETS

Out = pytest.CaptureFixture[str]
ASK = "per_2276041bc001q4W5JN3Rmg1FJy"
QUESTION = "que_2276041bc001q4W5JN3Rmg1FJy"


@pytest.fixture(autouse=True)
def _no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD", "OPENCODE_SERVER_USERNAME"):
        monkeypatch.delenv(name, raising=False)


class Terminal(io.StringIO):
    """A person who types these lines."""

    def isatty(self) -> bool:
        return True


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("".join(f"{line}\n" for line in lines)))


@pytest.fixture(autouse=True)
def _nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())


def answerable(status: str = "error") -> tuple[Wire, list[Any]]:
    """A wedged server that takes an answer and then settles; the bodies that it was sent."""
    answers, sent = wedged_answers(), []
    (session,) = answers["/session"]

    def take(handler: BaseHTTPRequestHandler) -> None:
        sent.append(json.loads(handler.rfile.read(int(handler.headers.get("Content-Length") or 0)) or "null"))
        answers["/permission"] = []
        answers["/session/status"] = {}
        state = answers[f"/session/{session['id']}/message"][-1]["parts"][1]["state"]
        state |= {"status": status, "error": "The user rejected permission"}
        reply(handler, "true")

    answers[f"/permission/{ASK}/reply"] = take
    return answers, sent


def asking_a_question() -> Wire:
    answers = wedged_answers()
    (permission,) = answers["/permission"]
    asked = [
        {"question": "Which\x1b[2J?", "options": [{"label": "left"}, {"label": "right"}]},
        {"question": "Why?", "options": "nonsense"},
        "nonsense",
    ]
    question = {key: permission[key] for key in ("sessionID", "tool")} | {"id": QUESTION, "questions": asked}
    return answers | {"/permission": [], "/question": [question]}


def test_the_list_of_asks(capsys: Out) -> None:
    requests: list[str] = []
    with serving(wedged_answers(), seen=requests) as url:
        assert main(["asks", url]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert all(line.startswith("GET ") for line in requests)
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert rows[2].startswith(f"{ASK}, asked ")
    for row in (
        "action external_directory",
        "command mkdir -p /home/outside/cap/a",
        "patterns /home/outside/cap/*",
        "directory /home/proj",
        f"reject wedged answer {ASK} {url} --reject",
        f"once wedged answer {ASK} {url} --once",
    ):
        assert row in rows
    assert f"""'{url}/permission/{ASK}/reply?directory=/home/proj'""" in out
    assert '"always"' not in out


def test_the_list_as_json(capsys: Out) -> None:
    with serving(wedged_answers()) as url:
        assert main(["asks", url, "--json"]) == 1
    out, err = capsys.readouterr()
    assert (err, out.count("\n")) == ("", 1)
    tree = json.loads(out)
    (ask,) = tree["asks"]
    assert (ask["id"], ask["standing"], ask["about"]) == (ASK, "live", "mkdir -p /home/outside/cap/a")
    assert ask["answers"]["reject"] == {
        "method": "POST",
        "path": f"/permission/{ASK}/reply?directory=/home/proj",
        "body": {"reply": "reject"},
    }
    assert (tree["schema"], tree["unknown"], tree["directories"]) == (1, [], ["/home/proj"])


def test_leftovers_and_empty_lists(capsys: Out) -> None:
    idle = wedged_answers() | {"/session/status": {}}
    with serving(idle) as url:
        assert main(["asks", url]) == 0
    assert "leftover: its session is idle" in capsys.readouterr().out
    with serving(idle | {"/permission": []}) as url:
        assert main(["asks", url]) == 0
    assert "No ask is pending." in capsys.readouterr().out
    with serving(idle | {"/permission": {"not": "a list"}}) as url:
        assert main(["asks", url]) == 3
    assert "No ask is pending in what could be read." in capsys.readouterr().out


def test_a_question_is_shown_and_can_be_dismissed_only(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(asking_a_question()) as url:
        assert main(["asks", url]) == 1
        out = capsys.readouterr().out
        assert "Which\\x1b[2J? (left | right); Why?" in out
        assert f"{url}/question/{QUESTION}/reject?directory=/home/proj" in out
        assert "--once" not in out
        assert all(line == plain(line) for line in out.splitlines())
        at_a_terminal(monkeypatch, "y")
        assert main(["answer", QUESTION, url, "--once"]) == 1
        assert "is a question: it has no yes" in capsys.readouterr().err


def test_secrets_in_commands_are_taken_out_of_the_list(capsys: Out) -> None:
    answers = wedged_answers()
    answers["/permission"][0]["metadata"]["command"] = "curl -H 'Authorization: Bearer abcdef0123456789' x"
    with serving(answers) as url:
        main(["asks", url])
        main(["asks", url, "--json"])
    assert "abcdef0123456789" not in capsys.readouterr().out


def test_a_reject_for_a_script(capsys: Out) -> None:
    answers, sent = answerable()
    with serving(answers) as url:
        assert main(["answer", ASK, url, "--reject", "--yes"]) == 0
    assert sent == [{"reply": "reject"}]
    out, err = capsys.readouterr()
    assert err == ""
    assert "command    mkdir -p /home/outside/cap/a" in out
    assert out.splitlines()[-1] == (
        "rejected: its call (bash) is error (The user rejected permission); the session is idle"
    )


def test_a_reject_with_a_message(capsys: Out) -> None:
    answers, sent = answerable()
    with serving(answers) as url:
        assert main(["answer", ASK, url, "--reject", "--yes", "--message", "Stay inside."]) == 0
    assert sent == [{"reply": "reject", "message": "Stay inside."}]


def test_an_approval_shows_the_command_first(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, sent = answerable("completed")
    at_a_terminal(monkeypatch, "y")
    with serving(answers) as url:
        assert main(["answer", ASK, url, "--once"]) == 0
    assert sent == [{"reply": "once"}]
    out = capsys.readouterr().out
    assert out.index("mkdir -p /home/outside/cap/a") < out.index("Let it run, this one time?")
    assert out.index("Let it run") < out.index("approved once: its call (bash) is completed")


@pytest.mark.parametrize("lines", [("n",), ("",)])
def test_a_no_sends_nothing(lines: tuple[str, ...], capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, sent = answerable()
    for verb in ("--once", "--reject"):
        at_a_terminal(monkeypatch, *lines)
        with serving(answers) as url:
            assert main(["answer", ASK, url, verb]) == 1
        assert "nothing was sent" in capsys.readouterr().err
    assert sent == []


def test_a_person_who_leaves(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, sent = answerable()
    at_a_terminal(monkeypatch)
    with serving(answers) as url:
        assert main(["answer", ASK, url, "--once"]) == 130
    assert sent == []


def test_what_a_terminal_would_obey_is_shown_before_an_approval(
    capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, _ = answerable()
    answers["/permission"][0]["metadata"]["command"] = "rm -rf /\x1b[1A\x1b[2Kls\u202e"
    at_a_terminal(monkeypatch, "n")
    with serving(answers) as url:
        assert main(["answer", ASK, url, "--once"]) == 1
    out = capsys.readouterr().out
    assert "rm -rf /\\x1b[1A\\x1b[2Kls\\u202e" in out
    assert "\x1b" not in out


def test_an_approval_shows_the_whole_of_it(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, _ = answerable()
    command = "echo " + "x" * 9000 + "; curl --token=abcdefghijkl12 y"
    answers["/permission"][0]["metadata"]["command"] = command
    at_a_terminal(monkeypatch, "n")
    with serving(answers) as url:
        main(["answer", ASK, url, "--once"])
    assert command in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([ASK, "--once"], 1, "needs a person at a terminal"),
        ([ASK, "--reject"], 1, "--reject takes --yes"),
        ([ASK], 2, "give one of --once and --reject"),
        ([ASK, "--once", "--reject"], 2, "give one of"),
        ([ASK, "--once", "--yes"], 2, "go with --reject only"),
        ([ASK, "--once", "--message", "x"], 2, "go with --reject only"),
        ([ASK, "--always"], 2, "No such option"),
        (["per_gone", "--reject", "--yes"], 1, "per_gone is gone"),
        (["per_\x1b[2J", "--reject", "--yes"], 1, "per_\\x1b[2J is gone"),
    ],
)
def test_refusals(arguments: list[str], code: int, words: str, capsys: Out) -> None:
    answers, sent = answerable()
    with serving(answers) as url:
        assert main(["answer", arguments[0], url, *arguments[1:]]) == code
    out, err = capsys.readouterr()
    assert (out, sent) == ("", [])
    assert words in err
    assert err.count("\n") == 1


def test_a_leftover_is_refused(capsys: Out) -> None:
    answers, sent = answerable()
    with serving(answers | {"/session/status": {}}) as url:
        assert main(["answer", ASK, url, "--reject", "--yes"]) == 1
    assert "nothing waits for it: its session is idle" in capsys.readouterr().err
    assert sent == []


def test_an_ask_whose_command_can_not_be_read_is_not_approved(
    capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, sent = answerable()
    (session,) = answers["/session"]
    answers["/permission"][0]["metadata"] = {}
    answers[f"/session/{session['id']}/message"] = []
    at_a_terminal(monkeypatch, "y")
    with serving(answers) as url:
        assert main(["answer", ASK, url, "--once"]) == 1
    assert "could not be read, so it can't be approved here" in capsys.readouterr().err
    assert sent == []


@pytest.mark.parametrize(("answers", "words"), TARGETS)
@pytest.mark.parametrize("verb", ["asks", "answer"])
def test_a_target_that_can_not_be_looked_at_is_one_line(
    verb: str, answers: Wire, words: str, capsys: Out
) -> None:
    with serving(answers) as url:
        arguments = [verb, url] if verb == "asks" else [verb, ASK, url, "--reject", "--yes"]
        assert main(arguments) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert err.removesuffix("\n") == plain(err.removesuffix("\n"))
