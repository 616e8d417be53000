"""Databases of real servers, changed: in what their rows hold, in their schema, or in their bytes."""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from tests.observe.database.stores import PREVIEW, RELEASED, V1, unpack

from .mutation import Mutation, mutated, mutations, odd_values, written

NAMES = (V1, PREVIEW, RELEASED)
# The tables that are read; the others can hold anything.
_TABLES = ("session", "session_v2", "message", "part", "session_message", "kv")
_BESIDE = ("", "-wal", "-shm")
_ODD = (
    None,
    0,
    -1,
    7,
    2**62,
    -(2**63),
    1.5,
    1e300,
    float("inf"),
    b"",
    b"\xff\x00\xfe",
    "",
    "later",
    "{",
    "\x1b[2J",
)


@dataclass(frozen=True)
class RowChange:
    """One value of one row: `odd` instead of it, or, where it holds JSON, that JSON with `inside` done to it.
    The three numbers pick table, row and column, modulo how many there are."""

    table: int
    row: int
    column: int
    odd: Any = None
    inside: tuple[Mutation, ...] = ()


@dataclass(frozen=True)
class SchemaChange:
    """One statement about one table; the numbers pick table and column."""

    table: int
    column: int
    statement: str


@dataclass(frozen=True)
class ByteChange:
    """`put` over the bytes at `at` (thousandths of the file), or, where it is empty, the file cut there."""

    suffix: str
    at: int
    put: bytes = b""


_MANY = "with recursive n(x) as (select 1 union all select x + 1 from n where x < 300)"
_STATEMENTS = (
    "drop table {table}",
    "alter table {table} rename to {table}_old",
    "alter table {table} drop column {column}",
    "alter table {table} rename column {column} to {column}_old",
    "alter table {table} add column extra blob default x'00'",
    "create table other as select * from {table}; drop table {table}; alter table other rename to {table}",
    "alter table {table} rename to other; create view {table} as select * from other",
    "delete from {table}",
    "update {table} set {column} = null",
    "update {table} set {column} = {column} || {column}",
    "create trigger t after insert on {table} begin delete from {table}; end",
    "pragma writable_schema=1; update sqlite_master set sql = 'nonsense' where name = '{table}'",
    "pragma writable_schema=1; update sqlite_master set rootpage = 999999 where name = '{table}'",
    "insert into {table} ({column}) {many} select 'x' || x from n",
    "create index i on {table} ({column}); create table other as {many} select x from n",
)


def row_changes() -> st.SearchStrategy[list[RowChange]]:
    """A few values of a few rows."""
    place = (st.integers(0, 5), st.integers(0, 40), st.integers(0, 40))
    one = st.one_of(
        st.builds(RowChange, *place, odd=st.one_of(st.sampled_from(_ODD), odd_values())),
        st.builds(RowChange, *place, inside=mutations().map(tuple)),
        st.builds(RowChange, *place, inside=mutations().map(tuple)),
    )
    return st.lists(one, min_size=1, max_size=5)


def schema_changes() -> st.SearchStrategy[list[SchemaChange]]:
    """One statement or two."""
    one = st.builds(SchemaChange, st.integers(0, 5), st.integers(0, 40), st.sampled_from(_STATEMENTS))
    return st.lists(one, min_size=1, max_size=2)


def byte_changes() -> st.SearchStrategy[list[ByteChange]]:
    """Files cut short, bits flipped, pages overwritten; most often near the beginning, where headers are."""
    at = st.one_of(st.integers(0, 1000), st.integers(0, 4).map(lambda n: -n))
    one = st.builds(
        ByteChange, st.sampled_from(_BESIDE), at, st.one_of(st.just(b""), st.binary(max_size=300))
    )
    return st.lists(one, min_size=1, max_size=4)


@contextmanager
def changed_store(
    name: str,
    rows: Sequence[RowChange] = (),
    schema: Sequence[SchemaChange] = (),
    raw: Sequence[ByteChange] = (),
    *,
    shm: bool = True,
) -> Iterator[Path]:
    """A folder with the changed database, its -wal and (`shm`) its -shm, as a killed server leaves them."""
    source = _template(name)
    with tempfile.TemporaryDirectory(prefix="wedged-changed-") as folder:
        made, left = Path(folder, "made"), Path(folder, "left")
        shutil.copytree(source.parent, made)
        left.mkdir()
        path = made / source.name
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("pragma wal_autocheckpoint=0")
            connection.execute("pragma foreign_keys=0")
            changes: tuple[RowChange | SchemaChange, ...] = (*rows, *schema)
            for change in changes:
                # What SQLite itself does not let anybody write can't be in a file either.
                with suppress(sqlite3.Error, OverflowError):
                    _apply(connection, change)
            if not schema:  # makes the -shm where nothing was changed
                connection.execute("select count(*) from sqlite_master").fetchone()
            # While it is open: closed in order, it would take its -wal away.
            for suffix in _BESIDE if shm else _BESIDE[:2]:
                beside = Path(f"{path}{suffix}")
                if beside.exists():
                    shutil.copy(beside, left)
        for one in raw:
            _overwrite(Path(f"{left / source.name}{one.suffix}"), one)
        yield left / source.name


@cache
def _template(name: str) -> Path:
    """The sample, unpacked once."""
    folder = Path(tempfile.mkdtemp(prefix="wedged-template-"))
    _made.append(folder)
    return unpack(name, folder).path


_made: list[Path] = []


def clear_templates() -> None:
    """Take them away."""
    _template.cache_clear()
    while _made:
        shutil.rmtree(_made.pop())


def _apply(connection: sqlite3.Connection, change: RowChange | SchemaChange) -> None:
    tables = [
        table
        for (table,) in connection.execute(
            "select name from sqlite_master where type = 'table' order by name"
        )
        if table in _TABLES and connection.execute(f"select 1 from {table} limit 1").fetchone()  # noqa: S608
    ]
    table = tables[change.table % len(tables)] if tables else "gone"
    columns = [row[1] for row in connection.execute(f"pragma table_info({table})")] or ["gone"]
    column = columns[change.column % len(columns)]
    if isinstance(change, SchemaChange):
        for statement in change.statement.split(";"):
            connection.execute(statement.format(table=table, column=column, many=_MANY))
        return
    ids = [row[0] for row in connection.execute(f"select rowid from {table}")]  # noqa: S608
    row = ids[change.row % len(ids)]
    if change.inside:
        column = "value" if table == "kv" else "data" if "data" in columns else column
    value = _new(connection, table, column, row, change)
    connection.execute(f"update {table} set {column} = ? where rowid = ?", (value, row))  # noqa: S608


def _new(connection: sqlite3.Connection, table: str, column: str, row: int, change: RowChange) -> object:
    if not change.inside:
        odd = change.odd
        return written(odd).decode("utf-8", "replace") if isinstance(odd, list | dict) else odd
    (old,) = connection.execute(f"select {column} from {table} where rowid = ?", (row,)).fetchone()  # noqa: S608
    try:
        tree = json.loads(old)
    except (TypeError, ValueError, RecursionError):
        return old
    return written(mutated({"data": tree}, change.inside).get("data")).decode("utf-8", "replace")


def _overwrite(path: Path, change: ByteChange) -> None:
    if not path.exists():
        return
    content = bytearray(path.read_bytes())
    at = -change.at if change.at < 0 else len(content) * change.at // 1000
    if change.put:
        content[at : at + len(change.put)] = change.put
    else:
        del content[at:]
    path.write_bytes(content)
