"""What a restart of the server cost, and how the model is told. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from wedged.facts.plain_text import plain
from wedged.roster.entries import Entry, EntryKind, Roster

_LONG = 300
_MANY = 20


@dataclass(frozen=True, slots=True)
class Kept:
    """What the right client keeps in its file: the newest roster, and the work that a restart cancelled and
    that no model has been told of yet."""

    roster: Roster = field(default_factory=Roster)
    cancelled: tuple[Entry, ...] = ()


def restarted(kept: Kept, now: Roster) -> Kept:
    """What is kept after a restart of the server, of which `now` is the first roster.

    Shells and sub-agents that were pending and are not any more were cancelled: the server itself never
    says so. A turn is not background work: whoever prompted sees that it has ended.
    """
    left = {(entry.kind, entry.id) for entry in (*now.entries, *kept.cancelled)}
    lost = tuple(
        entry
        for entry in kept.roster.entries
        if entry.kind is not EntryKind.TURN and (entry.kind, entry.id) not in left
    )
    return Kept(now, (*kept.cancelled, *lost))


def told(kept: Kept, session_id: str) -> Kept:
    """The same without the cancelled work that `recovery_text` names to this session."""
    return replace(kept, cancelled=tuple(one for one in kept.cancelled if not one.concerns(session_id)))


def recovery_text(cancelled: Sequence[Entry], session_id: str) -> str:
    """What goes before the session's next prompt, ending with a blank line; "" where nothing of the session
    or its sub-agents was cancelled.

    It names what no notice will come of. A crashed server can leave a process behind, so it does not say
    that the work has ended.
    """
    mine = [entry for entry in cancelled if entry.concerns(session_id)]
    if not mine:
        return ""
    lines = [f"- {_named(entry, session_id)}" for entry in mine[:_MANY]]
    if len(mine) > _MANY:
        lines.append(f"- and {len(mine) - _MANY} more")
    return (
        "The server restarted. It no longer knows this background work of yours, and no notice of it will "
        "come. Do not wait for it; start it again if it is still needed:\n" + "\n".join(lines) + "\n\n"
    )


def _named(entry: Entry, session_id: str) -> str:
    # Quoted: a command is the model's own text, and may look like anything.
    words = json.dumps(plain(entry.words)[:_LONG], ensure_ascii=False)
    name, owner = plain(entry.id), plain(entry.session_id)
    whose = "" if entry.session_id == session_id else f" of your sub-agent {owner}"
    if entry.kind is EntryKind.SHELL:
        return f"shell {name}{whose}, command {words}"
    return f"sub-agent {owner}, {words}"
