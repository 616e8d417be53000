"""Which line wrote a database: told by its tables and columns, and never guessed."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from wedged.errors import UnknownSchema
from wedged.facts.plain_text import plain
from wedged.facts.server import Line
from wedged.observe.database.opening import Database

_SESSION = ("id", "parent_id", "directory", "title", "version", "time_created", "time_updated")
_V2_MESSAGE = ("id", "session_id", "type", "seq", "data")
# What is read of each line's file. More tables and columns do not matter; a missing one does.
_READ: Mapping[Line, Mapping[str, tuple[str, ...]]] = {
    Line.V1: {
        "session": _SESSION,
        "message": ("id", "session_id", "time_created", "data"),
        "part": ("id", "message_id", "session_id", "data"),
    },
    Line.V2_PREVIEW: {
        "session": (*_SESSION, "time_suspended", "fork_session_id"),
        "session_message": _V2_MESSAGE,
    },
    Line.V2_RELEASED: {
        "session_v2": (*_SESSION, "time_suspended", "resume_attempts", "time_idle", "fork_session_id"),
        "session_message": _V2_MESSAGE,
        "kv": ("key", "value"),
    },
}
_NAMES = {Line.V1: "V1", Line.V2_PREVIEW: "the V2 preview", Line.V2_RELEASED: "V2"}

# Beginnings of the fingerprints of files that servers made in our own lab, and which servers those were.
SEEN = {
    "8fb8629f18ad177c": "1.2.27, 1.3.2",
    "9f6b37e40761054d": "1.14.41",
    "cbeb4d85ac39b531": "1.15.13, 1.17.0, 1.17.18, 1.18.34",
    "e5cc4cd32813a68a": "0.0.0-next-16350",
    "97d711fd0415da41": "2.0.15",
}


@dataclass(frozen=True, slots=True)
class Schema:
    """`line` wrote the file; files with the same columns in what is read have the same `fingerprint`."""

    line: Line
    fingerprint: str

    @property
    def seen(self) -> bool:
        """Whether a server in our lab made a file with just these columns."""
        return self.fingerprint[:16] in SEEN


def schema_of(database: Database) -> Schema:
    """The schema of an open database.

    The fingerprint is of columns and their types, sorted: a file that was carried along from version to
    version has other CREATE statements than a new one, and the same columns.

    Raises:
        UnknownSchema: no tables, none that we know, or a known one without a column that we read.
    """
    # A view of that name would be somebody else's query.
    tables = {str(name) for (name,) in database.rows("select name from sqlite_master where type='table'")}
    shown = plain(str(database.file.path))
    if not tables:
        lost = "" if database.file.wal else "; all of it may be in a -wal that is not beside it"
        raise UnknownSchema(f"{shown} holds no tables{lost}")
    line = _line(database, tables)
    if line is None:
        raise UnknownSchema(f"{shown} is no OpenCode database: it has none of its tables, or not all")
    read = _READ[line]
    columns = {table: _columns(database, table) for table in read}
    missing = [
        f"{table}.{column}" for table in read for column in read[table] if column not in columns[table]
    ]
    if missing:
        raise UnknownSchema(
            f"{shown} looks like a file of {_NAMES[line]}, but has no {', '.join(missing)}: a version that "
            "this wedged can't read"
        )
    text = "\n".join(
        sorted(f"{table}.{name} {kind}" for table, found in columns.items() for name, kind in found.items())
    )
    return Schema(line, hashlib.sha256(text.encode()).hexdigest())


def _line(database: Database, tables: set[str]) -> Line | None:
    # A 2.x file that was V1's keeps V1's tables, which nobody writes any more.
    if "session_v2" in tables:
        return Line.V2_RELEASED if {"session_message", "kv"} <= tables else None
    if "session" not in tables:
        return None
    if "time_suspended" in _columns(database, "session"):
        return Line.V2_PREVIEW if "session_message" in tables else None
    return Line.V1 if {"message", "part"} <= tables else None


def _columns(database: Database, table: str) -> dict[str, str]:
    rows = database.rows("select name, type from pragma_table_info(?)", (table,))
    return {str(name): str(kind).lower() for name, kind in rows}
