"""What differs between the V2 servers, read from the API document that each of them serves. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from wedged.errors import UnknownDialect
from wedged.facts.server import Line

_PROMPT = "/api/session/{sessionID}/prompt"
_ACTIVE = "/api/session/active"
_REPLY = "/api/session/{sessionID}/permission/{requestID}/reply"
_FORM = "/api/session/{sessionID}/form/{formID}"
_FORM_LISTS = ("/api/form", "/api/form/request")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The differences, each named by what it is for.

    `reply_key` names the decision in a reply to a permission. `forms` lists a location's forms; `cancel` is
    the method that dismisses one (with POST at a path of its own), and `cancel_message` says whether words go
    with it. `questions` says whether the preview's separate questions are listed, `titled` whether a session
    gets its title when it is created, `locations` whether the server lists what it has loaded.
    """

    line: Line
    reply_key: Literal["reply", "decision"]
    forms: str
    cancel: Literal["POST", "DELETE"]
    cancel_message: bool = False
    questions: bool = False
    titled: bool = False
    locations: bool = False


def read_dialect(line: Line, document: Mapping[str, object]) -> Dialect:
    """The dialect that an OpenAPI document describes.

    Raises:
        UnknownDialect: it lacks something that every V2 server seen or published has.
    """
    paths = _mapping(document.get("paths"))
    missing = [path for path in (_ACTIVE, _PROMPT, _REPLY) if path not in paths]
    reply = _body(_operation(paths, _REPLY, "post"), document)
    keys = [key for key in ("decision", "reply") if key in _mapping(reply.get("properties"))]
    forms = next((path for path in _FORM_LISTS if "get" in _mapping(paths.get(path))), "")
    one_form = _mapping(paths.get(_FORM))
    can_cancel = "delete" in one_form or f"{_FORM}/cancel" in paths
    if missing or len(keys) != 1 or not forms or not can_cancel:
        what = missing[0] if missing else "how an ask is answered"
        raise UnknownDialect(f"the server's API document does not say what V2's says (no {what})")
    create = _body(_operation(paths, "/api/session", "post"), document)
    return Dialect(
        line=line,
        reply_key="decision" if keys == ["decision"] else "reply",
        forms=forms,
        cancel="DELETE" if "delete" in one_form else "POST",
        cancel_message="message" in _parameters(_mapping(one_form.get("delete"))),
        questions="/api/question/request" in paths,
        titled="title" in _mapping(create.get("properties")),
        locations="get" in _mapping(paths.get("/api/debug/location")),
    )


def _operation(paths: Mapping[str, object], path: str, method: str) -> Mapping[str, object]:
    return _mapping(_mapping(paths.get(path)).get(method))


def _parameters(operation: Mapping[str, object]) -> set[object]:
    listed = operation.get("parameters")
    return {_mapping(one).get("name") for one in listed} if isinstance(listed, list) else set()


def _body(operation: Mapping[str, object], document: Mapping[str, object]) -> Mapping[str, object]:
    """The schema of an operation's JSON body, one reference followed."""
    content = _mapping(_mapping(operation.get("requestBody")).get("content"))
    schema = _mapping(_mapping(content.get("application/json")).get("schema"))
    name = schema.get("$ref")
    if isinstance(name, str):
        known = _mapping(_mapping(document.get("components")).get("schemas"))
        schema = _mapping(known.get(name.rpartition("/")[2]))
    return schema


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
