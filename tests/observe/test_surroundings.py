"""What is beside a server, on real processes of our own: who holds its database, who runs its commands."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from wedged.facts.process import ProcessFacts, Tree
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.observe.processes import process_facts
from wedged.observe.surroundings import command_of, surroundings
from wedged.waiting import wait_for

# Opens a database as a server would, starts a shell, and stays.
_SERVER = """
import os, sqlite3, subprocess, sys, time
held = sqlite3.connect(sys.argv[1])
held.execute("create table if not exists t (x)")
command = os.environ.get("COMMAND")
shell = subprocess.Popen(["bash", "-c", command]) if command else None
print(shell.pid if shell else 0, flush=True)
time.sleep(60)
"""


@contextmanager
def running(*argv: str, env: dict[str, str] | None = None) -> Iterator[tuple[ProcessFacts, int]]:
    """A process of ours, and the first number that it prints."""
    with subprocess.Popen(argv, env=env or dict(os.environ), stdout=subprocess.PIPE, text=True) as child:
        below = psutil.Process(child.pid)
        try:
            assert child.stdout is not None
            said = child.stdout.readline() if argv[0] == sys.executable else ""
            wait_for(lambda: below.cmdline() == list(argv), "the process to be what it was told", 10)
            yield process_facts(below), int(said or 0)
        finally:
            for one in (*below.children(recursive=True), below):
                one.kill()


def server(database: Path) -> tuple[str, ...]:
    return (sys.executable, "-c", _SERVER, str(database))


def session(command: str, status: PartStatus = PartStatus.RUNNING, error: str = "") -> SessionFacts:
    part = ToolPart("prt", "call", "msg", "ses", "bash", status, {"command": command}, error=error)
    return SessionFacts("ses", "/d", Status.IDLE, parts=(part,))


def test_another_server_and_what_it_runs_are_seen(tmp_path: Path) -> None:
    database, command = tmp_path / "opencode-next.db", f"sleep 50; : {tmp_path.name}"
    with (
        running(*server(database)) as (here, _),
        running(*server(database), env=dict(os.environ) | {"COMMAND": command}) as (there, shell),
    ):
        seen = surroundings(Tree(here), [session(command)])
        assert seen.holders is not None
        assert {one.pid for one in seen.holders.seen} == {here.pid, there.pid}
        assert [(one.process.pid, one.under and one.under.pid) for one in seen.strays] == [(shell, there.pid)]
        inside = surroundings(Tree(there, (process_facts(psutil.Process(shell)),)), [session(command)])
        assert inside.strays == (), "what is below the server itself is no stray"


@pytest.mark.parametrize(("mark", "marked"), [({"OPENCODE_PID": "4711"}, True), ({}, False)])
def test_a_process_under_nobody_says_whose_it_was(tmp_path: Path, mark: dict[str, str], marked: bool) -> None:
    command = f"sleep 50; : {tmp_path.name}"
    clean = {key: value for key, value in os.environ.items() if not key.startswith("OPENCODE")}
    with (
        running(*server(tmp_path / "opencode.db")) as (here, _),
        running("bash", "-c", command, env=clean | mark) as (orphan, _),
    ):
        (stray,) = surroundings(Tree(here), [session(command)]).strays
        assert (stray.process.pid, stray.under, stray.marked) == (orphan.pid, None, marked)
        assert surroundings(Tree(here), [session(command[:-1])]).strays == (), "a prefix proves nothing"


def test_a_server_whose_database_is_not_to_be_seen_is_a_blind_spot(tmp_path: Path) -> None:
    with running(*server(tmp_path / "other.db")) as (here, _):
        seen = surroundings(Tree(here), [session("x")])
    assert seen.holders is None
    assert [gap.what for gap in seen.blind] == ["who else has the server's database open"]


def test_only_calls_that_did_not_end_well_are_looked_for() -> None:
    def part(status: PartStatus, error: str = "") -> ToolPart:
        return session(" sleep 9 ", status, error).parts[0]

    assert command_of(part(PartStatus.RUNNING)) == "sleep 9"
    assert command_of(part(PartStatus.ERROR, "Tool execution interrupted")) == "sleep 9"
    assert command_of(part(PartStatus.COMPLETED)) == ""
    pending = ToolPart("prt", "call", "msg", "ses", "bash", PartStatus.PENDING, {})
    assert command_of(pending) == ""
