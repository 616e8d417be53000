"""V1's requests about a call that no runner will ever end. Pure."""

from wedged.client.v1 import routes
from wedged.errors import Refused
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.session import ToolPart

ACTIONS = (Action.SETTLE_PART, Action.DELETE_PART, Action.DELETE_MESSAGE)

# What the model reads in the place of the call's result.
SETTLED = "Tool execution interrupted: the server ended while this call ran"


def request(action: Action, target: Target) -> Request:
    """The request for one of `ACTIONS`.

    Raises:
        Refused: the target names no unfinished call.
    """
    part = target.part
    if part is None or not part.id or not part.message_id:
        raise Refused(f"{action.value} needs the call")
    session = target.session_id
    if action is Action.DELETE_MESSAGE:
        path = routes.message(session, part.message_id)
        return Request("DELETE", routes.scoped(path, target.directory))
    path = routes.scoped(routes.part(session, part.message_id, part.id), target.directory)
    if action is Action.DELETE_PART:
        return Request("DELETE", path)
    if part.status.terminal or not part.wire:
        raise Refused(f"call {part.call_id} is {part.status}: there is nothing to settle")
    return Request("PATCH", path, settled(part, target.at_ms))


def settled(part: ToolPart, at_ms: int) -> dict[str, object]:
    """The whole part, its state an error. The server takes no less than the whole.

    A model that is given an interrupted call with ``metadata.output`` reads that output and nothing else, so
    the output moves into the error's text: then the model learns both.
    """
    state = _mapping(part.wire.get("state"))
    metadata = dict(_mapping(state.get("metadata")))
    output = metadata.pop("output", "")
    error = SETTLED + (f". Its output until then:\n{output}" if isinstance(output, str) and output else "")
    start = part.start_ms if part.start_ms is not None else at_ms
    new: dict[str, object] = {
        "status": "error",
        "input": _mapping(state.get("input")),
        "error": error,
        "metadata": metadata | {"interrupted": True},
        "time": {"start": start, "end": max(start, at_ms)},
    }
    return part.wire | {"state": new}


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
