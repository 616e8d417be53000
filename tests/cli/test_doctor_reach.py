"""What a look at a server says of its own reach, and what a list that never comes costs."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import jsonschema
import pytest

from wedged.cli import main
from wedged.diagnose.document import schema_text

from .fake_v1 import Wire, reply, serving, wedged_answers

Out = pytest.CaptureFixture[str]


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Set when the test ends, so that no handler outlives it."""
    event = threading.Event()
    yield event
    event.set()


def in_many_directories(count: int) -> Wire:
    """The wedged session, and healthy ones in directories of their own."""
    answers = wedged_answers()
    (session,) = answers["/session"]
    for n in range(count):
        other = session | {"id": f"ses_other{n}", "directory": f"/d{n}"}
        answers["/session"].append(other)
        answers[f"/session/{other['id']}"] = other
        answers[f"/session/{other['id']}/message"] = []
    return answers


def test_a_list_that_never_comes_costs_three_timeouts_and_loses_nothing_else(
    over: threading.Event, capsys: Out
) -> None:
    def never(handler: BaseHTTPRequestHandler) -> None:
        over.wait(60)
        reply(handler, "{}")

    requests: list[str] = []
    answers = in_many_directories(12)
    asked = answers["/permission"]
    with serving(answers | {"/question": never}, seen=requests) as url:
        line = ("doctor", url, "--sample", "0", "--timeout", "0.3", "--all-directories", "--json")
        assert main([*line]) == 3
        over.set()
    tree = json.loads(capsys.readouterr().out)
    assert sum("/question" in line for line in requests) <= 4, "in 13 directories"
    unknown = {gap["what"]: gap["why"] for gap in tree["unknown"]}
    assert len([what for what in unknown if what.startswith("asks in /d")]) == 12
    assert "not asked: such reads have taken 0.9 s already" in unknown.values()
    assert tree["checked"]["sessions"] == 13
    assert len(tree["checked"]["scopes"]) == 13
    assert {one["session"] for one in tree["activity"]} == {asked[0]["sessionID"]}
    assert sum("/session/status?" in line for line in requests) >= 12, "the other lists were all asked"


def test_what_was_not_asked_is_named(capsys: Out) -> None:
    with serving(in_many_directories(7)) as url:
        assert main(["doctor", url, "--sample", "0", "--json"]) == 1
        tree = json.loads(capsys.readouterr().out)
        jsonschema.validate(tree, json.loads(schema_text()))
        checked = tree["checked"]
        assert (checked["sessions"], checked["sessions_read"]) == (8, 1)
        assert {one["directory"] for one in checked["not_asked"]} == {f"/d{n}" for n in range(7)}
        assert checked["effects"] == []
        main(["doctor", url, "--sample", "0"])
        out = " ".join(capsys.readouterr().out.split())
        assert "not asked: /d0, 1 session: nothing unfinished was seen in it" in out
        assert "2 more directories, 2 sessions: --all names them" in out


def test_what_the_look_itself_did_is_said(capsys: Out) -> None:
    with serving(in_many_directories(2)) as url:
        main(["doctor", url, "--sample", "0", "--directory", "/d1"])
    out = " ".join(capsys.readouterr().out.split())
    assert "this look itself: named /d1, and a V1 server loads the project there" in out
    assert "not asked: /d0" in out
