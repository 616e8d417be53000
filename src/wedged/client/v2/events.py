"""V2's event stream: ``GET /api/event``, one JSON document an event. Pure decoding."""

from wedged.facts.trial import Lane

ROUTE = "/api/event"

_EXECUTION = "session.execution."
_TOOL = "session.tool."
# What each of a call's events says of its state; the others (deltas, progress) change none.
_STATES = {"input.started": "streaming", "called": "running", "success": "completed", "failed": "error"}


def decode_event(document: object) -> tuple[Lane, str, str, dict[str, object]] | None:
    """Lane, kind, session id and data of one event; None for what is not an event.

    A turn's events are statuses (``busy``, ``idle``) with the event's own name, reason and error beside them.
    A call's events are states of a tool part; only the first of them names the tool. Names, ids, states and
    the server's own error texts are kept; prompts, inputs and outputs are not.
    """
    if not isinstance(document, dict) or not isinstance(document.get("type"), str):
        return None
    kind: str = document["type"]
    data = _mapping(document.get("data"))
    form, info = _mapping(data.get("form")), _mapping(data.get("info"))
    metadata = _mapping(info.get("metadata"))
    session = _text(data, "sessionID") or _text(form, "sessionID") or _text(metadata, "sessionID")
    if kind.startswith(_EXECUTION):
        started = kind.endswith(".started")
        status: dict[str, object] = {"event": kind} | _only(data, "reason") | _error(data)
        return Lane.STATUS, "busy" if started else "idle", session, status
    if kind.startswith(_TOOL):
        return _tool(kind, session, data)
    if kind.startswith(("permission.", "form.", "question.")):
        source = _mapping(data.get("source")) or _mapping(data.get("tool"))
        source = source or _mapping(_mapping(form.get("metadata")).get("tool"))
        ask = _text(data, "requestID") or _text(data, "id") or _text(form, "id")
        asked: dict[str, object] = {"ask": ask, "call": _call(source)}
        return Lane.ASK, kind, session, asked | _only(data, "action", "resources", "reply")
    if kind.startswith("shell."):
        shell = _text(info, "id") or _text(data, "id")
        what = _only(info, "status", "pid") if info else _only(data, "status", "exit")
        return Lane.EVENT, kind, session, {"shell": shell} | what
    if kind == "location.shutdown":
        return Lane.EVENT, kind, session, _only(_mapping(document.get("location")), "directory")
    return Lane.EVENT, kind, session, _error(data) | _only(data, "reason", "attempt", "at", "finish")


def _tool(kind: str, session: str, data: dict[str, object]) -> tuple[Lane, str, str, dict[str, object]]:
    call: dict[str, object] = {"call": _call(data)}
    state = _STATES.get(kind.removeprefix(_TOOL))
    if state is None:
        shell = _text(_mapping(data.get("metadata")), "shellID")
        return Lane.EVENT, kind, session, call | ({"shell": shell} if shell else {})
    part = {"part": _call(data)} | call | {"tool": _text(data, "name"), "event": kind}
    return Lane.PART, state, session, part | _error(data)


def _call(mapping: dict[str, object]) -> str:
    """A call's id: ``callID`` on the preview, ``id`` since the release."""
    return _text(mapping, "callID") or _text(mapping, "id")


def _error(data: dict[str, object]) -> dict[str, object]:
    error = _mapping(data.get("error"))
    return {"error": _only(error, "type", "message")} if error else {}


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _text(mapping: dict[str, object], key: str) -> str:
    value = mapping.get(key)
    return value if isinstance(value, str) else ""


def _only(mapping: dict[str, object], *keys: str) -> dict[str, object]:
    return {key: mapping[key] for key in keys if key in mapping}
