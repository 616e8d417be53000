"""Collectors without a server: logs, processes, withholding, the tree of sessions, the report."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.diagnose.looks import ask, look, session

from wedged.bundle.collecting import Basket
from wedged.bundle.configuration import told_config
from wedged.bundle.contents import BundleGap
from wedged.bundle.family import session_tree
from wedged.bundle.issue_report import issue_report
from wedged.bundle.logs import age_of, collect_logs
from wedged.bundle.messages import told_messages
from wedged.bundle.process_details import describe, pipe_holders
from wedged.bundle.started_with import collect_services, passwords
from wedged.bundle.told import told_argv, told_window
from wedged.bundle.withholding import Withholding
from wedged.diagnose import diagnose
from wedged.facts.process import Holders, ProcessFacts, Stray, Tree
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Window
from wedged.observe.processes import process_facts


def gathered(basket: Basket) -> tuple[dict[str, Any], list[BundleGap]]:
    pieces, gaps = basket.close()
    return dict(pieces), gaps


def test_the_last_lines_of_a_session_and_how_old_they_are(tmp_path: Path) -> None:
    then = datetime.now(UTC) - timedelta(seconds=90)
    lines = [f"INFO  {then:%Y-%m-%dT%H:%M:%S} +{n}ms service=x session=ses_{n % 2} step" for n in range(500)]
    (tmp_path / "server.log").write_text("\n".join(lines) + "\nno time here\n")
    basket = Basket("logs")
    collect_logs(basket, tmp_path, ["ses_0", "ses_7"], Withholding())
    pieces, gaps = gathered(basket)
    assert pieces["logs/server.log"].count("\n") == 200
    own = pieces["sessions/ses_0/log.txt"].splitlines()
    assert len(own) == 200
    assert all("ses_0" in line for line in own)
    ages = pieces["logs.json"]
    assert 88 < ages["sessions"]["ses_0"]["last_line_ago_s"] < 150
    assert ages["files"]["server.log"]["read_whole"] is True
    assert [gap.what for gap in gaps] == ["log lines of ses_7"]


def test_a_log_holds_no_request_and_nothing_that_is_withheld(tmp_path: Path) -> None:
    prompt, body = "Refactor\nthe harbour module", "x" * 5000
    line = f'ERROR error={{"requestBodyValues":{{"messages":["{body}"]}}}}'
    (tmp_path / "a.log").write_text(
        f'{line}\nINFO said={json.dumps(prompt)} messages=12\nINFO title="Mend the harbour" x=1\n'
    )
    withholding = Withholding()
    withholding.text("prompts", prompt)
    basket = Basket("logs")
    collect_logs(basket, tmp_path, [], withholding)
    pieces, _ = gathered(basket)
    text = pieces["logs/a.log"]
    assert "requestBodyValues" in text
    assert "xxx" not in text
    assert "messages=12" in text
    assert "the harbour" not in text


def test_a_folder_without_logs_is_a_gap(tmp_path: Path) -> None:
    for folder, words in ((tmp_path, "there are none"), (tmp_path / "no", "can't be read")):
        basket = Basket("logs")
        collect_logs(basket, folder, [], Withholding())
        (gap,) = gathered(basket)[1]
        assert words in gap.why


def test_ages_are_read_from_the_last_line_with_a_time() -> None:
    assert age_of(["nothing", ""]) is None
    now = datetime.now(UTC)
    age = age_of(
        [f"{now - timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ} a", f"{now:%Y-%m-%dT%H:%M:%S.000+00:00} b", "c"]
    )
    assert age is not None
    assert -2 < age < 5


@pytest.fixture
def child() -> Iterator[ProcessFacts]:
    process = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    yield process_facts(psutil.Process(process.pid))
    process.communicate()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells who holds a pipe")
def test_a_process_with_its_pipe_and_who_holds_it(child: ProcessFacts) -> None:
    held = pipe_holders()
    assert held is not None
    row: dict[str, Any] = describe(child, held)
    assert (row["ppid"], row["pgid"], row["sid"]) == (os.getpid(), os.getpgid(0), os.getsid(0))
    assert row["state"] in ("sleeping", "running", "disk-sleep")
    assert row["stdin"]["kind"] == "pipe"
    assert row["stdin"]["also_held_by"] == [os.getpid()]
    assert row["stdout"]["kind"] == "null"
    assert 0 <= row["age_s"] < 300


def test_a_pid_that_is_somebody_elses_now_is_gone(child: ProcessFacts) -> None:
    assert describe(replace(child, created=child.created - 500), {})["state"] == "gone"


V1_MESSAGES = [
    {
        "info": {"id": "msg_1", "role": "user", "sessionID": "ses_1"},
        "parts": [{"id": "prt_1", "type": "text", "text": "the prompt"}],
    },
    {
        "info": {
            "id": "msg_2",
            "role": "assistant",
            "error": {"name": "AbortError", "data": {"message": "cut"}},
        },
        "parts": [
            {"id": "prt_2", "type": "reasoning", "text": "the answer"},
            {
                "id": "prt_3",
                "type": "tool",
                "tool": "write",
                "callID": "call_1",
                "state": {
                    "status": "completed",
                    "input": {"filePath": "/srv/a", "content": "the answer"},
                    "output": "the output",
                    "title": "the output",
                    "time": {"start": 5},
                },
            },
        ],
    },
]
V2_MESSAGES = {
    "data": [
        {"id": "msg_1", "type": "user", "text": "the prompt", "files": [{"uri": "the prompt"}]},
        {
            "id": "msg_2",
            "type": "assistant",
            "content": [
                {"type": "text", "text": "the answer"},
                {
                    "type": "tool",
                    "id": "call_1",
                    "name": "shell",
                    "state": {
                        "status": "running",
                        "input": {"command": "sleep 600", "description": "the answer"},
                        "content": [{"type": "text", "text": "the output"}],
                        "structured": {"anything": "the output"},
                    },
                },
            ],
        },
        {"id": "msg_3", "type": "synthetic", "text": "the output"},
        {"id": "msg_4", "type": "something-new", "words": "the output"},
    ]
}


@pytest.mark.parametrize("messages", [V1_MESSAGES, V2_MESSAGES], ids=["V1", "V2"])
@pytest.mark.parametrize("kind", ["prompts", "outputs", "answers"])
def test_each_kind_of_text_comes_in_alone(messages: object, kind: str) -> None:
    text = str(told_messages(messages, Withholding((kind,))))
    shown = {"prompts": "the prompt", "outputs": "the output", "answers": "the answer"}
    assert {name for name, words in shown.items() if words in text} == {kind}
    for kept in ("msg_1", "call_1", "assistant"):
        assert kept in text
    assert ("/srv/a" in text) or ("sleep 600" in text)


def test_what_is_equal_stays_equal() -> None:
    withholding = Withholding()
    one, other = withholding.text("prompts", "abc"), withholding.text("outputs", "abd")
    assert (one, other) == ("[withheld 1: 3 characters]", "[withheld 2: 3 characters]")
    assert withholding.text("answers", "abc") == one
    assert withholding.text("answers", "") == ""


def test_configs_keep_their_switches_and_no_other_words() -> None:
    config = {
        "model": "mock/m",
        "permission": {"bash": {"rm *": "deny", "*": "ask"}},
        "agent": {"build": {"prompt": "be kind", "temperature": 0.2, "disable": False}},
        "mcp": {"x": {"type": "local", "command": ["run", "--key", "abc"], "enabled": True}},
        "plugin": ["tidy@1"],
    }
    assert told_config(config) == {
        "model": "mock/m",
        "permission": {"bash": {"rm *": "deny", "*": "ask"}},
        "agent": {"build": {"prompt": "[redacted]", "temperature": 0.2, "disable": False}},
        "mcp": {"x": {"type": "local", "command": ["[redacted]"] * 3, "enabled": True}},
        "plugin": ["tidy@1"],
    }


def rows(*sessions: SessionFacts) -> list[tuple[str, object]]:
    tree: Any = session_tree(look((), sessions), {"ses_2"})
    return [(row["id"], row["depth"]) for row in tree["sessions"]]


def test_children_stand_after_their_parents() -> None:
    family = session("ses_3", parent="ses_2"), session("ses_2", parent="ses_1"), session("ses_1")
    assert rows(*family) == [("ses_1", 0), ("ses_2", 1), ("ses_3", 2)]


def test_a_circle_of_parents_ends_and_hides_nobody() -> None:
    circle = session("ses_1", parent="ses_2"), session("ses_2", parent="ses_1")
    assert rows(*circle, session("ses_3", parent="ses_3")) == [
        ("ses_1", None),
        ("ses_2", None),
        ("ses_3", None),
    ]


def test_a_long_chain_of_parents_is_no_recursion() -> None:
    chain = [session(f"ses_{n}", parent=f"ses_{n - 1}" if n else "") for n in range(200)]
    assert rows(*chain)[-1] == ("ses_199", 199)


def test_the_report_has_the_forms_headings_and_nothing_in_it_is_markup() -> None:
    evil = "a``` @everyone #1 <script>\x1b[2J"
    held = replace(ask(resource=evil), action=f"external_directory {evil}")
    seen = diagnose(Window(look((held,), (session(status=Status.BUSY),))), 0)
    assert seen.findings
    text = issue_report(
        seen,
        versions={"wedged": "0.1.0", "python": "3.11", "system": "Linux"},
        plugins=["tidy@1", "`x`"],
        terminal="xterm",
        gaps=[BundleGap("logs", "logs", evil)],
        bundle="b.zip",
    )
    headings = [line[4:] for line in text.splitlines() if line.startswith("### ")]
    assert headings == [
        "Description",
        "Plugins",
        "OpenCode version",
        "Steps to reproduce",
        "Screenshot and/or share link",
        "Operating System",
        "Terminal",
    ]
    assert "**W101 ungated-external-ask" in text
    assert "\x1b" not in text
    outside, inside = [], ""
    for line in text.splitlines():
        fence = line if line.startswith("```") and set(line) == {"`"} else ""
        if fence and (not inside or fence == inside):
            inside = "" if inside else fence
        elif not inside:
            outside.append(line)
    assert not inside
    assert "@everyone" not in "\n".join(outside)


def test_a_registration_without_its_password(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "opencode"
    folder.mkdir(parents=True)
    registration = {
        "url": "http://127.0.0.1:49374",
        "pid": os.getpid(),
        "version": "2.0.15",
        "password": "Heron-51",
    }
    for name, mode in (("service.json", 0o600), ("service-next.json", 0o644)):
        (folder / name).write_text(json.dumps(registration))
        (folder / name).chmod(mode)
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    basket = Basket("environment")
    collect_services(basket, env, os.getpid())
    pieces, _ = gathered(basket)
    own, other = pieces["services.json"]["registrations"]
    assert (own["pid"], own["has_password"], own["is_this_server"]) == (os.getpid(), True, True)
    assert "others than its user can read" in other["unusable"]
    assert "Heron" not in json.dumps(pieces)
    assert passwords(env) == ("Heron-51",)


@pytest.mark.parametrize(
    ("argv", "kept"),
    [
        ("opencode run -m mock/m Mend the harbour --print-logs", "opencode run -m mock/m --print-logs"),
        (
            "node /lib/opencode run --session ses_1 Mend",
            "node /lib/opencode run --session ses_1",
        ),
        ("opencode --prompt harbour", "opencode --prompt"),
        ("opencode --prompt=harbour -c", "opencode -c"),
        ("opencode serve --port 4096", "opencode serve --port 4096"),
        ("bash -c run the harbour", "bash -c run the harbour"),
    ],
)
def test_a_client_is_told_without_its_prompt(argv: str, kept: str) -> None:
    told = told_argv(argv.split(), Withholding())
    assert [word for word in told if "withheld" not in word] == kept.split()
    assert len(told) == len(argv.split())
    assert told_argv(argv.split(), Withholding(("prompts",))) == tuple(argv.split())


def test_a_prompt_in_a_servers_processes_stays_out() -> None:
    run = ProcessFacts(2, 1, 0.0, "opencode", ("opencode", "run", "Mend the harbour"))
    seen = replace(
        look(),
        processes=Tree(run, (run,)),
        holders=Holders((run,)),
        strays=(Stray(run, run),),
    )
    assert "harbour" not in repr(told_window(Window(seen, seen), Withholding()))
