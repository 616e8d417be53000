"""The right client's file. Only its user can read it: commands may hold secrets."""

import contextlib
import os
import tempfile
from pathlib import Path

import msgspec

from wedged.errors import BadAnswer
from wedged.roster.lost import Kept

_SCHEMA = 1


class _File(msgspec.Struct):
    schema: int
    kept: Kept


def save(kept: Kept, path: Path) -> None:
    """Put `kept` in the place of the file at once: whoever reads it sees the old one or the new one, whole,
    also after a crash of this process or this machine."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(_File(_SCHEMA, kept)))
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def load(path: Path) -> Kept:
    """What was saved, nothing where there is no file.

    Raises:
        BadAnswer: the file is not one of these; it is left alone.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Kept()
    try:
        found = msgspec.json.decode(content, type=_File)
    except (msgspec.DecodeError, RecursionError):
        raise BadAnswer(f"{path.name} is no roster that was saved here") from None
    if found.schema != _SCHEMA:
        raise BadAnswer(f"{path.name} is a roster of schema {found.schema}; this version reads {_SCHEMA}")
    return found.kept
