"""Who a session works for."""

from wedged.facts.snapshot import Snapshot


def parents(session_id: str, look: Snapshot) -> tuple[str, ...]:
    """The sessions above one, nearest first. A server's word may be a circle, which ends it."""
    found: list[str] = []
    session = look.session(session_id)
    while session and session.parent_id and session.parent_id not in (session_id, *found):
        found.append(session.parent_id)
        session = look.session(session.parent_id)
    return tuple(found)
