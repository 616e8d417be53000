"""The table of sessions, which all schemas have under one name or another."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Protocol

from wedged.facts.process import Shell
from wedged.facts.server import Line
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Gap
from wedged.observe.database.opening import Database

# A family that is deeper is cut; a file may come from anybody, and its parents may go in a circle.
_GENERATIONS = 20
# Of each session that is looked at: this many of its newest messages, and those with an unfinished call.
MESSAGES = 20
# Rows with something unfinished; beyond it a file is no longer read to its end.
UNFINISHED = 5000


class Store(Protocol):
    """What a look asks of a database, whatever its schema.

    Session ids go in and come out as the file has them. `gaps` collects what could not be read so far.
    """

    line: ClassVar[Line]
    gaps: list[Gap]

    def __init__(self, database: Database) -> None: ...

    def version(self) -> str:
        """The version that made the newest session, "" where there is none."""

    def count(self) -> int:
        """How many sessions there are."""

    def unfinished(self) -> dict[str, tuple[str, ...]]:
        """Each session with an unfinished call or answer, and the messages that hold them."""

    def ended(self) -> tuple[str, ...]:
        """The sessions whose turn may have ended otherwise than it seems: marked for resumption, or failed in
        its newest answer. Only V2 tells."""

    def newest(self, limit: int) -> tuple[str, ...]:
        """The sessions that changed last."""

    def family(self, ids: Iterable[str]) -> dict[str, None]:
        """`ids` with their parents, those parents' own, and all below `ids`."""

    def session(self, session_id: str, messages: Sequence[str] = ()) -> SessionFacts | None:
        """One session with the calls of its newest messages and of `messages`; None where there is none."""

    def shells(self) -> tuple[Shell, ...]:
        """The background shells that the file speaks of and that it does not say have ended."""


class Sessions:
    """The half of a `Store` that is about the table of sessions alone. `gaps` grows while it is read."""

    table: ClassVar[str]
    # Expressions beside the columns that every schema has; a schema's own facts are made of them.
    more: ClassVar[tuple[str, ...]] = ()

    def __init__(self, database: Database) -> None:
        self.database = database
        self.gaps: list[Gap] = []

    def version(self) -> str:
        """See `Store.version`."""
        row = self.database.one(f"select version from {self.table} order by time_created desc limit 1")  # noqa: S608
        return text(row[0]) if row else ""

    def count(self) -> int:
        """See `Store.count`."""
        row = self.database.one(f"select count(*) from {self.table}")  # noqa: S608
        return int(row[0]) if row else 0

    def ended(self) -> tuple[str, ...]:
        """See `Store.ended`."""
        return ()

    def newest(self, limit: int) -> tuple[str, ...]:
        """See `Store.newest`."""
        return self.ids(f"select id from {self.table} order by time_updated desc, id limit ?", (limit,))  # noqa: S608

    def family(self, ids: Iterable[str]) -> dict[str, None]:
        """See `Store.family`."""
        found = dict.fromkeys(ids)
        for column, wanted in (("parent_id", "id"), ("id", "parent_id")):
            edge = list(found)
            for _ in range(_GENERATIONS):
                edge = [one for one in self._related(column, wanted, edge) if one not in found]
                if not edge:
                    break
                found.update(dict.fromkeys(edge))
        return found

    def row(self, session_id: str) -> tuple[SessionFacts, tuple[Any, ...]] | None:
        """A session without its messages, and the values of `more`."""
        columns = ", ".join(("id", "directory", "title", "parent_id", "time_updated", *self.more))
        sql = f"select {columns} from {self.table} where id = ?"  # noqa: S608
        row = self.database.one(sql, (session_id,))
        if row is None:
            return None
        facts = SessionFacts(
            id=text(row[0]),
            directory=text(row[1]),
            status=Status.UNKNOWN,
            title=text(row[2]),
            parent_id=text(row[3]),
            updated_ms=whole(row[4]),
        )
        return facts, row[5:]

    def ids(self, sql: str, values: Sequence[object] = ()) -> tuple[str, ...]:
        """The first column of a query as texts."""
        return tuple(text(row[0]) for row in self.database.rows(sql, values) if isinstance(row[0], str))

    def unreadable(self, table: str, ids: Sequence[str]) -> None:
        """Say that these rows hold no readable JSON."""
        if ids:
            more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
            self.gaps.append(Gap(f"{table} {', '.join(ids[:3])}{more}", "its data is no readable JSON"))

    def _related(self, column: str, wanted: str, ids: Sequence[str]) -> Iterator[str]:
        sql = f"select {column} from {self.table} where {wanted} in (select value from json_each(?))"  # noqa: S608
        yield from self.ids(sql, (json.dumps(ids),))


def cut_off(table: str) -> Gap:
    """The gap of a file with more unfinished rows than are read."""
    return Gap(f"{table} beyond its first {UNFINISHED} unfinished rows", "not read: there are too many")


def text(value: object) -> str:
    """A text, "" for anything else that a column may hold."""
    return value if isinstance(value, str) else ""


def whole(value: object) -> int | None:
    """A whole number, None for anything else. Some versions write fractions of a millisecond."""
    return int(value) if isinstance(value, int | float) and abs(value) < 2**53 else None
