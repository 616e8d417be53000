"""More sessions in a server's database: copies of one that a server made, with ids and times of their own."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

_SESSIONS = ("session_v2", "session")
_BELOW = ("message", "part", "session_message")
_APART_MS = 60_000
_NUMBERED = 8


def copy_session(database: Path, session: str, copies: int, directories: Sequence[str]) -> int:
    """Put `copies` of `session` into the database of a server that does not run; how many rows that were.

    The first copy lies in the first of `directories`, the next in the next, and so on in turn. Each copy is
    a minute older than the one before.
    """
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("pragma foreign_keys=0")
        known = {name for (name,) in connection.execute("select name from sqlite_master where type='table'")}
        table = next(name for name in _SESSIONS if name in known)
        before = connection.total_changes
        _copy(connection, table, "id", session, copies, directories)
        for below in _BELOW:
            if below in known:
                _copy(connection, below, "session_id", session, copies, directories)
        connection.commit()
        connection.execute("pragma wal_checkpoint(truncate)").fetchone()
        return connection.total_changes - before


def _copy(
    connection: sqlite3.Connection,
    table: str,
    key: str,
    session: str,
    copies: int,
    directories: Sequence[str],
) -> None:
    columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
    rows = connection.execute(f"select * from {table} where {key} = ?", (session,)).fetchall()  # noqa: S608
    marks = ", ".join("?" * len(columns))

    def made() -> Iterator[list[object]]:
        for n in range(copies):
            for row in rows:
                yield [_moved(name, value, n, directories) for name, value in zip(columns, row, strict=True)]

    connection.executemany(f"insert into {table} values ({marks})", made())  # noqa: S608


def _moved(column: str, value: object, n: int, directories: Sequence[str]) -> object:
    if column == "directory":
        return directories[n % len(directories)]
    if column.startswith("time_") and isinstance(value, int | float):
        return value - (n + 1) * _APART_MS
    if column == "slug":
        return f"{value}-{n}"
    # An id's end is random; what it says of its time stays.
    if column in ("id", "session_id", "message_id") and isinstance(value, str):
        return f"{value[:-_NUMBERED]}{n:0{_NUMBERED}d}"
    return value
