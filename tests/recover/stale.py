"""A session with a call that a crash has left, as one look at a V1 server saw it, and its plans."""

from dataclasses import replace
from typing import Any

from wedged.client.v1.requests import request
from wedged.diagnose import Diagnosis, diagnose
from wedged.facts.process import Holders, ProcessFacts, Stray, Tree
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Scope, Snapshot, Window
from wedged.recover.plan import Plan, plans

NOW = 1_795_967_600_000
BEGAN = NOW - 3_600_000
PART = ToolPart(
    "prt_1",
    "call_1",
    "msg_1",
    "ses_1",
    "bash",
    PartStatus.RUNNING,
    {"command": "sleep 600"},
    start_ms=BEGAN,
    wire={"id": "prt_1", "state": {"status": "running", "input": {"command": "sleep 600"}}},
)
SESSION = SessionFacts("ses_1", "/project", Status.IDLE, parts=(PART,), message_count=2)


def process(pid: int, began_ms: int, *argv: str) -> ProcessFacts:
    return ProcessFacts(pid, 1, began_ms / 1000, "opencode", argv)


SERVER = process(30, BEGAN + 60_000)
OLDER, YOUNGER = process(20, BEGAN - 60_000), process(40, BEGAN + 90_000)
SHELL = process(50, BEGAN + 20, "bash", "-c", "sleep 600")
ORPHAN = Stray(SHELL, None, True)
STALE = Snapshot(
    taken_ms=NOW,
    source="http://127.0.0.1:4096",
    identity=ServerIdentity(Line.V1, "1.18.34"),
    scopes=(Scope("/project"),),
    sessions=(SESSION,),
    processes=Tree(SERVER),
    holders=Holders((SERVER,), held=True, complete=True),
    strays=(),
)


def beside(*others: ProcessFacts, complete: bool = True, **changes: Any) -> Snapshot:
    """The same look with other processes that have the database open."""
    return replace(STALE, holders=Holders((SERVER, *others), held=True, complete=complete), **changes)


def judged(look: Snapshot) -> Diagnosis:
    return diagnose(Window(look), 0, request=request)


def planned(look: Snapshot, code: str = "") -> tuple[Plan, ...]:
    return plans(judged(look), "ses_1", code)
