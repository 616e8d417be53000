"""``wedged ready``, the two rosters and stop on real servers of all three lines."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from wedged.cli import main
from wedged.client import connect
from wedged.facts.process import ProcessFacts, Shell
from wedged.facts.recovery import Action, Target
from wedged.lab.bench import Bench, Prompted, open_bench, shell
from wedged.lab.keeper import Keeper
from wedged.lab.turns import Call, Script, Turn
from wedged.roster import EntryKind, RightClient, load, sample, stop
from wedged.waiting import wait_for

pytestmark = pytest.mark.server
Out = pytest.CaptureFixture[str]
LINES = ("installed_v1", "installed_preview", "installed_released")
V2 = LINES[1:]

# What a provider's own runner does: it starts a process and tells the server nothing.
RUNNER = """
import { spawn } from "node:child_process"
export default { id: "runner", setup: async () => { spawn("sleep", ["9471"], { stdio: "ignore" }) } }
"""


@pytest.fixture(scope="module")
def benches(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Bench]]:
    """One warmed server a line, each started when it is first asked for."""
    opened: dict[str, Bench] = {}
    with ExitStack() as stack:
        keeper = stack.enter_context(Keeper.start())

        def of_line(line: str) -> Bench:
            if line not in opened:
                opened[line] = stack.enter_context(open_bench(request.getfixturevalue(line), keeper))
                opened[line].warm_up(opened[line].project())
            return opened[line]

        yield of_line


@pytest.fixture(params=LINES)
def bench(
    request: pytest.FixtureRequest, benches: Callable[[str], Bench], monkeypatch: pytest.MonkeyPatch
) -> Bench:
    found = benches(request.param)
    monkeypatch.setenv("OPENCODE_PASSWORD", found.server.password)
    return found


def ready(bench: Bench, capsys: Out, *more: str) -> tuple[int, dict[str, Any]]:
    code = main(["ready", bench.server.url, "--json", *more])
    return code, json.loads(capsys.readouterr().out)


def of(tree: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [one for one in tree["blockers"] if one["kind"] == kind]


def background(bench: Bench, name: str, command: str, directory: str = "") -> tuple[Prompted, Shell]:
    """A background shell whose turn is over."""
    call = Call("shell", shell(command) | {"background": True})
    prompted = bench.prompt(Script(name, (Turn(calls=(call,)),)), directory or bench.project())
    bench.wait_idle(prompted)
    return prompted, shell_of(bench, prompted.session, prompted.directory)


def shell_of(bench: Bench, session: str, directory: str) -> Shell:
    found = bench.connection.reader.shells(directory)
    (one,) = [each for each in found if each.session_id == session]
    return one


def end(bench: Bench, one: Shell) -> None:
    actor = bench.connection.actor
    actor.send(actor.request(Action.END_SHELL, Target(one.session_id, one.directory, shell_id=one.id)))


def sleeping(bench: Bench, seconds: str) -> ProcessFacts | None:
    return next((p for p in bench.server.tree() if p.argv == ("sleep", seconds)), None)


def test_an_idle_server_is_ready(bench: Bench, capsys: Out) -> None:
    code, tree = ready(bench, capsys)
    assert (code, tree["verdict"], tree["blockers"], tree["unknown"]) == (0, "ready", [], [])
    assert tree["checked"]["processes"] == 0


def test_a_turn_that_waits_for_the_model_in_another_directory(bench: Bench, capsys: Out) -> None:
    there = bench.project("there")
    script = Script("slow-model", (Turn(text="At last.", first_byte_s=30),))
    prompted = bench.prompt(script, there)
    asked = bench.timeline.watch_all(
        lambda o: o.kind == "request" and o.data.get("script") == "slow-model", 20
    )
    assert asked is not None
    try:
        code, tree = ready(bench, capsys)
        (turn,) = of(tree, "turn")
        assert (code, turn["session"], turn["directory"]) == (1, prompted.session, there)
    finally:
        bench.connection.actor.abort(prompted.session, there)
    bench.wait_idle(prompted)


def test_a_question_that_nobody_has_answered(bench: Bench, capsys: Out) -> None:
    options = [{"label": "left", "description": "L"}, {"label": "right", "description": "R"}]
    asked = {"questions": [{"question": "Which one?", "header": "W", "options": options}]}
    prompted = bench.prompt(Script("asks", (Turn(calls=(Call("question", asked),)),)), bench.project())
    reader = bench.connection.reader
    wait_for(lambda: [a for a in reader.asks() if a.session_id == prompted.session], "the question", 20)
    try:
        code, tree = ready(bench, capsys)
        (ask,) = of(tree, "ask")
        assert (code, ask["session"]) == (1, prompted.session)
        assert "Which one?" in ask["about"]
        assert [one["session"] for one in of(tree, "turn")] == [prompted.session]
    finally:
        bench.connection.actor.abort(prompted.session)
    bench.wait_idle(prompted)


def test_a_shell_of_a_running_turn_and_its_process_are_one(bench: Bench, capsys: Out) -> None:
    script = Script("long-shell", (Turn(calls=(Call(bench.shell_tool, shell("sleep 9470")),)),))
    prompted = bench.prompt(script, bench.project())
    try:
        process = wait_for(lambda: sleeping(bench, "9470"), "the shell", 20)
        code, tree = ready(bench, capsys)
        assert (code, of(tree, "process")) == (1, []), "the call, or the shell's record, explains it"
        assert [one["session"] for one in of(tree, "turn")] == [prompted.session]
        shells = [(one["session"], one["pid"]) for one in of(tree, "shell")]
        v1 = bench.connection.reader.loaded() is None
        assert shells == ([] if v1 else [(prompted.session, process.pid)])
    finally:
        bench.connection.actor.abort(prompted.session)
    bench.wait_idle(prompted)


def test_a_runner_that_the_server_does_not_know(bench: Bench, capsys: Out) -> None:
    prompted = bench.prompt(Script("runner", (Turn(text="Hello."),)), bench.project("runner", plugin=RUNNER))
    bench.wait_idle(prompted)
    process = wait_for(lambda: sleeping(bench, "9471"), "the runner's process", 20)
    try:
        code, tree = ready(bench, capsys)
        (one,) = tree["blockers"]
        assert (code, one["kind"], one["pid"], one["about"]) == (1, "process", process.pid, "sleep 9471")
        code, tree = ready(bench, capsys, "--expect", "sleep 9471")
        assert (code, [one["pid"] for one in tree["checked"]["expected"]]) == (0, [process.pid])
        code, tree = ready(bench, capsys, "--lists-only")
        assert (code, tree["checked"]["processes"]) == (0, None)
    finally:
        os.kill(process.pid, signal.SIGKILL)
    assert ready(bench, capsys)[0] == 0


@pytest.mark.parametrize("bench", V2, indirect=True)
def test_waiting_ends_when_the_background_shell_does(bench: Bench) -> None:
    prompted, one = background(bench, "waited-for", "sleep 9472", bench.project("elsewhere"))
    line = [sys.executable, "-m", "wedged", "ready", bench.server.url, "--wait", "--timeout", "60", "--json"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waiting:
        assert waiting.stderr is not None
        assert waiting.stderr.readline() == "wedged: 0 s: waiting for 1 shell\n"
        end(bench, one)
        out, err = waiting.communicate(timeout=60)
    tree = json.loads(out)
    assert (waiting.returncode, tree["verdict"], tree["blockers"]) == (0, "ready", [])
    assert err.splitlines()[-1].endswith(": ready")
    assert prompted.session not in bench.connection.reader.statuses()


@pytest.mark.parametrize("bench", V2, indirect=True)
def test_a_sub_agents_shell_is_found_by_the_right_roster_and_ended_by_stop(bench: Bench, capsys: Out) -> None:
    bystander, spared = background(bench, "bystander", "sleep 9473")
    inner = Script("inner", (Turn(calls=(Call("shell", shell("sleep 9474") | {"background": True}),)),))
    bench.model.learn(inner)
    order = {"agent": "general", "description": "Start it", "prompt": f"Start it. {inner.mark}"}
    outer = bench.prompt(Script("outer", (Turn(calls=(Call("subagent", order),)),)), bench.project())
    bench.wait_idle(outer)
    (child,) = bench.connection.reader.children(outer.session)
    process = wait_for(lambda: sleeping(bench, "9474"), "the sub-agent's shell", 20)

    code, tree = ready(bench, capsys)
    (blocker,) = [one for one in of(tree, "shell") if one["session"] == child.id]
    assert (code, blocker["parents"], blocker["pid"]) == (1, [outer.session], process.pid)
    assert of(tree, "turn") == []

    reader, actor = bench.connection.reader, bench.connection.actor
    naive, right = sample(reader)
    assert naive.entries == (), "the process runs, and the naive roster is empty"
    assert [(e.kind, e.session_id, e.pid) for e in right.of(outer.session)] == [
        (EntryKind.SHELL, child.id, process.pid)
    ]

    stopped = stop(reader, actor, outer.session)
    assert (stopped.shells, stopped.left) == ((blocker["id"],), ())
    wait_for(lambda: sleeping(bench, "9474") is None, "the sub-agent's shell to end", 10)
    assert shell_of(bench, bystander.session, bystander.directory) == spared, "another session's goes on"
    end(bench, spared)
    wait_for(lambda: not sample(reader)[1].entries, "the bystander's session to be done with its notice", 20)


@pytest.mark.parametrize("bench", V2, indirect=True)
def test_after_a_restart_the_lost_shell_reaches_the_models_next_request(bench: Bench, tmp_path: Path) -> None:
    prompted, one = background(bench, "lost", "sleep 9475")
    with connect(bench.server.url, password=bench.server.password) as connection:
        client = RightClient(connection, tmp_path / "roster.json")
        client.poll()
        bench.end_server("SIGTERM")
        assert client.poll().gaps, "the server is down"
    assert [entry.id for entry in load(tmp_path / "roster.json").roster.entries] == [one.id]
    bench.start_again()
    assert [entry.id for entry in client.restarted(bench.connection)] == [one.id]
    after = bench.model.learn(Script("after", (Turn(text="I see."),)))
    since = bench.timeline.now()
    client.prompt(prompted.session, f"Go on. {after.mark}", prompted.directory)
    asked = bench.timeline.watch_all(
        lambda o: o.kind == "request" and o.data.get("script") == "after", 30, after=since
    )
    assert asked is not None
    told = str(asked.data["new_text"])
    assert f'- shell {one.id}, command "sleep 9475"' in told
    assert told.endswith(f"Go on. {after.mark}")
    assert load(tmp_path / "roster.json").cancelled == ()
