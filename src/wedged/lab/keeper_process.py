"""The keeper: a small process of its own that outlives the lab just long enough to clean up after it.

Started by `wedged.lab.keeper.Keeper`, never by hand. It is a child subreaper, so that everything a server
leaves behind (a shell that called setsid or emptied its environment too) becomes its child and can be ended.
It watches a pipe to the lab and the lab's process: when either ends, however it ends, the keeper ends every
descendant, removes the homes it made, then its journal, then itself.

The lab sends JSON lines on stdin, the keeper answers each with one on stdout. The first line says who the lab
is. Nothing that is sent is ever written down or repeated in an error.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import time

from wedged.lab.keeping import Keeping, Tree, drain

_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
# How often the journal learns of processes that servers have started since.
_LOOK_EVERY_S = 1.0


def serve(keeping: Keeping) -> None:
    """Answer the lab until it is gone."""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    poll.register(keeping.wake, select.POLLIN)
    # The pipe alone would be held open by a child that the lab has forked. The pidfd comes before the
    # look: a lab that died meanwhile is then seen by one or the other.
    with contextlib.suppress(OSError):
        poll.register(os.pidfd_open(keeping.lab_pid), select.POLLIN)
    if not keeping.journal.alive(keeping.journal.lab):
        return
    lines = _Lines()
    while True:
        ready = {fd for fd, _ in poll.poll(_LOOK_EVERY_S * 1000 if keeping.running else None)}
        if keeping.wake in ready:
            if signal.SIGTERM in drain(keeping.wake):
                return
            keeping.reap()
        if 0 in ready:
            chunk = os.read(0, 1 << 16)
            if not chunk:
                return
            for line in lines.feed(chunk):
                answer(keeping, json.loads(line))
        elif ready - {keeping.wake}:
            return
        if keeping.running and time.monotonic() - keeping.last_look >= _LOOK_EVERY_S:
            keeping.look()


def answer(keeping: Keeping, request: Tree) -> None:
    """Do what one line asks and say how it went."""
    try:
        done: Tree = {"ok": keeping.operations[str(request["op"])](request)}
    except (OSError, ValueError) as error:
        # An OSError's own text names a file or program, never what was in the environment.
        done = {"error": f"{type(error).__name__}: {error}"}
    reply({"n": request["n"], **done})


def reply(line: Tree) -> None:
    """Answer the lab, if it is still there: its end is noticed elsewhere, and is no error."""
    with contextlib.suppress(BrokenPipeError):
        os.write(1, json.dumps(line).encode() + b"\n")


class _Lines:
    def __init__(self) -> None:
        self.rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        *whole, self.rest = (self.rest + chunk).split(b"\n")
        return [line for line in whole if line]


def _ignore(_number: int, _frame: object) -> None:
    """A handler that does nothing. SIG_IGN would be inherited by the servers; a handler is not."""


def main() -> int:
    """Read who the lab is, keep it, clean up after it."""
    wake, notify = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(notify, False)
    signal.set_wakeup_fd(notify, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, _ignore)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NAME, b"wedged-keeper", 0, 0, 0)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.stderr.write("this kernel has no child subreapers\n")
        return 1
    with os.fdopen(0, "rb", buffering=0, closefd=False) as stdin:
        hello = stdin.readline()
    if not hello:
        return 0
    request = json.loads(hello)
    keeping = Keeping(request, wake)
    try:
        reply({"n": request["n"], "ok": None})
        serve(keeping)
    finally:
        status = keeping.finish()
    return status


if __name__ == "__main__":
    sys.exit(main())
