"""The mark for resumption, read from the server's own database: the API of no version shows it."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from wedged.errors import LabError
from wedged.facts.server import Line
from wedged.facts.trial import Lane
from wedged.lab.bench import Bench

_FILES = {Line.V2_PREVIEW: "opencode-next.db", Line.V2_RELEASED: "opencode.db"}
_TABLES = {Line.V2_PREVIEW: "session", Line.V2_RELEASED: "session_v2"}


@dataclass(frozen=True, slots=True)
class Mark:
    """One session's row. `attempts` counts resumptions, None where the line does not count them."""

    is_set: bool
    attempts: int | None = None

    def __str__(self) -> str:
        return "mark set" if self.is_set else "no mark"


def store_file(bench: Bench) -> Path:
    """The database of the bench's server.

    Raises:
        LabError: its line keeps none that is known here.
    """
    name = _FILES.get(bench.identity.line)
    if name is None:
        raise LabError(f"no database of {bench.identity.line.value} is known to hold marks")
    return Path(bench.home.env["XDG_DATA_HOME"]) / "opencode" / name


def marks(bench: Bench, sessions: Iterable[str]) -> dict[str, Mark]:
    """The rows of these sessions as they are now; one that has no row is left out. Reads only.

    Raises:
        LabError: the database can't be read.
    """
    file, wanted = store_file(bench), set(sessions)
    released = bench.identity.line is Line.V2_RELEASED
    columns = f"id, time_suspended{', resume_attempts' if released else ''}"
    table = _TABLES[bench.identity.line]
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=5.0)) as store:
            rows = store.execute(f"SELECT {columns} FROM {table}").fetchall()  # noqa: S608 (no outside text)
    except sqlite3.Error as error:
        raise LabError(f"the server's database could not be read: {error}") from error
    return {sid: Mark(at is not None, *more) for sid, at, *more in rows if sid in wanted}


def mark(bench: Bench, session: str) -> Mark:
    """One session's row, put on the timeline.

    Raises:
        LabError: the database can't be read, or has no such session.
    """
    found = marks(bench, (session,)).get(session)
    if found is None:
        raise LabError("the session has no row in the server's database")
    put(bench, session, found)
    return found


def set_attempts(bench: Bench, sessions: Iterable[str], count: int) -> None:
    """Have these sessions' rows say that they were resumed `count` times. Only while no server runs.

    Raises:
        LabError: a server runs, its line counts nothing, or the database can't be written.
    """
    if bench.identity.line is not Line.V2_RELEASED:
        raise LabError(f"no resumptions are counted by {bench.identity.line.value}")
    if bench.server.alive():
        raise LabError("the server runs: its database is its own")
    rows = [(count, session) for session in sessions]
    table = _TABLES[bench.identity.line]
    try:
        with closing(sqlite3.connect(store_file(bench), timeout=5.0)) as store, store:
            store.executemany(f"UPDATE {table} SET resume_attempts = ? WHERE id = ?", rows)  # noqa: S608
    except sqlite3.Error as error:
        raise LabError(f"the server's database could not be written: {error}") from error
    for session in sessions:
        bench.timeline.add(Lane.DATABASE, "resumptions counted by hand", session, resume_attempts=count)


def put(bench: Bench, session: str, found: Mark) -> None:
    """Put a row on the timeline."""
    more = {} if found.attempts is None else {"resume_attempts": found.attempts}
    bench.timeline.add(Lane.DATABASE, str(found), session, time_suspended_set=found.is_set, **more)
