"""The two rosters of one look. Pure."""

from wedged.facts.lineage import parents
from wedged.facts.process import Shell
from wedged.facts.session import SessionFacts
from wedged.facts.snapshot import Snapshot
from wedged.roster.entries import Entry, EntryKind, Roster

_RUNNING = "running"


def naive(look: Snapshot) -> Roster:
    """Who is active: each turn that runs, a sub-agent's too, until it settles. Background shells are not
    pending work to it, and a sub-agent's own shell is lost as soon as the sub-agent's turn is over."""
    return Roster(_turns(look), look.taken_ms, look.gaps)


def right(look: Snapshot) -> Roster:
    """The same, and every shell that the server lists as running in any location, joined to the session that
    owns it and to that session's parents."""
    running = [shell for shell in look.shells if shell.status == _RUNNING]
    running.sort(key=lambda shell: (shell.started_ms or 0, shell.id))
    shells = tuple(_shell(shell, look) for shell in running)
    return Roster(_turns(look) + shells, look.taken_ms, look.gaps)


def _turns(look: Snapshot) -> tuple[Entry, ...]:
    return tuple(_turn(session, look) for session in look.sessions if session.works)


def _turn(session: SessionFacts, look: Snapshot) -> Entry:
    kind = EntryKind.SUBAGENT if session.parent_id else EntryKind.TURN
    above = parents(session.id, look)
    return Entry(session.id, kind, session.id, session.directory, above, session.title)


def _shell(shell: Shell, look: Snapshot) -> Entry:
    return Entry(
        id=shell.id,
        kind=EntryKind.SHELL,
        session_id=shell.session_id,
        directory=shell.directory,
        above=parents(shell.session_id, look),
        words=shell.command,
        since_ms=shell.started_ms,
        pid=shell.pid,
    )
