"""Whether a server still has the shape that the readers know. Pure.

A reader that meets another shape may misread it and report a health that isn't there. Two things are held
against what was reviewed: the part of the OpenAPI document that wedged reads (`api_shape`), and the columns
of the tables that it reads (`wedged.observe.database.schema`).
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wedged.errors import EvidenceError
from wedged.evidence.files import read
from wedged.facts.server import Line

SHAPES = "drift.json"

_V1 = {
    "/global/health": ("get",),
    "/path": ("get",),
    "/session": ("get", "post"),
    "/session/status": ("get",),
    "/session/{}": ("get",),
    "/session/{}/message": ("get",),
    "/session/{}/children": ("get",),
    "/session/{}/prompt_async": ("post",),
    "/session/{}/abort": ("post",),
    "/session/{}/message/{}/part/{}": ("patch",),
    "/permission": ("get",),
    "/permission/{}/reply": ("post",),
    "/question": ("get",),
    "/question/{}/reply": ("post",),
    "/question/{}/reject": ("post",),
}
_V2 = {
    "/api/session": ("get", "post"),
    "/api/session/active": ("get",),
    "/api/session/{}": ("get",),
    "/api/session/{}/message": ("get",),
    "/api/session/{}/prompt": ("post",),
    "/api/session/{}/interrupt": ("post",),
    "/api/session/{}/permission": ("get",),
    "/api/session/{}/permission/{}/reply": ("post",),
    "/api/session/{}/form": ("get",),
    "/api/permission/request": ("get",),
    "/api/shell": ("get",),
    "/api/shell/{}": ("delete",),
}
READ: Mapping[Line, Mapping[str, tuple[str, ...]]] = {
    Line.V1: _V1,
    Line.V2_PREVIEW: _V2,
    Line.V2_RELEASED: _V2,
}
# How deep an answer's fields are looked at: a list's items and what they hold, where readers look.
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """What one server showed. `api` and `schema` are fingerprints (hex), "" where there is none; `missing`
    are operations that wedged uses and the document does not have; `problem` is one sentence where a reader
    refused."""

    server: str
    line: str
    api: str
    schema: str = ""
    missing: tuple[str, ...] = ()
    problem: str = ""


def api_shape(document: Mapping[str, object], line: Line) -> tuple[str, tuple[str, ...]]:
    """The fingerprint of the operations that wedged uses on this line, and those of them that are missing.

    It is of parameters, and of the names and types of what goes in and comes out, not of words: a reworded
    description changes nothing.
    """
    paths = _mapping(document.get("paths"))
    plain = {_anonymous(path): _mapping(operations) for path, operations in paths.items()}
    shapes: dict[str, object] = {}
    missing: list[str] = []
    for path, methods in READ[line].items():
        for method in methods:
            name = f"{method.upper()} {path}"
            operation = _mapping(plain.get(path, {}).get(method))
            if operation:
                shapes[name] = _operation(operation, document)
            else:
                missing.append(name)
    text = json.dumps(shapes, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest(), tuple(missing)


def encode_shapes(shapes: Iterable[Shape]) -> bytes:
    """The file of a night's looks."""
    return msgspec.json.format(msgspec.json.encode(list(shapes)), indent=1) + b"\n"


def looked_at(path: Path) -> tuple[Shape, ...]:
    """The shapes in a night's file; none where there is no such file.

    Raises:
        EvidenceError: it is no such file.
    """
    if not path.exists():
        return ()
    try:
        return tuple(msgspec.json.decode(read(path), type=list[Shape]))
    except msgspec.MsgspecError as error:
        raise EvidenceError(f"{path.name} holds no shapes of servers: {error}") from None


def drifted(shapes: Iterable[Shape], known: Iterable[Shape]) -> dict[str, str]:
    """For each server of another shape than any reviewed one of its line: the sentence that says what is new.

    A line of which nothing was reviewed has no known shape, so every server of it drifts.
    """
    reviewed = list(known)
    found: dict[str, str] = {}
    for shape in shapes:
        same = [one for one in reviewed if one.line == shape.line]
        news = [shape.problem] if shape.problem else []
        missed = {name for one in same for name in one.missing}
        gone = [name for name in shape.missing if name not in missed]
        if gone:
            news.append(f"its API has no {', '.join(gone)} any more")
        elif shape.api not in {one.api for one in same}:
            news.append("the part of its API that wedged reads has another shape")
        if shape.schema not in {one.schema for one in same}:
            news.append("its database has other columns")
        if news:
            found[shape.server] = f"{'; '.join(news)}: not reviewed, so its verdicts are unknown"
    return found


def _operation(operation: Mapping[str, object], document: Mapping[str, object]) -> object:
    listed = operation.get("parameters")
    parameters = sorted(str(_mapping(one).get("name")) for one in listed) if isinstance(listed, list) else []
    responses = {
        status: _content(answer, document)
        for status, answer in _mapping(operation.get("responses")).items()
        if status.startswith("2")
    }
    return {
        "parameters": parameters,
        "body": _content(operation.get("requestBody"), document),
        "to": responses,
    }


def _content(holder: object, document: Mapping[str, object]) -> object:
    content = _mapping(_mapping(_resolved(holder, document)).get("content"))
    schema = _mapping(content.get("application/json")).get("schema")
    return _fields(schema, document, _DEPTH)


def _fields(schema: object, document: Mapping[str, object], depth: int) -> object:
    """Names and types, `depth` levels down."""
    found = _mapping(_resolved(schema, document))
    if not found or not depth:
        return found.get("type", "…" if found else None)
    if "items" in found:
        return [_fields(found["items"], document, depth)]
    for many in ("anyOf", "oneOf", "allOf"):
        if isinstance(options := found.get(many), list):
            return {many: sorted((_fields(one, document, depth) for one in options), key=json.dumps)}
    properties = _mapping(found.get("properties"))
    if properties:
        return {name: _fields(one, document, depth - 1) for name, one in properties.items()}
    return found.get("type")


def _resolved(schema: object, document: Mapping[str, object]) -> object:
    for _ in range(8):  # references to references; a circle ends here
        name = _mapping(schema).get("$ref")
        if not isinstance(name, str):
            break
        parts = name.removeprefix("#/").split("/")
        schema = document
        for part in parts:
            schema = _mapping(schema).get(part)
    return schema


def _anonymous(path: str) -> str:
    return "/".join("{}" if part.startswith("{") else part for part in path.split("/"))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
