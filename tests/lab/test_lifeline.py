"""A process that follows its parent ends with it, however it ends."""

import os
import signal
import subprocess
import sys

from wedged.waiting import wait_for

from .shells import gone

CHILD = (
    "import os, signal\n"
    "from wedged.lab.lifeline import follow_parent\n"
    "why = follow_parent(int(os.environ.get('TOLD', 0)))\n"
    "print(os.getpid(), why, flush=True)\n"
    "signal.pause()\n"
)
PARENT = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {CHILD!r}]))"


def test_a_child_ends_when_its_parent_is_killed() -> None:
    # A third process, so that the child is not orphaned to the one that watches.
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        child, *why = parent.stdout.readline().split()
        assert why == []
        assert not gone(int(child))
        os.kill(parent.pid, signal.SIGKILL)
        wait_for(lambda: gone(int(child)), "the child to end", 20)


def test_a_child_whose_parent_was_gone_before_ends_at_once() -> None:
    told = os.environ | {"TOLD": "4194305"}
    child = subprocess.run(
        [sys.executable, "-c", CHILD], env=told, capture_output=True, text=True, timeout=60
    )
    assert child.returncode == 1
    assert child.stdout == ""
