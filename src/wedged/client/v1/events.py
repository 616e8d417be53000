"""V1's event stream: ``GET /global/event``, one JSON document an event. Pure decoding."""

from wedged.facts.trial import Lane

ROUTE = "/global/event"


def decode_event(document: object) -> tuple[Lane, str, str, dict[str, object]] | None:
    """Lane, kind, session id and data of one event; None for what is not an event.

    The global stream wraps each event as ``{"directory": D, "payload": {"type": T, "properties": P}}``.
    Only names, ids and states are kept; texts (prompts, outputs) are not.
    """
    if not isinstance(document, dict):
        return None
    payload = document.get("payload", document)
    if not isinstance(payload, dict) or not isinstance(payload.get("type"), str):
        return None
    kind: str = payload["type"]
    properties = payload.get("properties")
    body: dict[str, object] = properties if isinstance(properties, dict) else {}
    part, info = _mapping(body.get("part")), _mapping(body.get("info"))
    session = _text(body, "sessionID") or _text(part, "sessionID") or _text(info, "sessionID")
    if not session and kind.startswith("session."):
        session = _text(info, "id")
    if kind == "session.status":
        status = _mapping(body.get("status"))
        return Lane.STATUS, _text(status, "type"), session, _only(status, "attempt", "next", "message")
    if kind == "message.part.updated" and part.get("type") == "tool":
        state = _mapping(part.get("state"))
        data: dict[str, object] = {
            "part": _text(part, "id"),
            "call": _text(part, "callID"),
            "tool": _text(part, "tool"),
        }
        return Lane.PART, _text(state, "status"), session, data
    if kind.startswith(("permission.", "question.")):
        tool = _mapping(body.get("tool"))
        data = {
            "ask": _text(body, "id") or _text(body, "requestID") or _text(body, "permissionID"),
            "call": _text(tool, "callID"),
        }
        data |= _only(body, "permission", "patterns", "reply", "response")
        return Lane.ASK, kind, session, data
    if kind == "server.instance.disposed":
        return Lane.EVENT, kind, session, _only(body, "directory")
    return Lane.EVENT, kind, session, {"part": _text(part, "type")} if part else {}


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _text(mapping: dict[str, object], key: str) -> str:
    value = mapping.get(key)
    return value if isinstance(value, str) else ""


def _only(mapping: dict[str, object], *keys: str) -> dict[str, object]:
    return {key: mapping[key] for key in keys if key in mapping}
