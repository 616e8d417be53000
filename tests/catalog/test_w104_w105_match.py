"""Leftovers and sub-agents' asks: each ask is reported by exactly one class."""

from dataclasses import replace

import pytest

from wedged.catalog import CLASSES, by_code
from wedged.facts.ask import Ask, AskKind
from wedged.facts.finding import Confidence, Finding, FindingStatus
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Origin, Snapshot, Window

NOW = 1_800_000_000_000
HERE = "/project"
PART = ToolPart("prt", "call", "msg", "ses", "write", PartStatus.RUNNING, {}, start_ms=NOW - 120_000)
ENDED = replace(PART, status=PartStatus.ERROR)
SESSION = SessionFacts("ses", HERE, Status.BUSY, parts=(PART,))
CHILD = replace(SESSION, parent_id="above")
ORDER = ToolPart("prt_0", "order", "msg_0", "above", "task", PartStatus.RUNNING, {}, start_ms=NOW - 130_000)
PARENT = SessionFacts("above", HERE, Status.BUSY, parts=(ORDER,))
ASK = Ask(
    "per_x", AskKind.PERMISSION, "ses", "write", (), "call", "msg", HERE, listed_by=("GET /permission",)
)


def look(*sessions: SessionFacts, ask: Ask = ASK, **state: object) -> Snapshot:
    seen = Snapshot(NOW, "http://x", ServerIdentity(Line.V1, "1.18.34"), sessions=sessions, asks=(ask,))
    return replace(seen, **state)  # type: ignore[arg-type]


def findings(seen: Snapshot, grace: float = 60) -> list[Finding]:
    return [finding for one in CLASSES for finding in one.match(Window(seen), grace).findings]


@pytest.mark.parametrize(
    ("sessions", "code", "variant"),
    [
        ((SESSION,), "W101", "rule"),
        ((replace(SESSION, status=Status.IDLE, parts=(ENDED,)),), "W104", "after-the-turn"),
        ((replace(SESSION, parts=(ENDED,)),), "W104", "beside-a-turn"),
        ((CHILD, PARENT), "W105", "parent-waits"),
        ((CHILD,), "W105", "parent-waits"),
        ((CHILD, replace(PARENT, status=Status.IDLE, parts=())), "W105", "parent-idle"),
        ((replace(CHILD, status=Status.IDLE, parts=(ENDED,)), PARENT), "W104", "after-the-turn"),
    ],
)
def test_one_ask_is_one_finding(sessions: tuple[SessionFacts, ...], code: str, variant: str) -> None:
    (finding,) = findings(look(*sessions))
    assert (finding.code, finding.variant) == (code, variant)
    assert (finding.session, finding.subject.kind, finding.subject.id) == ("ses", "ask", "per_x")
    assert finding.confidence is Confidence.HIGH


def test_a_leftover_is_a_notice_that_warns_of_the_approval() -> None:
    (finding,) = findings(look(replace(SESSION, status=Status.IDLE, parts=(ENDED,))))
    assert finding.status is FindingStatus.NOTICE
    assert any("approving it can run its call" in line for line in finding.evidence)
    assert any("its call call (write) is error" in line for line in finding.evidence)


def test_a_leftover_whose_call_was_never_stored() -> None:
    (finding,) = findings(look(replace(SESSION, status=Status.IDLE, parts=())))
    assert finding.code == "W104"
    assert "nothing waits for it: its session is idle" in finding.evidence


def test_what_is_not_known_is_no_leftover() -> None:
    unknown = replace(SESSION, status=Status.UNKNOWN, parts=())
    assert findings(look(unknown)) == []
    assert findings(look()) == []


def test_a_file_shows_no_asks() -> None:
    idle = replace(SESSION, status=Status.IDLE, parts=(ENDED,))
    match = by_code("W104").match(Window(look(idle, origin=Origin.DATABASE)), 0)
    assert (match.findings, match.considered) == ((), ())


def test_a_sub_agents_ask_names_the_parent_that_waits() -> None:
    (finding,) = findings(look(CHILD, PARENT))
    assert finding.status is FindingStatus.WAITING_ON_YOU
    assert any("above waits for it, its part order is running" in line for line in finding.evidence)
    (idle,) = findings(look(CHILD, replace(PARENT, status=Status.IDLE, parts=())))
    assert any("above is idle" in line for line in idle.evidence)


def test_a_young_ask_of_a_sub_agent_is_no_finding_yet() -> None:
    born = replace(ASK, id="per_2276041bc001q4W5JN3Rmg1FJy")
    seen = look(CHILD, PARENT, ask=born, taken_ms=1_795_956_949_436 + 5_000)
    assert findings(seen) == []
    considered = by_code("W105").match(Window(seen), 60).considered
    assert ["within the grace of 60 s" in one.why_not for one in considered] == [True]
