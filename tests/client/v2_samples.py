"""What real V2 servers answered, recorded and normalised, and a server that answers it again."""

import json
import socket
import threading
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from wedged.client.v2.dialect import Dialect, read_dialect
from wedged.facts.server import Line

from .raw_server import Answer, http

SAMPLES = Path(__file__).parent / "samples"
LINES = {"0.0.0-next-16350": Line.V2_PREVIEW, "2.0.15": Line.V2_RELEASED}
VERSIONS = tuple(LINES)
T = TypeVar("T")


def sample(version: str) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads((SAMPLES / f"v2-{version}.json").read_text())
    return tree


def dialect(version: str) -> Dialect:
    return read_dialect(LINES[version], sample(version)["openapi"])


def read(tree: object, shape: type[T]) -> T:
    return msgspec.json.decode(msgspec.json.encode(tree), type=shape)


def answering(answers: dict[str, object]) -> Answer:
    """Answers each path, without its query, with one JSON document; 404 for the rest."""

    def answer(head: str, connection: socket.socket, over: threading.Event) -> None:
        path = head.split()[1].partition("?")[0]
        known = path in answers
        body = json.dumps(answers[path]) if known else ""
        connection.sendall(http(body, status="200 OK" if known else "404 Not Found"))

    return answer


def wedged_server(version: str) -> dict[str, object]:
    """The answers of a server that holds a session in an ask, and another in a question."""
    seen = sample(version)
    wedged = seen["wedged"]["data"]["id"]
    form = seen["forms"]["data"][0]
    released = LINES[version] is Line.V2_RELEASED
    return {
        "/api/info" if released else "/api/health": seen["health"],
        "/openapi.json": seen["openapi"],
        "/api/location": seen["location"],
        "/api/debug/location": seen["loaded"],
        "/api/session": seen["sessions"],
        "/api/session/active": seen["active"],
        f"/api/session/{wedged}": seen["wedged"],
        f"/api/session/{wedged}/message": seen["wedged_messages"],
        f"/api/session/{wedged}/permission": seen["own_permissions"],
        f"/api/session/{wedged}/form": {"data": []},
        f"/api/session/{form['sessionID']}/permission": {"data": []},
        f"/api/session/{form['sessionID']}/form": {"data": [form]},
        f"/api/session/{form['sessionID']}/form/{form['id']}": seen["form"],
        "/api/permission/request": seen["permissions"],
        "/api/form" if released else "/api/form/request": seen["forms"],
        "/api/question/request": {"data": []},
        "/api/shell": seen["shells"],
    }
