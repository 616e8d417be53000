"""Facts about a server's database file: never a row's contents."""

import time
from pathlib import Path

from wedged.bundle.collecting import Basket
from wedged.observe.database.file_kind import database_file
from wedged.observe.database.opening import open_database
from wedged.observe.database.schema import schema_of

# What is counted, where it is there: the sessions and what they are made of.
_COUNTED = (
    *("session", "message", "part", "session_v2", "session_message", "session_inbox", "session_pending"),
    *("permission", "project", "migration", "kv", "event"),
)


def collect_database(basket: Basket, path: Path) -> None:
    """``database.json``: name, sizes, schema, openers, counts. The large tables are counted last."""
    facts: dict[str, object] = {"name": path.name, "folder": str(path.parent)}

    def keep(**more: object) -> None:
        facts.update(more)
        basket.add("database.json", dict(facts))

    keep()
    file = database_file(path)
    keep(bytes=file.size, wal_mode=file.wal_mode, wal_bytes=file.wal, written_ago_s=_ages(path))
    with open_database(path) as database:
        keep(
            read=database.how,
            openers=[{"pid": one.pid, "name": one.name} for one in database.holders.seen],
            openers_complete=database.holders.complete,
        )
        schema = schema_of(database)
        keep(line=schema.line.value, schema_fingerprint=schema.fingerprint, schema_known=schema.seen)
        there = {name for (name,) in database.rows("select name from sqlite_master where type='table'")}
        counts: dict[str, int] = {}
        for table in _COUNTED:
            if table in there:
                row = database.one(f"select count(*) from {table}")  # noqa: S608 - a name of our own list
                counts[table] = int(row[0]) if row else 0
                keep(rows=dict(counts), tables=len(there))


def _ages(path: Path) -> dict[str, float]:
    found = {}
    for suffix in ("", "-wal", "-shm"):
        beside = Path(f"{path}{suffix}")
        if beside.exists():
            found[path.name + suffix] = round(time.time() - beside.stat().st_mtime, 1)
    return found
