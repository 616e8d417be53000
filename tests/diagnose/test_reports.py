"""The reports: valid against the shipped schema, safe to print, and silent about what was not asked for."""

import json
import os
import shlex
import subprocess
from dataclasses import replace
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from tests.recover.stale import PART, SESSION, STALE

from wedged.client.v1.requests import request
from wedged.diagnose import Diagnosis, Login, diagnose, report_json, report_text
from wedged.diagnose.document import SCHEMA_FILE, schema_text
from wedged.diagnose.report_text import curl
from wedged.facts.plain_text import plain
from wedged.facts.snapshot import Gap, Snapshot, Window

from .looks import ASK_ID, ask, look, session

STUCK = look((ask(),), (session(),), (Gap("directory /else", "not asked"),))
HOSTILE = "/out\x1b[2J\x07\u202e/*"


def made(seen: Snapshot = STUCK) -> Diagnosis:
    return diagnose(Window(seen), request=request)


def test_the_shipped_schema_is_the_one_of_the_dataclasses() -> None:
    shipped = (files("wedged.diagnose") / SCHEMA_FILE).read_text(encoding="utf-8")
    assert shipped == schema_text(), "write schema_text() of diagnose/document.py into that file"
    jsonschema.Draft202012Validator.check_schema(json.loads(shipped))


@pytest.mark.parametrize("seen", [look(), STUCK, look(gaps=(Gap("a", "b"),))])
@pytest.mark.parametrize("flag", [False, True])
def test_the_json_report_keeps_to_its_schema(seen: Snapshot, flag: bool) -> None:
    tree = json.loads(report_json(made(seen), show_all=flag, include=flag))
    jsonschema.validate(tree, json.loads(schema_text()))
    assert list(tree) == [
        "schema",
        "target",
        "server",
        "findings",
        "unknown",
        "checked",
        "activity",
        "ask",
        "verdicts",
    ]


def test_what_the_json_report_says() -> None:
    tree: dict[str, Any] = json.loads(report_json(made()))
    assert tree["schema"] == 1
    assert tree["server"] == {"line": "v1", "version": "1.18.34"}
    (finding,) = tree["findings"]
    assert finding["since"] == "2026-11-29T12:55:49.436Z"
    assert finding["age_s"] == 120.0
    assert finding["status"] == "waiting-on-you"
    assert finding["recovery"][0]["do"]["method"] == "POST"
    assert tree["unknown"] == [{"what": "directory /else", "why": "not asked"}]
    assert tree["checked"]["scopes"][0]["directory"] == "/project"


def test_a_readers_unknown_fields_are_allowed() -> None:
    tree = json.loads(report_json(made()))
    tree["findings"][0]["new"] = 1
    tree["findings"][0]["status"] = "a status of tomorrow"
    jsonschema.validate(tree, json.loads(schema_text()))


def test_commands_are_shown_only_when_asked_for_and_never_their_secrets() -> None:
    for report in (report_text, report_json):
        assert "mkdir" not in report(made())
        shown = report(made(), include=True)
        assert "mkdir -p /outside/a" in shown
        assert "abcdefghijkl12" not in shown


def test_a_password_is_in_neither_report() -> None:
    seen = replace(STUCK, gaps=(Gap("x", "said hunter2x"),))
    for report in (report_text, report_json):
        assert "hunter2x" not in report(made(seen), secrets=("hunter2x",))


def test_hostile_names_reach_no_terminal() -> None:
    seen = look((ask(resource=HOSTILE),), (session(),))
    text = report_text(made(seen), show_all=True, include=True)
    assert all(line == plain(line) for line in text.splitlines())
    assert "\\x1b[2J" in text
    document = report_json(made(seen))
    assert document.isascii()
    assert "\x1b" not in document
    assert HOSTILE in json.loads(document)["findings"][0]["evidence"][0]


def test_the_text_report_puts_the_cure_where_it_is_looked_for() -> None:
    text = report_text(made(), login=Login("opencode", "OPENCODE_PASSWORD"))
    lines = text.splitlines()
    assert lines[0] == "http://127.0.0.1:4096  OpenCode 1.18.34 (V1)"
    assert lines[2] == "WAITING ON YOU for 2 min: Session stuck busy forever, one tool part stays running"
    assert f"{ASK_ID}/reply?directory=/project" in text
    assert '-u opencode:"$OPENCODE_PASSWORD"' in text
    assert "NOT KNOWN" in text
    assert text.index("Do one of these") < text.index("NOT KNOWN") < text.index("Checked:")
    assert text.endswith("\n")


def test_nothing_found_says_what_was_read() -> None:
    assert "Nothing found.\n" in report_text(made(look()))
    assert "Nothing found in what could be read." in report_text(made(look(gaps=(Gap("a", "b"),))))
    assert "/project (GET /session/status, GET /permission)" in report_text(made(look()))


def test_what_was_dismissed_is_counted_and_shown_on_request() -> None:
    seen = look(sessions=(session(),))
    assert "1 state considered and not reported: --all shows why" in report_text(made(seen))
    assert "bash unfinished, and no ask is pending" in report_text(made(seen), show_all=True)
    assert json.loads(report_json(made(seen)))["checked"]["considered"] == []
    assert len(json.loads(report_json(made(seen), show_all=True))["checked"]["considered"]) == 1


@pytest.mark.parametrize("message", ["plain", "it's", '"$(touch x)" `touch x`', "a\\b\nc"])
def test_a_line_to_paste_means_what_it_says(message: str) -> None:
    line = curl(
        {"method": "POST", "path": "/p?directory=/a", "body": {"message": message}},
        "http://h:1",
        Login("me", "SECRET"),
    )
    shown = subprocess.run(
        ["sh", "-c", line.replace("curl", "printf '%s\\0'", 1)],
        env={"PATH": os.environ["PATH"], "SECRET": "p w$x"},
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split("\0")
    assert shown[:-1] == [
        "-X",
        "POST",
        "-u",
        "me:p w$x",
        "http://h:1/p?directory=/a",
        "-H",
        "content-type: application/json",
        "-d",
        json.dumps({"message": message}, separators=(",", ":")),
    ]
    assert shlex.split(line)


def test_what_a_cure_costs_is_said_once_a_class() -> None:
    second = f"{ASK_ID[:-1]}z"
    seen = look((ask(), ask(second, "ses_2")), (session(), session("ses_2")))
    text = report_text(made(seen))
    assert text.count("/reply?directory=/project") == 6
    assert text.count("loses: The whole turn") == 1
    assert text.count("wedged explain W101") == 1


def w201_of(command: str) -> Window:
    """A look at a call that a crash has left, running this command."""
    wire: dict[str, object] = {"id": PART.id, "state": {"status": "running", "input": {"command": command}}}
    part = replace(PART, input={"command": command}, wire=wire)
    return Window(replace(STALE, sessions=(replace(SESSION, parts=(part,)),)))


def test_a_request_that_holds_a_credential_is_whole_or_not_written() -> None:
    """Redacted, a call's input would be written back as `[redacted]`."""
    window = w201_of("curl -H 'Authorization: Bearer abcDEF123456789' http://x")
    diagnosis = diagnose(window, 0, request=request)
    (settle,) = [o for f in diagnosis.findings for o in f.recovery if o.id == "settle-part"]
    text = report_text(diagnosis)
    assert "abcDEF123456789" not in text
    assert "# not written" in text
    tree = json.loads(report_json(diagnosis))
    (told,) = [r for f in tree["findings"] for r in f["recovery"] if r["id"] == "settle-part"]
    assert told["do"] == {
        "method": "PATCH",
        "path": settle.do["path"],
        "body": None,
        "argv": [],
        "withheld": True,
    }
    plainly = json.loads(report_json(diagnose(w201_of("sleep 600"), 0, request=request)))
    (told,) = [r for f in plainly["findings"] for r in f["recovery"] if r["id"] == "settle-part"]
    assert told["do"]["body"]["state"]["input"]["command"] == "sleep 600"
    assert not told["do"].get("withheld")
