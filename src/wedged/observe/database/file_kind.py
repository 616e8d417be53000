"""Whether a path is a database at all, told before SQLite is let near it."""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from wedged.errors import UnreadableFile
from wedged.facts.plain_text import plain

_MAGIC = b"SQLite format 3\x00"
_HEADER = 100
_KINDS = (
    (stat.S_ISDIR, "a directory; name the file in it, usually opencode.db"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """A file that begins as an SQLite database does.

    `path` has no symlinks: the -wal lies beside the real file. `wal_mode` says that the newest writes may be
    in a -wal, `wal` how large that is (None: there is none).
    """

    path: Path
    size: int
    wal_mode: bool
    wal: int | None

    def beside(self, suffix: str) -> Path:
        """The companion file: ``-wal``, ``-shm`` or ``-journal``."""
        return Path(f"{self.path}{suffix}")


def database_file(path: Path) -> DatabaseFile:
    """What `path` is.

    Raises:
        UnreadableFile: no such file, not a regular one, no permission, empty, not SQLite, or cut short; or
            what lies beside it under the name of its -wal, -shm or -journal is no file.
    """
    shown = plain(str(path))
    real = Path(os.path.realpath(path))
    try:
        # A pipe without a writer would keep an ordinary open waiting for ever.
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableFile(f"{shown} {_why(error)}") from None
    try:
        facts = os.fstat(descriptor)
        kind = _kind(facts.st_mode)
        if kind:
            raise UnreadableFile(f"{shown} is {kind}, not a database file")
        header = os.read(descriptor, _HEADER)
    except OSError as error:
        raise UnreadableFile(f"{shown} {_why(error)}") from None
    finally:
        os.close(descriptor)
    if not header:
        raise UnreadableFile(f"{shown} is empty, not a database")
    if not header.startswith(_MAGIC):
        raise UnreadableFile(f"{shown} is not an SQLite database")
    for suffix in ("-wal", "-shm", "-journal"):
        _refuse_odd(Path(f"{real}{suffix}"), f"{shown}{suffix}")
    wal = _size(Path(f"{real}-wal"))
    missing = _promised(header) - facts.st_size
    # A crash in the middle of a checkpoint leaves a short file whose rest is in the -wal.
    if not wal and (len(header) < _HEADER or missing > 0):
        raise UnreadableFile(
            f"{shown} is cut short: {max(missing, _HEADER - len(header))} bytes of the database are missing"
        )
    return DatabaseFile(real, facts.st_size, wal_mode=header[18:19] == b"\x02", wal=wal)


def _promised(header: bytes) -> int:
    """How large the file is by its own header, 0 where the header does not tell."""
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    # The count of pages is valid only where the two change counters agree.
    known = header[24:28] == header[92:96]
    return page * int.from_bytes(header[28:32], "big") if known else 0


def _kind(mode: int) -> str:
    """What a file is, "" for an ordinary one."""
    return next((words for test, words in _KINDS if test(mode)), "")


def _refuse_odd(path: Path, shown: str) -> None:
    """SQLite would wait for ever to open a pipe."""
    try:
        kind = _kind(path.stat().st_mode)
    except OSError:
        return
    if kind:
        raise UnreadableFile(f"{shown} is {kind.partition(';')[0]}, where SQLite keeps a file")


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _why(error: OSError) -> str:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return "does not exist"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "may not be read by this user"
    if error.errno == errno.ENXIO:
        return "is a socket or a device, not a database file"
    return f"can't be read: {error.strerror}"
