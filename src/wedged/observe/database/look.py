"""One look at a database file."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from wedged.facts.process import Holders, Tree
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.snapshot import Gap, Origin, Scope, Snapshot
from wedged.observe.database.opening import open_database
from wedged.observe.database.schema import Schema, schema_of
from wedged.observe.database.sessions import Store
from wedged.observe.database.v1 import V1Store
from wedged.observe.database.v2preview import V2PreviewStore
from wedged.observe.database.v2released import V2ReleasedStore
from wedged.observe.processes import tree_of

# Sessions that are looked at without a reason, newest first, and with one at most.
NEWEST = 50
DETAILED = 1000

_ASKS = Gap("asks", "they live in a server's memory only: a file never shows them")
# A released V2 that is stopped in order takes its -wal away; servers of the other lines always leave one.
_LEFT = Gap(
    "the newest writes",
    "there is no -wal beside the file, and no server of this line leaves its file without one: this is a "
    "copy made without it, or one by SQLite's own backup, which alone would be whole",
)
_NO_WAL = {
    Line.V1: _LEFT,
    Line.V2_PREVIEW: _LEFT,
    Line.V2_RELEASED: Gap(
        "whether the file is whole",
        "there is no -wal beside it: so it is left by a server that was stopped in order; a copy of a "
        "running one's file made without its -wal looks the same and lacks the newest writes",
    ),
}


def look_at_database(path: Path, sessions: Sequence[str] = ()) -> Snapshot:
    """What the file says.

    Looked at are the sessions with an unfinished call or answer, with a background shell, with a mark for
    resumption, or failed in their newest answer; those of `sessions`; the parents and children of all these;
    and the newest ones.

    Who runs what is not in a file: every status is UNKNOWN and there are no asks. The file, its -wal and its
    -shm are left as they are. Not for a process that has the file open itself through SQLite.

    Raises:
        UnreadableFile: it is no database, damaged, locked, or changes faster than it can be copied.
        UnknownSchema: it is a database, and not one that is read here.
    """
    taken = time.time_ns() // 1_000_000
    with open_database(path) as database:
        schema = schema_of(database)
        store = _STORES[schema.line](database)
        unfinished, shells = store.unfinished(), store.shells()
        family = store.family((*sessions, *unfinished, *(one.session_id for one in shells), *store.ended()))
        wanted = dict.fromkeys((*list(family)[:DETAILED], *store.newest(NEWEST)))
        read = {one: store.session(one, unfinished.get(one, ())) for one in wanted}
        found = [facts for facts in read.values() if facts is not None]
        found.sort(key=lambda session: (-(session.updated_ms or 0), session.id))
        gaps = [Gap(f"session {one}", "it is not in this file") for one in sessions if read.get(one) is None]
        if len(family) > DETAILED:
            gaps.append(Gap(f"{len(family) - DETAILED} sessions", "not read: too many are unfinished"))
        gaps += store.gaps
        blind = [] if schema.seen else [_new_schema(schema)]
        # What has no unfinished call can't wait for an ask.
        (gaps if any(session.unfinished for session in found) else blind).append(_ASKS)
        if database.file.wal is None and database.file.wal_mode:
            (blind if schema.line is Line.V2_RELEASED else gaps).append(_NO_WAL[schema.line])
        read_how = Scope(
            str(database.file.path), (database.how, f"{len(found)} of {store.count()} sessions read")
        )
        return Snapshot(
            taken_ms=taken,
            source=str(path),
            identity=ServerIdentity(schema.line, store.version(), schema_fingerprint=schema.fingerprint),
            scopes=(read_how,),
            sessions=tuple(found),
            shells=shells,
            processes=_tree(database.holders),
            gaps=tuple(gaps),
            blind=tuple(blind),
            origin=Origin.DATABASE,
            holders=database.holders,
        )


def _new_schema(schema: Schema) -> Gap:
    return Gap(
        "what else this version stores",
        f"the columns of the file (fingerprint {schema.fingerprint[:16]}) are those of no version that was "
        "run in the lab; what is read of them is there",
    )


def _tree(holders: Holders) -> Tree | None:
    """The processes below the one server that holds the file."""
    servers = [one for one in holders.seen if one.is_opencode]
    return tree_of(servers[0]) if len(servers) == 1 else None


_STORES: Mapping[Line, type[Store]] = {
    Line.V1: V1Store,
    Line.V2_PREVIEW: V2PreviewStore,
    Line.V2_RELEASED: V2ReleasedStore,
}
