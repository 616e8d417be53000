"""``wedged watch`` against a server that tells its story over a real event stream."""

import json
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler
from importlib.resources import files

import jsonschema
import pytest
from tests.cli.fake_v1 import Wire, serving, wedged_answers
from tests.client.event_server import event

from wedged.cli import main
from wedged.cli.target import Target
from wedged.cli.watch import Printer, again
from wedged.diagnose.document import schema_text
from wedged.errors import Unreachable
from wedged.waiting import wait_for
from wedged.watching.bell import DoorBell, Heard
from wedged.watching.told import SCHEMA_FILE, ChangeDocument
from wedged.watching.watch import Change

Out = pytest.CaptureFixture[str]
ASKED = {"directory": "/p", "payload": {"type": "permission.asked", "properties": {}}}


@pytest.fixture(autouse=True)
def _in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two looks no time goes by: nothing moves there that a test has not moved."""
    monkeypatch.setattr(DoorBell, "pause", lambda self, seconds: None)


class Story:
    """A V1 server that changes by steps, each one taken once the watch has told what its key names."""

    def __init__(self, answers: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers = answers | {"/global/event": self._tell}
        self.steps: dict[str, Callable[[], None]] = {}
        self.told: list[str] = []
        tell = Printer.tell

        def told(printer: Printer, change: Change) -> None:
            tell(printer, change)
            self.told.append(change.kind.value)

        monkeypatch.setattr(Printer, "tell", told)

    def _tell(self, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(event({"payload": {"type": "server.connected", "properties": {}}}))
        for awaited, step in self.steps.items():
            wait_for(partial(self.told.count, awaited), awaited, 10)
            step()
            with suppress(OSError):  # the watch may have hung up by now
                handler.wfile.write(event(ASKED))


def put(answers: Wire, path: str, value: object) -> Callable[[], None]:
    return lambda: answers.__setitem__(path, value)


def told(out: str) -> list[tuple[str, str]]:
    lines = [json.loads(line) for line in out.splitlines()]
    schema = json.loads(schema_text(ChangeDocument))
    for line in lines:
        jsonschema.validate(line, schema)
    return [(line["change"], line["finding"]["code"] if line["finding"] else "") for line in lines]


def test_each_change_is_a_line_and_ctrl_c_ends_it(capfd: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = wedged_answers()
    asked, answers["/permission"] = answers["/permission"], []
    story = Story(answers, monkeypatch)
    story.steps = {
        "watching": put(story.answers, "/permission", asked),
        "appeared": put(story.answers, "/permission", []),
    }
    wait = DoorBell.wait

    def wait_or_be_interrupted(bell: DoorBell, seconds: float) -> Heard:
        if "ended" in story.told:
            os.kill(os.getpid(), signal.SIGINT)
        return wait(bell, seconds)

    monkeypatch.setattr(DoorBell, "wait", wait_or_be_interrupted)
    with serving(story.answers) as url:
        assert main(["watch", url, "--json", "--grace", "0"]) == 130
    out, err = capfd.readouterr()
    assert told(out) == [("watching", ""), ("appeared", "W101"), ("ended", "W101")]
    assert err == "wedged: interrupted\n"


def test_in_words_until_the_first_finding(capfd: Out) -> None:
    with serving(wedged_answers()) as url:
        assert main(["watch", url, "--until-finding"]) == 1
    out, err = capfd.readouterr()
    assert out[8:].startswith("  appeared  WAITING ON YOU for ")
    assert "\n  W101 ungated-external-ask, variant external, confidence high\n" in out
    assert "curl -X POST" in out
    assert f" watching {url} OpenCode 1.18.34 (V1); Ctrl-C ends it" in " ".join(err.split())


@pytest.mark.parametrize("verb", [["--for", "0"], ["--for", "0", "--json"]])
def test_a_single_look(verb: list[str], capfd: Out) -> None:
    answers = wedged_answers() | {"/permission": []}
    with serving(answers) as url:
        assert main(["watch", url, *verb]) == 0
    with serving(answers | {"/question": {"no": "list"}}) as url:
        assert main(["watch", url, *verb]) == 3


def test_nothing_there_is_an_error(capfd: Out) -> None:
    assert main(["watch", "http://127.0.0.1:9"]) == 3
    assert capfd.readouterr() == ("", "wedged: cannot connect to http://127.0.0.1:9: Connection refused\n")


def test_no_password_is_printed(capfd: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", "geheim77")
    answers = wedged_answers()
    answers["/permission"][0]["patterns"] = ["/geheim77/*"]
    for extra in ([], ["--json"]):
        with serving(answers, password="geheim77") as url:
            assert main(["watch", url, "--for", "0", *extra]) == 1
        out, err = capfd.readouterr()
        assert "geheim77" not in out + err
        assert "[redacted]" in out


def test_the_shipped_schema_is_the_one_of_the_dataclass() -> None:
    shipped = (files("wedged.watching") / SCHEMA_FILE).read_text(encoding="utf-8")
    assert shipped == schema_text(ChangeDocument), "write schema_text(ChangeDocument) into that file"


def test_a_service_is_looked_up_again_and_says_nothing_twice(
    capfd: Out, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    state = tmp_path_factory.mktemp("service")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    file = state / "opencode" / "service.json"
    file.parent.mkdir()
    file.touch(0o600)
    before = Target("http://127.0.0.1:4000", "opencode", "OPENCODE_PASSWORD", "old", file)
    with pytest.raises(Unreachable, match="no service that runs is registered"):
        again(before)
    registered = {"url": "http://127.0.0.1:4001", "pid": os.getpid(), "version": "2", "password": "new"}
    file.write_text(json.dumps(registered))
    found = again(before)
    assert (found.url, found.password) == ("http://127.0.0.1:4001", "new")
    assert capfd.readouterr() == ("", "")
