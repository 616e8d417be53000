"""Which session is whose sub-agent. Pure."""

from collections.abc import Collection

from wedged.facts.lineage import parents
from wedged.facts.session import SessionFacts
from wedged.facts.snapshot import Snapshot

# Sessions that are listed without a reason, newest first.
_NEWEST = 200


def session_tree(look: Snapshot, wanted: Collection[str]) -> dict[str, object]:
    """The sessions of `wanted`, those above and right below them, and the newest others: each after its
    parent, with its `depth`. What a circle of parents keeps from the top comes last."""
    newest = sorted(look.sessions, key=lambda one: -(one.updated_ms or 0))[:_NEWEST]
    shown = {one.id: one for one in newest}
    for one in look.sessions:
        if one.id in wanted or one.parent_id in wanted:
            shown[one.id] = one
            above = (look.session(parent) for parent in parents(one.id, look))
            shown |= {session.id: session for session in above if session is not None}
    below: dict[str, list[SessionFacts]] = {}
    for one in shown.values():
        below.setdefault(one.parent_id if one.parent_id in shown else "", []).append(one)
    rows, placed = [], set()
    left = [(one, 0) for one in reversed(below.get("", []))]
    while left:
        one, depth = left.pop()
        placed.add(one.id)
        rows.append({"depth": depth, **_row(one, look)})
        left += [(child, depth + 1) for child in reversed(below.get(one.id, []))]
    rows += [{"depth": None, **_row(one, look)} for one in shown.values() if one.id not in placed]
    return {"sessions": rows, "listed": len(shown), "seen": len(look.sessions)}


def _row(one: SessionFacts, look: Snapshot) -> dict[str, object]:
    age = None if one.updated_ms is None else round((look.taken_ms - one.updated_ms) / 1000, 1)
    return {
        "id": one.id,
        "parent": one.parent_id,
        "status": one.status.value,
        "directory": one.directory,
        "updated_ago_s": age,
        "messages": one.message_count,
        "unfinished_calls": [
            {"id": part.id, "tool": part.tool, "status": part.status.value} for part in one.unfinished
        ],
        "asks": [ask.id for ask in look.asks if ask.session_id == one.id],
    }
