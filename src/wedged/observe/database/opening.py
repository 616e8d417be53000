"""A database opened for reading so that not one byte of it, or beside it, changes.

Where a process holds the file it is read in place: the only consistent state is the one that SQLite's locks
give. With ``mode=ro`` alone SQLite still rewrites the -shm (its read marks); with ``readonly_shm=1`` it does
not. So is a file read that nobody holds and whose -shm a killed server left: SQLite takes no word of that
-shm then and makes an index of the -wal in memory (https://www.sqlite.org/wal.html#read_only_databases).
Where the -shm is missing, opening it in place would write one, so it is read from a copy.
``immutable`` is never used: it leaves out the -wal, which is where a crashed server's last state is.
"""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wedged.errors import UnreadableFile
from wedged.facts.plain_text import plain
from wedged.facts.process import Holders
from wedged.observe.database.copying import copy_into
from wedged.observe.database.file_kind import DatabaseFile, database_file
from wedged.observe.holders import describe, holders

_TRIES = 5
_BUSY_S = 2.0
_LONGEST = 1 << 28
# Steps of SQLite's machine between two chances for Ctrl-C: some milliseconds.
_STEPS = 100_000


@dataclass
class Database:
    """An open database in one state, whatever is written meanwhile. `how` says how it is read."""

    file: DatabaseFile
    holders: Holders
    how: str
    connection: sqlite3.Connection
    _raised: list[BaseException] = field(default_factory=list)

    def __post_init__(self) -> None:
        ticks = self._ticks()
        self.connection.set_progress_handler(ticks.__next__, _STEPS)

    def rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, one by one.

        Raises:
            UnreadableFile: the database is damaged, or locked for longer than we wait.
        """
        try:
            yield from self.connection.execute(sql, values)
        except sqlite3.Error as error:
            if self._raised:
                raise self._raised.pop() from None
            raise unreadable(self.file, self.holders, error) from None

    def one(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """The first row, None where there is none. Raises as `rows`."""
        return next(self.rows(sql, values), None)

    def _ticks(self) -> Iterator[int]:
        """Ctrl-C and SIGTERM arrive here while a query runs: SQLite would swallow the exception."""
        while True:
            try:
                yield 0
            except GeneratorExit:
                return
            except BaseException as raised:
                self._raised.append(raised)
                yield 1


@contextlib.contextmanager
def open_database(path: Path) -> Iterator[Database]:
    """Open the database at `path`. Not for a process that has it open itself: SQLite's locks are its own.

    Raises:
        UnreadableFile: it is no database, damaged, locked, or changes faster than it can be copied.
    """
    for _ in range(_TRIES):
        file = database_file(path)
        who = holders(file.path)
        with contextlib.ExitStack() as stack:
            if who.held:
                database = _in_place(stack, file, who)
            else:
                database = _as_it_lies(stack, file, who) or _copied(stack, file, who)
            if database is not None:
                yield database
                return
    raise UnreadableFile(
        f"{plain(str(path))} changed each of the {_TRIES} times that it was looked at; again?"
    )


def unreadable(file: DatabaseFile, who: Holders, error: sqlite3.Error) -> UnreadableFile:
    """SQLite's error in one line."""
    shown, said = plain(str(file.path)), plain(str(error))
    if "locked" in said:
        by = ", ".join(describe(one) for one in who.seen)
        return UnreadableFile(f"{shown} is locked" + (f" by {by}" if by else ""))
    if "malformed" in said and "JSON" not in said:
        return UnreadableFile(f"{shown} is damaged or cut short (SQLite: {said})")
    if "not a database" in said:
        return UnreadableFile(f"{shown} is not an SQLite database, or is encrypted")
    return UnreadableFile(f"{shown} can't be read (SQLite: {said})")


def _in_place(stack: contextlib.ExitStack, file: DatabaseFile, who: Holders) -> Database | None:
    shm = file.beside("-shm").exists()
    by = ", ".join(describe(one) for one in who.seen) or "a process that can't be seen from here"
    if file.wal_mode and not shm:
        # Open, and not through SQLite (a backup, a pager), or by one who keeps it to himself.
        return _copied(stack, file, who, f", as {by} has it open alone")
    try:
        return _connected(
            stack,
            file,
            who,
            f"read in place, read-only, as {by} has it open",
            file.path,
            "mode=ro&readonly_shm=1" if shm else "mode=ro",
        )
    except sqlite3.Error as error:
        if shm and not file.beside("-shm").exists():
            return None  # closed in between
        raise unreadable(file, who, error) from None


def _as_it_lies(stack: contextlib.ExitStack, file: DatabaseFile, who: Holders) -> Database | None:
    """A file that nobody holds, in its place: only where that makes no file beside it; else None."""
    if file.wal_mode:
        in_place = file.wal is not None and file.beside("-shm").exists()
    else:
        in_place = not file.wal and not file.beside("-journal").exists()
    if not in_place:
        return None
    mode = "mode=ro&readonly_shm=1" if file.wal_mode else "mode=ro"
    beside = f" with its -wal ({file.wal / 1e6:.1f} MB)" if file.wal else ""
    try:
        return _connected(stack, file, who, f"read in place, read-only{beside}", file.path, mode)
    except sqlite3.Error:
        return None  # the copy tells what is wrong with it


def _copied(stack: contextlib.ExitStack, file: DatabaseFile, who: Holders, why: str = "") -> Database | None:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wedged-look-")))
    copy = copy_into(folder, file)
    if copy is None or (not who.held and holders(file.path).held):
        return None
    beside = f" with its -wal ({file.wal / 1e6:.1f} MB)" if file.wal else ""
    try:
        return _connected(stack, file, who, f"read from a copy{beside}{why}", copy, "mode=rw")
    except sqlite3.Error as error:
        raise unreadable(file, who, error) from None


def _connected(
    stack: contextlib.ExitStack, file: DatabaseFile, who: Holders, how: str, path: Path, mode: str
) -> Database:
    with contextlib.ExitStack() as opened:
        connection = opened.enter_context(contextlib.closing(_connect(path, mode)))
        # A file may come from anybody: nothing in it is trusted to run, and no row may fill the memory.
        for pragma in ("query_only=1", "trusted_schema=0", "cell_size_check=1"):
            connection.execute(f"pragma {pragma}")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.execute("begin")
        connection.execute("select count(*) from sqlite_master").fetchone()
        # What could not be opened is closed at once: a second look at the file would count us as a holder.
        stack.enter_context(opened.pop_all())
        return Database(file, who, how, connection)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(os.fspath(path))}?{mode}", uri=True, timeout=_BUSY_S, isolation_level=None
    )
