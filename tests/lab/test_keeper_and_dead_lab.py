"""Whatever the lab's end, its keeper leaves nothing."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from wedged.lab import process_table
from wedged.waiting import wait_for

from .shells import DEAF, ESCAPED, gone, said

Lab = Callable[[str], "subprocess.Popen[str]"]

# The lab tells: the keeper's pid, the home, then every process that it started.
FULL = (
    f"one = shell({ESCAPED + ' setsid sleep 60 & ' + DEAF!r})\n"
    "from wedged.waiting import wait_for\n"
    "wait_for(lambda: len(keeper.family(one)) >= 5, 'the shells', 20)\n"
    "tell(keeper.pid, home, *(each.pid for each in keeper.family(one)))\n"
)
ENDS = {
    "returns": "",
    "raises": "raise ValueError('as labs do')",
    "exits": "sys.exit(3)",
    "ends at once": "os._exit(1)",
    "is killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "is interrupted": "os.kill(os.getpid(), signal.SIGINT)",
    "is terminated": "os.kill(os.getpid(), signal.SIGTERM)",
}


@pytest.mark.parametrize("end", ENDS)
def test_nothing_is_left_when_the_lab(end: str, lab: Lab, state: Path) -> None:
    process = lab(FULL + "sys.stderr.close()\n" + ENDS[end])
    keeper, home, *family = said(process)
    wait_for(lambda: all(gone(int(pid)) for pid in (keeper, *family)), "every process to be gone", 20)
    assert not Path(home).exists()
    assert list(state.glob("keepers/*.json")) == []


def test_a_forked_child_that_holds_the_pipe_does_not_keep_the_keeper_waiting(lab: Lab) -> None:
    process = lab(FULL + "child = os.fork()\nif child == 0: signal.pause()\ntell(child)\nsignal.pause()\n")
    keeper, home, *family = said(process)
    (child,) = said(process)
    try:
        process.kill()
        wait_for(lambda: all(gone(int(pid)) for pid in (keeper, *family)), "every process to be gone", 20)
        assert not Path(home).exists()
        assert not gone(int(child))  # it was the lab's own, never the keeper's
    finally:
        os.kill(int(child), signal.SIGKILL)


def test_a_lab_killed_before_it_said_anything_leaves_no_keeper(lab: Lab, state: Path) -> None:
    process = lab("")
    process.kill()
    process.wait()

    def keepers() -> list[str]:
        shown = subprocess.run(["ps", "-eo", "pid,args", "e"], capture_output=True, text=True, check=True)
        return [
            line
            for line in shown.stdout.splitlines()
            if "wedged.lab.keeper_process" in line and str(state) in line
        ]

    wait_for(lambda: not keepers(), "its keeper to end", 20)
    assert list(state.glob("keepers/*.json")) == []


def test_a_lab_that_died_before_it_heard_the_first_answer_leaves_no_journal(tmp_path: Path) -> None:
    journal = tmp_path / "abc123.json"
    me = process_table.look(os.getpid())
    assert me
    hello = {
        "n": 1,
        "lab_id": "abc123",
        "lab_pid": me.pid,
        "lab_start": me.start,
        "temp": str(tmp_path),
        "journal": str(journal),
    }
    keeper = subprocess.Popen(
        [sys.executable, "-m", "wedged.lab.keeper_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert keeper.stdin
    assert keeper.stdout
    keeper.stdout.close()
    keeper.stdin.write(json.dumps(hello) + "\n")
    keeper.stdin.close()
    assert keeper.wait(30) == 0
    assert not journal.exists()
