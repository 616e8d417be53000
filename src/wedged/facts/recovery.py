"""Recovery steps as data. What carries them out lives in recover/."""

from dataclasses import dataclass
from enum import StrEnum

from wedged.facts.session import ToolPart


class Action(StrEnum):
    """The closed set of things a step can do."""

    REPLY_ONCE = "reply-once"
    REPLY_REJECT = "reply-reject"
    REPLY_REJECT_MESSAGE = "reply-reject-message"
    ABORT = "abort"
    END_SHELL = "end-shell"
    PROMPT = "prompt"
    SETTLE_PART = "settle-part"
    DELETE_PART = "delete-part"
    DELETE_MESSAGE = "delete-message"
    END_PROCESS = "end-process"
    ASK_STATUS = "ask-status"
    LIST_ASKS = "list-asks"
    DISMISS_LEFTOVER = "dismiss-leftover"

    @property
    def approves(self) -> bool:
        """Whether this lets a command run that a person has not seen. `wedged recover` never does these."""
        return self is Action.REPLY_ONCE


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do.

    `loses` lists what it costs, one sentence each; `leaves` what stays behind afterwards; `confirms` says
    how one sees that it worked. `claim` is the claim that shows it executed: a page names a cure only when
    that claim holds. `message` is what to say where the action says something; a person may word it better.
    `elsewhere` marks what is sent to another server than the one in which the class was found.
    """

    id: str
    action: Action
    sentence: str
    loses: tuple[str, ...]
    confirms: str
    claim: str
    leaves: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    safe_to_automate: bool = False
    message: str = ""
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """The real ids a step is aimed at.

    `part` is the call to be settled or removed, `at_ms` the time of that (the server's wall clock).
    """

    session_id: str
    directory: str
    ask_id: str = ""
    message: str = ""
    shell_id: str = ""
    part: ToolPart | None = None
    at_ms: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """A step as one HTTP request, ready to be sent or printed."""

    method: str
    path: str
    body: dict[str, object] | None = None
