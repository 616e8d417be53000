"""Which processes of this machine have a database file open, and since when."""

import fcntl
import os
import struct
import sys
from pathlib import Path

import psutil

from wedged.facts.process import Holders, ProcessFacts
from wedged.observe.processes import process_facts

# Where SQLite puts its locks: in WAL mode every connection holds one on this byte of the -shm file, and in
# any mode whoever reads holds one in this range of the database. https://www.sqlite.org/src/file/src/os_unix.c
_SHM_BYTE = (128, 1)
_SHARED_RANGE = (0x40000000 + 2, 510)
# struct flock: type, whence, start, length, pid.
_FLOCK = {"linux": "hhqqi4x", "darwin": "qqihh"}
_LOCKS = Path("/proc/locks")


def holders(path: Path) -> Holders:
    """Who has the database at `path` open, oldest first; this process is one of them where it has.

    Two ways are tried: the open files of every process that this user may look into, and SQLite's own locks,
    which other users' processes and those outside a container hold as well. A file on a network or a virtual
    machine's share may be held on the other side: that can't be seen.
    """
    by_files, looked_everywhere = _by_open_files(path)
    listed = _by_lock_list(path)
    # Opening the file here and closing it would drop the locks of a connection of our own.
    ours = os.getpid() in by_files
    locked = None if ours else _lock_holder(path)
    if locked is None:
        complete = looked_everywhere or not ours
    else:
        # Who is outside of what we can see has no number here, and then the list is not whole either.
        complete = locked > 0 and (locked in listed or looked_everywhere)
    seen = []
    for pid in by_files | listed | ({locked} if locked else set()):
        try:
            seen.append(process_facts(psutil.Process(pid)))
        except psutil.NoSuchProcess:
            continue
        except psutil.Error:
            complete = False
    seen.sort(key=lambda process: (process.created, process.pid))
    return Holders(tuple(seen), held=bool(seen) or locked is not None, complete=complete)


def describe(process: ProcessFacts) -> str:
    """A holder in words, without its arguments: they may hold secrets."""
    return f"{process.name}, process {process.pid}"


def _by_open_files(path: Path) -> tuple[set[int], bool]:
    """Pids of those that have the file open, and whether all processes could be looked into."""
    wanted = path.stat()
    found, everywhere = set(), True
    for pid in psutil.pids():
        try:
            if _opens(pid, wanted, path):
                found.add(pid)
        except (FileNotFoundError, ProcessLookupError, psutil.NoSuchProcess):
            continue
        except (OSError, psutil.Error):
            everywhere = False
    return found, everywhere


def _opens(pid: int, wanted: os.stat_result, path: Path) -> bool:
    if not sys.platform.startswith("linux"):
        return any(one.path == str(path) for one in psutil.Process(pid).open_files())
    # The file itself is compared, not its name: a container sees it under another one.
    with os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            try:
                seen = entry.stat()
            except OSError:
                continue  # closed meanwhile, or a thing that is no file
            if (seen.st_dev, seen.st_ino) == (wanted.st_dev, wanted.st_ino):
                return True
    return False


def _by_lock_list(path: Path) -> set[int]:
    """Pids that the kernel lists with one of SQLite's locks; empty where it keeps no such list for us."""
    wanted = {}
    for file, place in _locked_places(path):
        try:
            facts = file.stat()
        except OSError:
            continue
        device = f"{os.major(facts.st_dev):02x}:{os.minor(facts.st_dev):02x}"
        wanted[f"{device}:{facts.st_ino}"] = place
    try:
        lines = _LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return set()
    found = set()
    for line in lines:
        # 1: POSIX  ADVISORY  READ 14872 fe:00:2148693 128 128
        words = line.split()
        if len(words) == 8 and words[1] == "POSIX" and words[5] in wanted and words[4].isdigit():
            start, length = wanted[words[5]]
            first, last = int(words[6]), sys.maxsize if words[7] == "EOF" else int(words[7])
            if first < start + length and last >= start:
                found.add(int(words[4]))
    return found - {0}


def _lock_holder(path: Path) -> int | None:
    """The pid of a process that holds a lock of SQLite's, 0 where it is outside of what we can see, None
    where nobody does."""
    for file, (start, length) in _locked_places(path):
        pid = _conflict(file, start, length)
        if pid is not None:
            return pid
    return None


def _locked_places(path: Path) -> tuple[tuple[Path, tuple[int, int]], ...]:
    return (Path(f"{path}-shm"), _SHM_BYTE), (path, _SHARED_RANGE)


def _conflict(file: Path, start: int, length: int) -> int | None:
    layout = _FLOCK.get(sys.platform)
    if layout is None:
        return None
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if layout.startswith("h"):
            asked = struct.pack(layout, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
            kind, _, _, _, pid = struct.unpack(layout, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
        else:
            asked = struct.pack(layout, start, length, 0, fcntl.F_WRLCK, os.SEEK_SET)
            _, _, pid, kind, _ = struct.unpack(layout, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None if kind == fcntl.F_UNLCK else max(0, int(pid))
