"""A copy of a database that nobody has open: the file *with its -wal*, in a folder of our own."""

import os
import shutil
from pathlib import Path

from wedged.errors import UnreadableFile
from wedged.facts.plain_text import plain
from wedged.observe.database.file_kind import DatabaseFile

_BESIDE = ("", "-wal", "-journal")
_CHUNK = 1 << 26


def copy_into(folder: Path, file: DatabaseFile) -> Path | None:
    """Copy into the empty `folder`; None where the file changed meanwhile, so that the copy is worth nothing.

    Raises:
        UnreadableFile: there is no room for it, or it can't be read to its end.
    """
    needed = file.size + (file.wal or 0)
    if shutil.disk_usage(folder).free < needed + (1 << 20):
        raise UnreadableFile(
            f"{plain(str(file.path))} is read from a copy, and {plain(str(folder.parent))} has no room for "
            f"{needed / 1e6:.0f} MB; set TMPDIR to a folder that has"
        )
    before = _stamps(file)
    try:
        for suffix in before:
            _copy(file.beside(suffix), folder / f"store.db{suffix}")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableFile(f"{plain(str(file.path))} can't be copied: {error.strerror}") from None
    return folder / "store.db" if _stamps(file) == before else None


def _stamps(file: DatabaseFile) -> dict[str, tuple[int, int, int]]:
    """What would differ after a write, for each of the files that are there."""
    found = {}
    for suffix in _BESIDE:
        try:
            facts = file.beside(suffix).stat()
        except FileNotFoundError:
            continue
        found[suffix] = (facts.st_ino, facts.st_size, facts.st_mtime_ns)
    return found


def _copy(source: Path, target: Path) -> None:
    if not hasattr(os, "copy_file_range"):
        shutil.copyfile(source, target)
        return
    with source.open("rb") as reading, target.open("wb") as writing:
        try:
            # Costs no room and next to no time where the file system can share blocks.
            while os.copy_file_range(reading.fileno(), writing.fileno(), _CHUNK):
                pass
            if os.fstat(writing.fileno()).st_size == os.fstat(reading.fileno()).st_size:
                return
        except OSError:
            pass  # another file system, or one that has no such call: the ordinary way
    shutil.copyfile(source, target)
