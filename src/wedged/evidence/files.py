"""Files that a killed writer can't spoil, and names that stay inside their folder."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock, Timeout

from wedged.errors import EvidenceError

_LOCK_S = 60.0
_LONGEST_NAME = 120


def evidence_path(code: str, server: str, arm: str, n: int) -> str:
    """Where a trial's timeline lies, from the run folder. No name can lead out of it.

    Raises:
        EvidenceError: a name is empty or too long for a file system.
    """
    return f"evidence/{_name(code)}/{_name(server)}/{_name(arm)}-{n}.jsonl"


def routes_path(server: str) -> str:
    """Where the routes of a server's API document lie, from the run folder.

    Raises:
        EvidenceError: the key is empty or too long for a file system.
    """
    return f"routes/{_name(server)}.json"


def _name(text: str) -> str:
    safe = quote(text, safe="@+")
    if not safe or len(safe) > _LONGEST_NAME:
        raise EvidenceError(f"{text[:40]!r} can't be the name of a folder")
    # quote leaves dots alone, and ".." is a way out.
    return safe if safe.strip(".") else safe.replace(".", "%2E")


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that a reader sees the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.tmp")
    half.write_bytes(data)
    half.replace(path)


def read(path: Path) -> bytes:
    """The bytes of `path`.

    Raises:
        EvidenceError: it can't be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise EvidenceError(f"{path.name} can't be read: {error.strerror or type(error).__name__}") from None


def append(path: Path, data: bytes) -> int:
    """Add `data`, which ends its last line, in one write. The caller holds the folder's lock.

    A tail without a line end is what a killed writer left: it is cut first. Returns how many bytes were cut.
    When the disk is full the file is as it was before.
    """
    with path.open("ab+") as file:
        end = file.seek(0, os.SEEK_END)
        whole = end - _tail(file.fileno(), end)
        if whole < end:
            file.truncate(whole)
        try:
            file.write(data)
            file.flush()
        except OSError:
            os.ftruncate(file.fileno(), whole)
            raise
        return end - whole


def _tail(descriptor: int, end: int, block: int = 1 << 16) -> int:
    """How many bytes follow the last line end."""
    length = 0
    while length < end:
        size = min(block, end - length)
        chunk = os.pread(descriptor, size, end - length - size)
        found = chunk.rfind(b"\n")
        if found >= 0:
            return length + size - found - 1
        length += size
    return length


class FolderLock:
    """One writer at a time in a folder: among the threads of this process, and among processes."""

    def __init__(self, folder: Path) -> None:
        # The threads queue here, so that the file lock's polling is only ever between processes.
        self._threads = threading.Lock()
        self._processes = FileLock(folder / ".lock", timeout=_LOCK_S, thread_local=False)

    @contextmanager
    def held(self) -> Iterator[None]:
        """While inside, nobody else writes.

        Raises:
            EvidenceError: another process has held the lock for a minute, or the folder can't be written.
        """
        with self._threads:
            try:
                self._processes.acquire(poll_interval=0.01)
            except Timeout:
                raise EvidenceError(
                    f"another process has been writing to this run folder for {_LOCK_S:g} s"
                ) from None
            except OSError as error:
                raise EvidenceError(f"the run folder can't be written: {error.strerror}") from None
            try:
                yield
            except OSError as error:
                raise EvidenceError(f"the run folder can't be written: {error.strerror}") from None
            finally:
                self._processes.release()
