"""Processes as facts, by psutil."""

import signal

import psutil

from wedged.facts.process import ProcessFacts

# A start is kept in clock ticks since boot, and shown in seconds since 1970; that sum moves by a second when
# the clock is set. Two processes with one pid are further apart: pids go round before they come again.
_SAME_S = 2.0


def facts(pid: int) -> ProcessFacts | None:
    """The process with this pid, None where it is gone or only its exit status is left."""
    try:
        return _facts(psutil.Process(pid))
    except psutil.Error:
        return None


def is_running(process: ProcessFacts) -> bool:
    """Whether this very process still runs: same pid, same start, not a zombie."""
    now = facts(process.pid)
    return now is not None and abs(now.created - process.created) < _SAME_S


def send(process: ProcessFacts, number: signal.Signals) -> bool:
    """Send a signal to this very process; False where it is gone, or only its exit status is left."""
    if not is_running(process):
        return False
    try:
        psutil.Process(process.pid).send_signal(number)
    except psutil.NoSuchProcess:
        return False
    return True


def tree(process: ProcessFacts) -> tuple[ProcessFacts, ...]:
    """The process and everything below it, ordered by pid; empty when it has ended.

    A child whose parent has ended is no longer below it: ask the keeper for a server's whole family.
    """
    if not is_running(process):
        return ()
    try:
        below = psutil.Process(process.pid).children(recursive=True)
    except psutil.Error:
        return ()
    found = [_facts_or_none(each) for each in (psutil.Process(process.pid), *below)]
    return tuple(sorted((each for each in found if each), key=lambda each: each.pid))


def _facts_or_none(process: psutil.Process) -> ProcessFacts | None:
    try:
        return _facts(process)
    except psutil.Error:
        return None


def _facts(process: psutil.Process) -> ProcessFacts | None:
    with process.oneshot():
        if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
            return None
        return ProcessFacts(
            pid=process.pid,
            parent=process.ppid(),
            created=process.create_time(),
            name=process.name(),
            argv=tuple(process.cmdline()),
        )
