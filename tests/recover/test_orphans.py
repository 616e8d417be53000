"""Ending a leftover process: all of its group, and never another one than was seen."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import psutil
import pytest

from wedged.errors import Refused
from wedged.facts.process import ProcessFacts
from wedged.observe.processes import process_facts
from wedged.recover.orphans import end_process
from wedged.waiting import wait_for


@contextmanager
def running(command: str, *, leads: bool = True, children: int = 1) -> Iterator[ProcessFacts]:
    with subprocess.Popen(["bash", "-c", command], start_new_session=leads) as child:
        process = psutil.Process(child.pid)
        try:
            wait_for(lambda: len(process.children()) >= children, "the shell's child", 10)
            yield process_facts(process)
        finally:
            for one in (*process.children(recursive=True), process):
                one.kill()


def left(*pids: int) -> list[int]:
    alive = (psutil.Process(pid) for pid in pids if psutil.pid_exists(pid))
    return [one.pid for one in alive if one.status() != psutil.STATUS_ZOMBIE]


def test_the_whole_group_ends() -> None:
    with running("sleep 60; true") as seen:
        (child,) = psutil.Process(seen.pid).children()
        done = end_process(seen)
        assert (done.group, done.forced) == (True, False)
        assert left(seen.pid, child.pid) == []


def test_one_that_ignores_sigterm_is_killed() -> None:
    with running("trap '' TERM; sleep 60; true") as seen:
        (child,) = psutil.Process(seen.pid).children()
        assert end_process(seen, seconds=0.3).forced
        assert left(seen.pid, child.pid) == []


def test_a_process_that_leads_no_group_is_ended_alone() -> None:
    """Its group is somebody else's: here the test's own."""
    with running("sleep 60; true", leads=False) as seen:
        assert not end_process(seen).group
        assert left(seen.pid) == []
        assert left(os.getpid()) == [os.getpid()]


def test_only_the_very_process_that_was_seen() -> None:
    with running("sleep 60; true") as seen:
        for other in (
            replace(seen, created=seen.created - 60),
            replace(seen, argv=("bash", "-c", "sleep 61")),
        ):
            with pytest.raises(Refused, match="another one now"):
                end_process(other)
        assert left(seen.pid) == [seen.pid]
        os.kill(seen.pid, signal.SIGKILL)
        wait_for(lambda: not left(seen.pid), "the process to end", 5)
    with pytest.raises(Refused, match="is gone"):
        end_process(seen)
