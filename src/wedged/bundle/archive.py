"""The zip, written whole or not at all."""

import contextlib
import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from wedged.bundle.contents import RATIO, RATIO_FROM
from wedged.errors import NotWritten, UsageError
from wedged.facts.plain_text import plain

# Who reads a bundle wants its contents, not when each of them was written. A zip can't say less than 1980.
_DATE = (1980, 1, 1, 0, 0, 0)


def refuse_existing(path: Path, *, force: bool) -> None:
    """Say early what `write_zip` would say late.

    Raises:
        UsageError: there is a file of that name and `force` is not given, or there is no such folder.
    """
    shown = plain(str(path))
    if not path.parent.is_dir():
        raise UsageError(f"{plain(str(path.parent))} is no folder; the bundle goes where -o says")
    if path.is_dir():
        raise UsageError(f"{shown} is a folder; name the file: -o {shown}/bundle.zip")
    if os.path.lexists(path) and not force:
        raise UsageError(f"{shown} exists; --force replaces it, -o names another file")


def write_zip(path: Path, files: Mapping[str, bytes], *, force: bool = False) -> None:
    """Write `files` to `path`, readable by this user alone. Who looks sees the whole zip or none.

    Raises:
        UsageError: as `refuse_existing`.
        NotWritten: the disk is full or read-only; nothing is left behind.
    """
    refuse_existing(path, force=force)
    try:
        descriptor, name = tempfile.mkstemp(prefix=".wedged-bundle-", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise NotWritten(f"{plain(str(path))} can't be written: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for member, data in files.items():
                    info = zipfile.ZipInfo(member, _DATE)
                    info.compress_type = _packing(data)
                    info.external_attr = 0o100600 << 16
                    archive.writestr(info, data)
            file.flush()
            os.fsync(file.fileno())
        _put(Path(name), path, force=force)
    except OSError as error:
        raise NotWritten(f"{plain(str(path))} can't be written: {error.strerror}") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()


def _packing(data: bytes) -> int:
    """A thousand calls that are all alike pack as well as a bomb does: such a file is not packed at all."""
    if len(data) > RATIO_FROM and len(data) * 2 > RATIO * len(zlib.compress(data)):
        return zipfile.ZIP_STORED
    return zipfile.ZIP_DEFLATED


def _put(made: Path, path: Path, *, force: bool) -> None:
    if force:
        made.replace(path)
        return
    try:
        # Unlike a rename this fails where somebody else has taken the name meanwhile.
        path.hardlink_to(made)
    except FileExistsError:
        refuse_existing(path, force=False)
        raise
    except OSError:
        refuse_existing(path, force=False)
        made.rename(path)
