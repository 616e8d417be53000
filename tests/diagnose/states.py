"""Looks made of what a real server said in many states: see the sample's own "about"."""

import json
from pathlib import Path
from typing import Any, Literal

import msgspec

from wedged.client.v1 import decode
from wedged.facts.process import ProcessFacts, Tree
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Scope, Snapshot, Window

SAMPLE: dict[str, Any] = json.loads(
    (Path(__file__).parent / "samples" / "v1-1.17.18-states.json").read_text(encoding="utf-8")
)
DIRECTORY = "/home/project"
STATES = tuple(SAMPLE["one"]["sessions"])
Tag = Literal["one", "two"]


def session_id(state: str) -> str:
    """The id of the session that was in this state."""
    found: str = SAMPLE["one"]["sessions"][state]["id"]
    return found


def snapshot(tag: Tag, *states: str, tree: bool = True) -> Snapshot:
    """One look at the sessions of these states and of no others."""
    look = SAMPLE[tag]
    asks = []
    for state in states:
        seen = look["sessions"][state]
        asks += [
            decode.permission(_read(p, decode.Permission), DIRECTORY, "GET /permission")
            for p in seen["permission"]
        ]
        asks += [
            decode.question(_read(q, decode.Question), DIRECTORY, "GET /question") for q in seen["question"]
        ]
    below = tuple(
        ProcessFacts(p["pid"], p["parent"], 0.0, p["name"], tuple(p["argv"])) for p in look["processes"]
    )
    server = ProcessFacts(1, 0, 0.0, "opencode", ("opencode", "serve"))
    return Snapshot(
        taken_ms=look["taken_ms"],
        source="http://127.0.0.1:4096",
        identity=ServerIdentity(Line.V1, "1.17.18"),
        scopes=(Scope(DIRECTORY, ("GET /permission",)),),
        sessions=tuple(_session(look["sessions"][state]) for state in states),
        asks=tuple(asks),
        processes=Tree(server, below, look["connections_out"]) if tree else None,
    )


def window(*states: str, tree: bool = True, looks: int = 2) -> Window:
    """Two looks some three seconds apart, or the second one alone."""
    latest = snapshot("two", *states, tree=tree)
    return Window(latest, snapshot("one", *states, tree=tree) if looks == 2 else None)


def _session(seen: dict[str, Any]) -> SessionFacts:
    messages = _read(seen["messages"], list[decode.Message])
    status = _read(seen["status"], decode.SessionStatus) if seen["status"] else None
    return SessionFacts(
        id=seen["id"],
        directory=DIRECTORY,
        status=decode.status(status) if status else Status.IDLE,
        parent_id=seen["parent"],
        parts=decode.tool_parts(messages),
        message_count=len(messages),
        answers=decode.answers(messages),
        newest=decode.newest(messages),
        retry=decode.retry(status),
    )


def _read(tree: object, shape: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(tree), type=shape)
