"""Whether a step has had the effect that its `confirms` promises. Pure."""

from collections.abc import Collection
from dataclasses import dataclass

from wedged.facts.ask import Ask
from wedged.facts.process import Shell
from wedged.facts.recovery import Action, Target
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart

_OF_ASKS = (Action.REPLY_REJECT, Action.REPLY_REJECT_MESSAGE, Action.DISMISS_LEFTOVER, Action.LIST_ASKS)
_ENDS_TURN = (Action.REPLY_REJECT, Action.REPLY_REJECT_MESSAGE, Action.ABORT)


@dataclass(frozen=True, slots=True)
class Afterwards:
    """A session and its directory's lists as they are some time after a step."""

    session: SessionFacts
    asks: Collection[Ask]
    shells: Collection[Shell]


def missing(action: Action, target: Target, seen: Afterwards) -> str:
    """What is not yet as the step promises, as one clause; "" where all of it is.

    The end of a process is confirmed by whoever ends it.
    """
    session = seen.session
    if action in _OF_ASKS and any(ask.id == target.ask_id for ask in seen.asks):
        return f"{target.ask_id} is listed still"
    if action in _ENDS_TURN and session.status is not Status.IDLE:
        return f"the session is {session.status} still"
    if action is Action.ASK_STATUS and not session.works:
        return f"the session is {session.status}"
    if action is Action.END_SHELL and any(shell.id == target.shell_id for shell in seen.shells):
        return f"{target.shell_id} is listed still"
    if action is Action.DELETE_MESSAGE and target.part and _of_message(target.part, session):
        return f"message {target.part.message_id} is there still"
    if action is Action.PROMPT and not _unfinished(target.part) and session.status is not Status.IDLE:
        return f"the turn that the prompt began is {session.status} still"
    return _of_part(action, target.part, session) if target.part else ""


def _of_part(action: Action, part: ToolPart, session: SessionFacts) -> str:
    now = next((one for one in session.parts if one.id == part.id), None)
    if action is Action.DELETE_PART:
        return f"call {part.call_id} is there still" if now else ""
    if action is Action.SETTLE_PART and (now is None or now.status is not PartStatus.ERROR):
        return f"call {part.call_id} is {now.status if now else 'gone'}, not error"
    if action in (Action.PROMPT, Action.ABORT) and now is not None and not now.status.terminal:
        return f"call {part.call_id} is {now.status} still"
    return ""


def _unfinished(part: ToolPart | None) -> bool:
    """Whether a prompt is there to end this call; else it is there for the turn that it begins."""
    return part is not None and not part.status.terminal


def _of_message(part: ToolPart, session: SessionFacts) -> bool:
    return any(one.message_id == part.message_id for one in session.parts)
