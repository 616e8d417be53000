"""A target that is a file or a folder: what it is, told by what is in it, and one look at it."""

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from wedged.cli.target import say
from wedged.errors import BadTarget, UnreadableFile

if TYPE_CHECKING:
    from wedged.facts.snapshot import Window

_SUFFIXES = (".db", ".sqlite", ".sqlite3", ".json", ".zip")
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_RECORD = "run.json"
# As much of a file as tells its kind; an export may begin with blanks.
_HEAD = 64
_KINDS = "an OpenCode database, a session's export, a bundle or the folder of a run"


class Kind(StrEnum):
    """What a file is. A database also stands for what only SQLite can refuse."""

    DATABASE = "database"
    EXPORT = "export"
    BUNDLE = "bundle"
    RUN = "run"


def file_target(text: str | None) -> Path | None:
    """The file or folder that a target names; None where it names an address, or nothing.

    Raises:
        BadTarget: it is written as a file's path, and there is no such file.
    """
    if not text or "://" in text:
        return None
    path = Path(text).expanduser()
    if os.path.lexists(path):
        return path
    if os.sep in text or path.suffix in _SUFFIXES:
        raise BadTarget(f"{text} is neither a file nor a web address such as http://127.0.0.1:4096")
    return None


def kind_of(path: Path) -> Kind:
    """What `path` is, by its content: its name tells nothing.

    Raises:
        UnreadableFile: it is none of what can be looked at.
    """
    from wedged.facts.plain_text import plain

    shown = plain(str(path))
    if path.is_dir():
        if (path / _RECORD).is_file():
            return Kind.RUN
        raise UnreadableFile(
            f"{shown} is a directory without a {_RECORD}, so no run; name the file in it, usually opencode.db"
        )
    head = _head(path)
    if head.startswith(_ZIPS):
        return Kind.BUNDLE
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"Exporting session")):
        return Kind.EXPORT
    if head and not head.startswith(b"SQLite format 3"):
        raise UnreadableFile(f"{shown} is not {_KINDS}")
    # Empty, unreadable, no regular file, or SQLite's: the database's own words say what is the matter.
    return Kind.DATABASE


def look_at_file(path: Path, kind: Kind, sessions: Sequence[str] = ()) -> "Window":
    """What a database, an export or a bundle holds; `sessions` are looked at in any case.

    Raises:
        UnreadableFile: it can't be read as what it is.
        UnknownSchema: it is of a schema that is not read here.
        ValueError: `kind` is a run, of which nothing can be diagnosed.
    """
    from wedged.facts.snapshot import Window

    if kind is Kind.DATABASE:
        from wedged.observe.database import look_at_database

        return Window(look_at_database(path, sessions))
    if kind is Kind.EXPORT:
        from wedged.observe.export import look_at_export

        return Window(look_at_export(path, sessions))
    if kind is Kind.BUNDLE:
        return _bundle(path)
    raise ValueError(f"{path.name} is a run, whose verdicts are read from it")


def databases_instead(env: Mapping[str, str]) -> Path | None:
    """The local database to look at where no local server answers; None where there is none. Each is named on
    stderr, the one that is looked at and those that are passed over."""
    files = local_databases(env)
    for file in files[:1]:
        say(f"looking at the database {file}, the one that was written last")
    for file in files[1:]:
        say(f"{file} is passed over: name it to look at it")
    return files[0] if files else None


def local_databases(env: Mapping[str, str]) -> tuple[Path, ...]:
    """The databases of this user's own servers, the one that was written last first.

    Servers keep them in the data folder, one a channel, or where ``OPENCODE_DB`` says.
    """
    from wedged.client.discovery import data_folder

    named = env.get("OPENCODE_DB", "")
    folder = data_folder(env)
    files = [folder / named] if named else list(folder.glob("opencode*.db"))
    return tuple(sorted((file for file in files if file.is_file()), key=_written, reverse=True))


def _head(path: Path) -> bytes:
    """How a regular file begins; nothing where it can't be read, or is none: a pipe would keep us waiting."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, _HEAD) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _bundle(path: Path) -> "Window":
    from wedged.facts.plain_text import plain

    try:
        from wedged.bundle import read_bundle
    except ImportError:
        raise UnreadableFile(
            f"{plain(str(path))} is a zip, and this version of wedged reads no bundles"
        ) from None
    window = read_bundle(path)
    return replace(window, latest=replace(window.latest, source=str(path)))


def _written(file: Path) -> float:
    """When it was last written: most writes go to the -wal."""
    found = [path.stat().st_mtime for path in (file, Path(f"{file}-wal")) if path.exists()]
    return max(found, default=0.0)
