"""Sessions that nothing works on, looked through for calls that have not ended."""

from collections.abc import Collection

from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Gap, Snapshot
from wedged.observe.gathering import Gathering
from wedged.observe.unmarked import has_ended

# Idle sessions whose last messages are looked at, newest first.
IDLE_LIMIT = 100


def read_idle(gathering: Gathering, peek: Snapshot | None = None) -> tuple[Gap, ...]:
    """Read those of the idle sessions, in the directories that were asked, that have an unfinished call.

    A turn that ends between two reads of one look leaves such a call in hand, so each is read once more.
    `peek`, an earlier look, spares those that have not changed since. A session whose newest turn has the
    server's own mark of its end is spared, too: no call outlives it. What was left out is returned.
    """
    idle = [
        session
        for session in gathering.sessions.values()
        if session.status is Status.IDLE
        and not session.parts
        and session.directory in gathering.statuses
        and not has_ended(session)
    ]
    idle.sort(key=lambda session: session.updated_ms or 0, reverse=True)
    newest = idle[:IDLE_LIMIT]
    gathering.peek_into(session for session in newest if _changed(session, peek))
    for session in newest:
        if _was_unfinished(session, peek) or (_changed(session, peek) and gathering.has_unfinished(session)):
            gathering.detail(session.id)
    for session in left_over(gathering):
        gathering.detail(session.id)
    left = len(idle) - IDLE_LIMIT
    return (
        (Gap(f"{left} older idle sessions", "not looked through for unfinished calls"),) if left > 0 else ()
    )


def left_over(gathering: Gathering, named: Collection[str] = ()) -> list[SessionFacts]:
    """The idle sessions with an unfinished call, as far as they were read; and those that were `named`, which
    may have had one."""
    idle = (one for one in gathering.sessions.values() if one.status is Status.IDLE)
    return [one for one in idle if one.unfinished or (one.parts and one.id in named)]


def _was_unfinished(session: SessionFacts, peek: Snapshot | None) -> bool:
    before = peek.session(session.id) if peek else None
    return before is not None and bool(before.unfinished)


def _changed(session: SessionFacts, peek: Snapshot | None) -> bool:
    """Whether it has to be looked into: it has changed since it was last seen."""
    before = peek.session(session.id) if peek else None
    return before is None or (before.updated_ms != session.updated_ms and not before.unfinished)
