"""Ending a process that a server has left behind: only the very one that was seen."""

import os
import signal
from dataclasses import dataclass

import psutil

from wedged.errors import Refused
from wedged.facts.process import ProcessFacts
from wedged.waiting import wait_until

# A start is kept in ticks since boot; that sum moves with the clock. Two processes of one pid are further
# apart.
_SAME_S = 2.0
_KILL_S = 5.0


@dataclass(frozen=True, slots=True)
class EndedProcess:
    """`group` says whether the whole process group was told, `forced` that SIGKILL was needed."""

    group: bool
    forced: bool


def end_process(seen: ProcessFacts, seconds: float = 3.0) -> EndedProcess:
    """SIGTERM to the process and, where it leads one, its group; SIGKILL to what is left after `seconds`.

    Raises:
        Refused: the process is gone, is another one by its start or its command line, belongs to another
            user, or can't be ended. Nothing is sent in the first three cases.
    """
    process = _same(seen)
    group = os.getpgid(seen.pid) == seen.pid
    tell = os.killpg if group else os.kill
    try:
        tell(seen.pid, signal.SIGTERM)
        if wait_until(lambda: _over(process, group), seconds, every=0.05):
            return EndedProcess(group, forced=False)
        tell(seen.pid, signal.SIGKILL)
    except ProcessLookupError:
        return EndedProcess(group, forced=False)
    except PermissionError:
        raise Refused(f"process {seen.pid} can't be ended by this user") from None
    if not wait_until(lambda: _over(process, group), _KILL_S, every=0.05):
        raise Refused(f"process {seen.pid} or one of its group did not end")
    return EndedProcess(group, forced=True)


def _same(seen: ProcessFacts) -> psutil.Process:
    try:
        process = psutil.Process(seen.pid)
        if abs(process.create_time() - seen.created) > _SAME_S or tuple(process.cmdline()) != seen.argv:
            raise Refused(f"process {seen.pid} is another one now")
        if hasattr(os, "getuid") and process.uids().real != os.getuid():
            raise Refused(f"process {seen.pid} is another user's")
    except psutil.Error:
        raise Refused(f"process {seen.pid} is gone, or can't be looked at") from None
    return process


def _over(process: psutil.Process, group: bool) -> bool:
    """Whether nothing of it runs; what has ended and was not collected yet does not count."""
    if not group:
        return not _runs(process)
    for one in psutil.process_iter():
        try:
            if os.getpgid(one.pid) == process.pid and _runs(one):
                return False
        except (psutil.Error, ProcessLookupError, PermissionError):
            continue
    return True


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
