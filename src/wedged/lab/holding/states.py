"""What is wrong in each held state, and how a client that is right about it shows it. Data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wedged.facts.server import Line

_V2_HAS_ONE_LIST = "its list of active sessions is one for all directories"


@dataclass(frozen=True, slots=True)
class HeldState:
    """`wrong` is what is so on the server, `right_client_shows` what a person should get to see of it.

    `server` is a server on which the state is known to be had. `not_on` says of a line why it can't be had
    there, where no route of the server's shows that.
    """

    wrong: str
    right_client_shows: str
    server: str
    not_on: Mapping[Line, str] = field(default_factory=dict)


HELD_STATES: Mapping[str, HeldState] = {
    "W001": HeldState(
        "The session works in another directory than the server's own. GET /session/status without that "
        "directory is empty, and so is the list of asks: it looks finished, with a call that runs.",
        "The session as working. Statuses and asks are read with ?directory= of the session, and nothing "
        "is settled, deleted or reported as stuck.",
        "v1@1.17.18",
        {Line.V2_PREVIEW: _V2_HAS_ONE_LIST, Line.V2_RELEASED: _V2_HAS_ONE_LIST},
    ),
    "W002": HeldState(
        "Another server on the same database runs the session's call. This one lists the call as running "
        "and names the session in no list of work: it looks like a call that a crash has left.",
        "That the call may run elsewhere. It is left alone: no part is written or deleted, and no prompt "
        "is sent to the session through this server.",
        "v1@1.17.18",
    ),
    "W101": HeldState(
        "A call wants a path outside the project. The server asks, and the turn waits for the answer "
        "without any limit: the session is busy, and nothing moves.",
        "The session as waiting for a person, with the ask: what it is about, and the ways to answer. "
        "Found in the list of asks, since it was asked before the client came and no event tells of it.",
        "v1@1.17.18",
    ),
    "W102": HeldState(
        "The session's ask went with its instance or location. No event said so, and every reply is 404.",
        "No dialog for it. One 404 ends the dialog, the list of asks says which ones there are, and "
        "nothing is tried again.",
        "v1@1.17.18",
    ),
    "W103": HeldState(
        "A person declined the session's call, and the server wrote the turn down as cut off by a "
        "shutdown. On 2.x it stays marked, and the next start of the shared service resumes it.",
        "The turn as declined, not as cut off; and that it may come back after a restart. A client "
        "declines with a message, which lets the turn end by itself.",
        "v2@2.0.15",
    ),
    "W104": HeldState(
        "The turn was aborted and is over; its ask is still in the list. Approving it still runs the call.",
        "The session as idle, and the ask as left over: it can be dismissed, and is never offered for "
        "approval.",
        "v1@1.17.18",
    ),
    "W105": HeldState(
        "A sub-agent of the session waits for a person. The session itself is busy and has no ask of its "
        "own.",
        "The parent as waiting, with its sub-agent's ask, and the ways to answer it.",
        "v1@1.17.18",
    ),
    "W201": HeldState(
        "The server was killed while a call ran, and started again. The call is stored as running, and "
        "nobody runs it.",
        "The session as idle, and the call as cut off: no spinner, and no waiting for it. What settles it"
        " is offered only after the session's own status was read.",
        "v1@1.17.18",
    ),
    "W203": HeldState(
        "The server was killed while a command ran, and started again. The command goes on, and no list "
        "of the server's has it.",
        "That a command of the session may still run on the machine; a second one is not started beside "
        "it unasked.",
        "v1@1.17.18",
    ),
    "W301": HeldState(
        "The turn is over and the session in no list of active ones, while a background shell of it runs on.",
        "The session as having work in the background, with the shell's command; stop ends the shell too,"
        " and a restart is warned about. Found in GET /api/shell with the session's location.",
        "v2@2.0.15",
    ),
}
