"""What is no database, or a bad one: one clear error, at once, and nothing is written."""

import errno
import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from wedged.errors import UnreadableFile
from wedged.lab.socket_address import socket_address
from wedged.observe.database import look_at_database, opening

from .stores import V1, holding, unpack


def text(path: Path) -> None:
    path.write_text('{"info": {}, "messages": []}')


def directory(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    # A test's folder may have a longer name than a socket's address has room for.
    with socket.socket(socket.AF_UNIX) as one, socket_address(path) as address:
        one.bind(address)


def circle(path: Path) -> None:
    path.symlink_to(path)


def head_only(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + b"\x10")


def cut(path: Path) -> None:
    """A whole database, all of it in one file, and half of that."""
    made = unpack(V1, path.parent)
    with closing(sqlite3.connect(made.path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)").fetchone()
    whole = made.path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


def scrambled(path: Path) -> None:
    cut(path)
    raw = bytearray((path.parent / V1 / "opencode.db").read_bytes())
    raw[100:30000] = os.urandom(29900)
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.write_bytes(b""), "is empty"),
        (text, "is not an SQLite database"),
        (directory, "is a directory; name the file in it"),
        (pipe, "is a pipe, not a database file"),
        (a_socket, "is a socket"),
        (circle, "can't be read: Too many levels of symbolic links"),
        (head_only, "is cut short"),
        (cut, r"is cut short: \d+ bytes of the database are missing"),
        (scrambled, "is damaged or cut short"),
    ],
)
def test_a_bad_file(make: Callable[[Path], object], words: str, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    make(path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UnreadableFile, match=words) as raised:
        look_at_database(path)
    assert str(path) in str(raised.value)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_pipe_beside_it_is_not_waited_for(suffix: str, tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    beside = Path(f"{made.path}{suffix}")
    beside.unlink(missing_ok=True)
    os.mkfifo(beside)
    with pytest.raises(UnreadableFile, match=f"{suffix} is a pipe, where SQLite keeps a file"):
        look_at_database(made.path)


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = unpack(V1, tmp_path)

    def refused(path: Path, flags: int) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    # Not by taking the permission away: root would have it all the same.
    monkeypatch.setattr("wedged.observe.database.file_kind.os.open", refused)
    with pytest.raises(UnreadableFile, match="may not be read by this user"):
        look_at_database(made.path)


def test_a_database_without_a_wal_that_is_being_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_BUSY_S", 0.1)
    made = unpack(V1, tmp_path)
    with closing(sqlite3.connect(made.path)) as connection:
        assert connection.execute("pragma journal_mode=delete").fetchone() == ("delete",)
    with holding(made.path) as holder:
        assert look_at_database(made.path).sessions
        holder.does("begin exclusive")
        with pytest.raises(UnreadableFile, match=rf"is locked by .* process {holder.process.pid}"):
            look_at_database(made.path)
