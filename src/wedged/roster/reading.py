"""Reading what the rosters are made of: few requests, no messages, so that it can be done often."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from wedged.client.protocols import Reader
from wedged.errors import CannotLook
from wedged.facts.process import Shell
from wedged.facts.server import Line
from wedged.facts.session import Status
from wedged.facts.snapshot import Gap, Snapshot
from wedged.roster.entries import Roster
from wedged.roster.kinds import naive, right

T = TypeVar("T")


def read_work(reader: Reader, directories: Sequence[str] = ()) -> Snapshot:
    """The sessions with their statuses and parents, and the shells of every location.

    Shells are asked for in the locations that the server has loaded: no other can list one, and asking
    another would load it. V1, which keeps no such lists, is asked for the statuses of `directories` too.
    What can't be read becomes a gap.
    """
    gaps: list[Gap] = []

    def attempt(what: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except CannotLook as error:
            gaps.append(Gap(what, str(error)))
            return None

    taken = time.time_ns() // 1_000_000
    sessions = attempt("sessions", reader.sessions) or ()
    # Shells before statuses: one that ends wakes its session, and is then seen in at least one of the two.
    shells: list[Shell] = []
    for directory in attempt("which locations are loaded", reader.loaded) or ():
        shells += attempt(f"shells in {directory}", partial(reader.shells, directory)) or ()
    working = attempt("statuses", reader.statuses)
    for directory in directories if reader.line is Line.V1 else ():
        more = attempt(f"statuses in {directory}", partial(reader.statuses, directory))
        working = None if working is None or more is None else working | more
    # A session that began after the list was read is not in it, and its turn is none the less pending.
    for session_id in sorted((working or {}).keys() - {session.id for session in sessions}):
        if (begun := attempt(f"session {session_id}", partial(reader.session, session_id))) is not None:
            sessions = (*sessions, begun)
    rest = Status.UNKNOWN if working is None else Status.IDLE
    return Snapshot(
        taken_ms=taken,
        source="",
        identity=reader.identity(),
        sessions=tuple(replace(one, status=(working or {}).get(one.id, rest)) for one in sessions),
        shells=tuple(shells),
        gaps=tuple(gaps),
    )


def sample(reader: Reader, directories: Sequence[str] = ()) -> tuple[Roster, Roster]:
    """The naive and the right roster of one and the same read."""
    look = read_work(reader, directories)
    return naive(look), right(look)
