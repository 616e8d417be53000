"""One look at a running server. Only GETs, and each directory that was asked is named in the snapshot."""

import time
from collections.abc import Callable, Collection, Sequence

from wedged.client.protocols import Reader
from wedged.errors import CannotLook
from wedged.facts.process import Tree
from wedged.facts.session import SessionFacts
from wedged.facts.snapshot import Gap, Scope, Snapshot
from wedged.observe.gathering import SESSION_LIMIT, Gathering
from wedged.observe.idle import left_over, read_idle
from wedged.observe.patience import LONGEST_S, Patience
from wedged.observe.surroundings import Surroundings, surroundings
from wedged.observe.unmarked import read_unmarked

__all__ = ["DIRECTORY_LIMIT", "ELSEWHERE_LIMIT", "SESSION_LIMIT", "look"]

# Sessions of other directories whose last messages are looked at, newest first.
ELSEWHERE_LIMIT = 100
# Other directories that are asked because a session there has an unfinished call, or the server has them
# loaded.
DIRECTORY_LIMIT = 20


def look(
    reader: Reader,
    *,
    scopes: Sequence[str] = (),
    sessions: Sequence[str] = (),
    every_directory: bool = False,
    peek: Snapshot | None = None,
    tree: Callable[[], Tree | Gap] | None = None,
    around: Callable[[Tree, Collection[SessionFacts]], Surroundings] = surroundings,
    source: str = "",
    longest_s: float = LONGEST_S,
) -> Snapshot:
    """What the server says now of its own directory, of those of `scopes`, and of every other one in which
    something can wait: on V1 where a session has an unfinished call, on V2 what is loaded or works.

    Every session is listed; those that are busy, have an ask, a shell or (among the newest idle ones) an
    unfinished call or a turn without an end, or are named in `sessions` are read with their calls. The
    directory of a named session is asked too. Any other directory is not, unless `every_directory`: asking
    makes the server load the project there. A read that fails, and whatever was left out, becomes a gap.

    With `peek`, an earlier look, the search for other directories is not repeated and its gaps are taken
    over. All reads of one kind (statuses, sessions, asks …) may take `longest_s` seconds together, and one
    read's time more; what is left of them then is gaps, and the other kinds go on. `tree` looks at the
    server's processes; where an idle session has an unfinished call, or is one of `sessions`, `around` looks
    for what else could run it.

    Raises:
        CannotLook: the server does not even say who it is and where.
    """
    taken = time.time_ns() // 1_000_000
    # Before anything else is asked: a question about a directory makes a server load it.
    loaded, unread_loaded = (peek.loaded, ()) if peek else _loaded(reader)
    gathering = Gathering(reader, reader.directory(), gaps=[*unread_loaded], patience=Patience(longest_s))
    identity = reader.identity()
    for directory in ("", *scopes):
        gathering.list_of(directory)
    for session_id in sessions:
        gathering.follow(session_id)
    if gathering.speaks_for_all:
        for session_id in gathering.working():
            gathering.follow(session_id)
    left_out = peek.left_out if peek else _go_elsewhere(gathering, loaded, every_directory)
    gathering.gaps += left_out
    gathering.read_details(sessions)
    unread = read_unmarked(gathering, peek) + read_idle(gathering, peek)
    seen = tree() if tree else None
    left = left_over(gathering, sessions)
    beside = around(seen, left) if left and isinstance(seen, Tree) else None
    return Snapshot(
        taken_ms=taken,
        source=source,
        identity=identity,
        scopes=tuple(
            Scope(directory, reader.listing_routes(gathering.named(directory)))
            for directory in gathering.statuses
        ),
        sessions=tuple(gathering.sessions.values()),
        asks=tuple(gathering.asks.values()),
        shells=tuple(gathering.shells.values()),
        processes=seen if isinstance(seen, Tree) else None,
        gaps=tuple(gathering.gaps),
        blind=((seen,) if isinstance(seen, Gap) else ()) + unread + (beside.blind if beside else ()),
        holders=beside.holders if beside else None,
        strays=beside.strays if beside else None,
        left_out=left_out,
        loaded=loaded,
        woken=_woken(reader, loaded),
    )


def _loaded(reader: Reader) -> tuple[tuple[str, ...] | None, tuple[Gap, ...]]:
    try:
        return reader.loaded(), ()
    except CannotLook as error:
        return None, (Gap("the directories that are loaded", str(error)),)


def _woken(reader: Reader, before: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """What is loaded now and was not `before`."""
    now, _ = _loaded(reader) if before is not None else (None, ())
    return None if now is None or before is None else tuple(one for one in now if one not in before)


def _go_elsewhere(gathering: Gathering, loaded: tuple[str, ...] | None, every: bool) -> tuple[Gap, ...]:
    """Ask the other directories in which something can wait (or `every` one); what is left out."""
    left_out: tuple[Gap, ...] = ()
    if loaded is not None:
        others = [directory for directory in loaded if directory not in gathering.statuses]
        limit = None if every else DIRECTORY_LIMIT
        left_out = _ask(gathering, dict.fromkeys(others, "the server has it loaded"), limit)
    if loaded is None or every:
        left_out += _search(gathering, every)
    return left_out


def _search(gathering: Gathering, every: bool) -> tuple[Gap, ...]:
    """Ask the directories of sessions whose last messages hold a call that has not ended."""
    elsewhere = [
        s for s in gathering.sessions.values() if s.directory and s.directory not in gathering.statuses
    ]
    elsewhere.sort(key=lambda session: session.updated_ms or 0, reverse=True)
    wanted: dict[str, str] = {}
    if not every:
        gathering.peek_into(elsewhere[:ELSEWHERE_LIMIT])
    for session in elsewhere if every else elsewhere[:ELSEWHERE_LIMIT]:
        if session.directory in wanted:
            continue
        if every or gathering.has_unfinished(session):
            wanted[session.directory] = f"something is unfinished in it (session {session.id})"
    left_out = _ask(gathering, wanted, None if every else DIRECTORY_LIMIT)
    if len(elsewhere) > ELSEWHERE_LIMIT and not every:
        left = len(elsewhere) - ELSEWHERE_LIMIT
        left_out += (Gap(f"{left} older sessions of other directories", "not looked at"),)
    return left_out


def _ask(gathering: Gathering, wanted: dict[str, str], limit: int | None) -> tuple[Gap, ...]:
    """Ask at most `limit` of these directories; `wanted` says of each why."""
    asked = list(wanted)[:limit]
    for directory in asked:
        gathering.list_of(directory)
    return tuple(
        Gap(
            f"directory {directory}",
            f"not asked: {why}, and {limit} others were asked; name it with --directory",
        )
        for directory, why in list(wanted.items())[len(asked) :]
    )
