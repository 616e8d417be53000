"""The cache folder: whole, checked entries or none.

An entry is ``PACKAGE@VERSION/`` with the binary and a record of it. It appears by one rename, so a reader
needs no lock; the lock is for whoever adds or removes.

Whether a binary is still the recorded one is judged by size, modification and change time on each look: the
change time can't be set back, so a silent replacement shows. Where those differ (a restored backup, a chmod)
the full hash decides (0.2 s for 190 MB); a binary with another hash is no entry, and gets installed anew.
"""

import contextlib
import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from wedged.errors import CacheNotWritable, InstallError
from wedged.facts.server import ServerSpec
from wedged.servers.leftovers import sweep_leftovers, work_folder

NO_SPACE = frozenset({"ENOSPC", "EDQUOT", "EFBIG"})
_RECORD = "record.json"
_LOCK = ".lock"
_LOCK_SECONDS = 1800.0
_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """The record of one cached binary. `program` is its file name; times are `os.stat`'s nanoseconds."""

    spec: str
    package: str
    version: str
    integrity: str
    sha256: str
    program: str
    size: int
    mtime_ns: int
    ctime_ns: int
    schema: int = _SCHEMA


def cache_folder() -> Path:
    """Where server binaries are kept: ``$WEDGED_CACHE/servers``, else below the user's cache folder.

    The folder may not exist yet.
    """
    named = os.environ.get("WEDGED_CACHE", "")
    if named:
        return Path(named).absolute() / "servers"
    from platformdirs import user_cache_path

    return user_cache_path("wedged", appauthor=False) / "servers"


@contextlib.contextmanager
def writing(root: Path, progress: Callable[[str], None]) -> Iterator[Path]:
    """Hold the cache alone and get an empty work folder in it; what earlier killed installs left is removed.

    Raises:
        CacheNotWritable: the disk is full, or the folder is read-only or not ours (also for what the
            body meets while it writes).
        InstallError: another install held the cache for half an hour.
    """
    from filelock import FileLock, Timeout

    try:
        root.mkdir(parents=True, exist_ok=True)
        lock = FileLock(root / _LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            progress("another install is at work in the cache folder; waiting for it")
            lock.acquire(timeout=_LOCK_SECONDS, poll_interval=0.1)
        try:
            sweep_leftovers(root)
            with work_folder(root) as work:
                yield work
        finally:
            lock.release()
    except Timeout as timeout:
        raise InstallError(
            f"waited {_LOCK_SECONDS:g} s for another install to leave the cache folder {root}"
        ) from timeout
    except OSError as error:
        raise _unwritable(root, error) from error


def read_entry(root: Path, package: str, version: str) -> tuple[Path, Entry] | None:
    """The binary and its record; None: not there, unreadable, or no longer the binary that was recorded."""
    folder = root / entry_name(package, version)
    try:
        entry = Entry(**json.loads((folder / _RECORD).read_text(encoding="utf-8")))
        if (entry.schema, entry.package, entry.version) != (_SCHEMA, package, version):
            return None
        if entry.program in ("", ".", "..", _RECORD) or "/" in entry.program:
            return None
        binary = folder / entry.program
        seen = _seen(binary)
        if seen[0] != entry.size or not os.access(binary, os.X_OK):
            return None
        if seen == (entry.size, entry.mtime_ns, entry.ctime_ns):
            return binary, entry
        if sha256_of(binary) != entry.sha256:
            return None
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    with contextlib.suppress(OSError):
        _write_record(folder, replace(entry, mtime_ns=seen[1], ctime_ns=seen[2]))
    return binary, entry


def entries(root: Path) -> Iterator[tuple[Path, Entry]]:
    """Every whole entry, in the order of names."""
    for folder in sorted(root.glob("*@*")):
        name, _, version = folder.name.rpartition("@")
        found = read_entry(root, name.replace("+", "/", 1) if name.startswith("@") else name, version)
        if found is not None:
            yield found


def add_entry(root: Path, work: Path, binary: Path, spec: ServerSpec, package: str, integrity: str) -> Entry:
    """Make `binary`, a file in `work`, an entry, in place of a broken one. Only inside `writing`.

    Raises OSError.
    """
    staged = work / "entry"
    staged.mkdir()
    program = staged / binary.name
    binary.rename(program)
    program.chmod(0o755)
    size, mtime_ns, ctime_ns = _seen(program)
    entry = Entry(
        str(spec), package, spec.value, integrity, sha256_of(program), program.name, size, mtime_ns, ctime_ns
    )
    _write_record(staged, entry)
    _sync(program)
    drop_entry(root, work, package, spec.value)
    staged.replace(root / entry_name(package, spec.value))
    return entry


def drop_entry(root: Path, work: Path, package: str, version: str) -> bool:
    """Take an entry away, whole or broken; whether there was one. Only inside `writing`. Raises OSError."""
    gone = work / "gone"
    try:
        # One rename first: nobody ever sees an entry with half its files removed.
        (root / entry_name(package, version)).rename(gone)
    except FileNotFoundError:
        return False
    shutil.rmtree(gone)
    return True


def entry_name(package: str, version: str) -> str:
    """The folder's name. The package is part of it: one home can serve machines of several kinds."""
    return f"{package.replace('/', '+')}@{version}"


def sha256_of(path: Path) -> str:
    """Lower-case hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _seen(binary: Path) -> tuple[int, int, int]:
    stat = binary.stat()
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _write_record(folder: Path, entry: Entry) -> None:
    new = folder / f"{_RECORD}.{os.getpid()}"
    new.write_text(json.dumps(asdict(entry), indent=1) + "\n", encoding="utf-8")
    new.replace(folder / _RECORD)


def _sync(path: Path) -> None:
    """To disk before the rename, or a power cut could leave a file of the right size full of zeros."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _unwritable(root: Path, error: OSError) -> CacheNotWritable:
    code = errno.errorcode.get(error.errno or 0, "unknown error")
    what = "no space left for" if code in NO_SPACE else "can't write to"
    return CacheNotWritable(f"{what} the cache folder {root} ({code}); WEDGED_CACHE names another")
