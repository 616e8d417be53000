"""Stop, as a user means it: nothing of this session runs any more, its sub-agents' shells included."""

from dataclasses import dataclass

from wedged.client.protocols import Actor, Reader
from wedged.errors import CannotLook, ServerSaidNo
from wedged.facts.recovery import Action, Target
from wedged.roster.entries import Entry, EntryKind
from wedged.roster.kinds import right
from wedged.roster.reading import read_work
from wedged.waiting import wait_until

_GONE = 404


@dataclass(frozen=True, slots=True)
class Stopped:
    """What was done: the shells that were ended, the sessions of which a turn was interrupted, and what
    still ran at the deadline (nothing, if it worked)."""

    shells: tuple[str, ...]
    interrupted: tuple[str, ...]
    left: tuple[Entry, ...] = ()


def stop(reader: Reader, actor: Actor, session_id: str, seconds: float = 10.0) -> Stopped:
    """Interrupt the turns of the session and its sub-agents, and end their shells, until none is left.

    The server's own interrupt leaves background shells running. Ending one wakes its session: the server
    writes a message to it and starts a turn, which is interrupted in its turn; one model request may have
    been sent by then.

    Raises:
        CannotLook: the server can't be read, or refuses; something may still run.
    """
    shells: list[str] = []
    interrupted: list[str] = []
    left: tuple[Entry, ...] = ()

    def nothing_left() -> bool:
        nonlocal left
        look = read_work(reader)
        if look.gaps:
            raise CannotLook(f"{look.gaps[0].what}: {look.gaps[0].why}")
        left = right(look).of(session_id)
        for entry in left:
            # Turns first: a turn that goes on could start another shell.
            if entry.kind is not EntryKind.SHELL:
                actor.abort(entry.session_id, entry.directory)
                interrupted.append(entry.session_id)
        shells.extend(entry.id for entry in left if entry.kind is EntryKind.SHELL and _end(actor, entry))
        return not left

    wait_until(nothing_left, seconds, every=0.05)
    return Stopped(tuple(shells), tuple(dict.fromkeys(interrupted)), left)


def _end(actor: Actor, shell: Entry) -> bool:
    target = Target(shell.session_id, shell.directory, shell_id=shell.id)
    try:
        actor.send(actor.request(Action.END_SHELL, target))
    except ServerSaidNo as error:
        if error.status != _GONE:
            raise
        return False  # it ended by itself meanwhile
    return True
