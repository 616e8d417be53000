"""Ending with one's parent, however it ends."""

import os
import select
import sys
import threading


def follow_parent(parent: int = 0) -> str:
    """From now on, end this process at once when its parent ends. Returns "" or why that can't be had here.

    For a process that is started by something that may be killed (a notebook's kernel, a script under make):
    left alone it would go on, and with it its keeper and its servers. `parent` is the pid that the parent
    told, where it could: a parent that ended before this call is then noticed too.

    The parent's process is watched, not the parent's number: an orphan's new parent may be init or any
    subreaper.
    """
    if not sys.platform.startswith("linux"):
        return "only Linux has process descriptors"
    watched = os.getppid()
    if parent and parent != watched:
        _end()
    try:
        descriptor = os.pidfd_open(watched)
    except ProcessLookupError:
        _end()
    except OSError as error:
        return f"this kernel gives no process descriptors: {error.strerror}"
    if os.getppid() != watched:
        _end()
    threading.Thread(target=_watch, args=(descriptor,), name="lifeline", daemon=True).start()
    return ""


def _watch(descriptor: int) -> None:
    # A pidfd becomes readable when its process ends, a zombie included.
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    poll.poll()
    _end()


def _end() -> None:
    # No clean-up of our own: the keeper sees the end of its pipe and does all of it.
    os._exit(1)
