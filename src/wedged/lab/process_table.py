"""The kernel's table of processes, read from /proc with the standard library alone.

The keeper lives by this module, so it imports next to nothing. A process is named by its pid *and* its
start (clock ticks since boot): pids are used again, and unlike a wall-clock time the start never moves.
"""

import errno
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

Key = tuple[int, int]

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Running(NamedTuple):
    """One process. `terminal` is its controlling terminal's number, 0 for none."""

    pid: int
    parent: int
    start: int
    state: str
    terminal: int

    @property
    def key(self) -> Key:
        """Names this process for good, until the machine boots again."""
        return (self.pid, self.start)

    @property
    def dead(self) -> bool:
        """Whether only its exit status is left."""
        return self.state in "ZX"


def boot_id() -> str:
    """Changes with each boot; starts of two boots can't be compared."""
    return _read("/proc/sys/kernel/random/boot_id").decode().strip()


def look(pid: int) -> Running | None:
    """The process that has this pid now, or None."""
    try:
        line = _read(f"/proc/{pid}/stat")
    except OSError:
        return None
    # The name in brackets may hold anything, brackets and blanks too: only what follows the last one counts.
    fields = line[line.rfind(b")") + 2 :].split()
    if len(fields) < 20:
        return None
    return Running(pid, int(fields[1]), int(fields[19]), fields[0].decode(), int(fields[4]))


def running() -> dict[int, Running]:
    """Every process, by pid."""
    seen = (look(int(name)) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 (hot loop)
    return {process.pid: process for process in seen if process}


def descendants(table: dict[int, Running], roots: Iterable[int]) -> list[Running]:
    """Everything below `roots` (not they themselves), parents before their children."""
    children: dict[int, list[Running]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process)
    found: list[Running] = []
    queue = list(roots)
    seen = set(queue)
    while queue:
        for child in children.get(queue.pop(), ()):
            if child.pid not in seen:
                seen.add(child.pid)
                found.append(child)
                queue.append(child.pid)
    return found


def children(pid: int) -> list[int]:
    """The pids of the direct children of a single-threaded process: one short read, no walk through /proc.

    Raises:
        OSError: this kernel does not offer the list.
    """
    return [int(child) for child in _read(f"/proc/{pid}/task/{pid}/children").split()]


def send(process: Running, signal_number: int) -> bool:
    """Signal exactly this process, never another one that got its pid since. False when it is gone.

    Raises:
        PermissionError: it belongs to somebody else.
    """
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EPERM):
            raise
        handle = -1  # an old kernel, or a sandbox that forbids pidfds
    try:
        now = look(process.pid)
        if now is None or now.start != process.start or now.dead:
            return False
        if handle >= 0:
            signal.pidfd_send_signal(handle, signal_number)
        else:
            os.kill(process.pid, signal_number)
    except ProcessLookupError:
        return False
    finally:
        if handle >= 0:
            os.close(handle)
    return True


def variable(pid: int, name: str) -> str:
    """One variable of the environment the process was started with, "" where unset or unreadable."""
    try:
        block = _read(f"/proc/{pid}/environ")
    except OSError:
        return ""
    wanted = name.encode() + b"="
    for entry in block.split(b"\0"):
        if entry.startswith(wanted):
            return entry[len(wanted) :].decode(errors="replace")
    return ""


def working_folder(pid: int) -> Path | None:
    """Where the process works, None where unreadable. A folder that was removed keeps its old name."""
    try:
        target = Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return None
    return Path(str(target).removesuffix(" (deleted)"))


def name(pid: int) -> str:
    """Its short name, "" where it is gone."""
    try:
        return _read(f"/proc/{pid}/comm").decode(errors="replace").strip()
    except OSError:
        return ""


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 (hot loop)
        return file.read()
