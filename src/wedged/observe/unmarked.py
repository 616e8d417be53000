"""Idle sessions of a released V2 whose newest turn has no mark of its end: cut off, or declined."""

from wedged.facts.server import Line
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Gap, Snapshot
from wedged.observe.gathering import Gathering

# How many of them are read, newest first.
UNMARKED_LIMIT = 100


def read_unmarked(gathering: Gathering, peek: Snapshot | None = None) -> tuple[Gap, ...]:
    """Read them with their calls, wherever they are: on a released V2 that loads no location.

    What `peek`, an earlier look, has read is
    taken from there while neither has changed. What was left out is returned.
    """
    if gathering.reader.line is not Line.V2_RELEASED:
        return ()
    found = [s for s in gathering.sessions.values() if s.status is Status.IDLE and _unmarked(s)]
    found.sort(key=lambda session: session.updated_ms or 0, reverse=True)
    for session in found[:UNMARKED_LIMIT]:
        before = peek.session(session.id) if peek else None
        if session.newest is not None:
            continue
        if before is not None and before.newest is not None and _same(before, session):
            gathering.sessions[session.id] = before
        else:
            gathering.detail(session.id)
    left = len(found) - UNMARKED_LIMIT
    why = "not looked through for turns that were cut off or declined"
    return (Gap(f"{left} older idle sessions", why),) if left > 0 else ()


def has_ended(session: SessionFacts) -> bool:
    """Whether the newest turn has its mark: at its end a released V2 sets ``time.idle``, after
    ``time.updated``. No other line makes one."""
    return (
        session.idle_ms is not None
        and session.updated_ms is not None
        and session.idle_ms >= session.updated_ms
    )


def _unmarked(session: SessionFacts) -> bool:
    return session.updated_ms is not None and not has_ended(session)


def _same(before: SessionFacts, now: SessionFacts) -> bool:
    return (before.updated_ms, before.idle_ms, before.status) == (now.updated_ms, now.idle_ms, now.status)
