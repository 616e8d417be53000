"""W101's matcher on every combination of ask, session and call."""

from dataclasses import replace

import pytest

from wedged.catalog import by_code
from wedged.facts.ask import Ask, AskKind, born_ms
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Finding, FindingStatus
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Snapshot, Window

# This id was made by a real server at this time.
ASK_ID, BORN = "per_2276041bc001q4W5JN3Rmg1FJy", 1795956949436
ASK = Ask(
    id=ASK_ID,
    kind=AskKind.PERMISSION,
    session_id="ses_1",
    action="external_directory",
    resources=("/outside/*",),
    call_id="call_1",
    message_id="msg_1",
    directory="/project",
    command="mkdir -p /outside/secret",
    listed_by=("GET /permission",),
)
PART = ToolPart(
    id="prt_1",
    call_id="call_1",
    message_id="msg_1",
    session_id="ses_1",
    tool="bash",
    status=PartStatus.RUNNING,
    input={},
    start_ms=BORN - 100,
    started=False,
)
SESSION = SessionFacts(id="ses_1", directory="/project", status=Status.BUSY, parts=(PART,), message_count=2)


def match(
    ask: Ask | None = ASK, session: SessionFacts | None = SESSION, *, after_s: float = 120, grace: float = 60
) -> Match:
    look = Snapshot(
        taken_ms=BORN + int(after_s * 1000),
        source="http://x",
        identity=ServerIdentity(Line.V1, "1.18.34"),
        sessions=(session,) if session else (),
        asks=(ask,) if ask else (),
    )
    return by_code("W101").match(Window(look), grace)


def found(made: Match) -> Finding:
    (finding,) = made.findings
    assert made.considered == ()
    return finding


def dismissed(made: Match) -> str:
    assert made.findings == ()
    (considered,) = made.considered
    return considered.why_not


def test_a_call_that_waits_for_its_ask() -> None:
    finding = found(match())
    assert finding.status is FindingStatus.WAITING_ON_YOU
    assert finding.confidence is Confidence.HIGH
    assert (finding.variant, finding.session, finding.directory) == ("external", "ses_1", "/project")
    assert (finding.subject.kind, finding.subject.id, finding.subject.message_id) == ("ask", ASK_ID, "msg_1")
    assert (finding.since_ms, finding.age_s) == (born_ms(ASK_ID, BORN), 120)
    assert finding.id == f"W101:{ASK_ID}"
    assert any("GET /permission" in line and "/outside/*" in line for line in finding.evidence)
    assert not any("secret" in line for line in finding.evidence), "a command is shown only when asked for"


@pytest.mark.parametrize(
    ("ask", "session", "variant"),
    [
        (replace(ASK, action="bash"), SESSION, "rule"),
        (replace(ASK, action="doom_loop"), SESSION, "doom-loop"),
        (replace(ASK, kind=AskKind.QUESTION, action="question"), SESSION, "question"),
    ],
)
def test_variants(ask: Ask, session: SessionFacts, variant: str) -> None:
    assert found(match(ask, session)).variant == variant


def test_a_retrying_session_waits_too() -> None:
    assert found(match(session=replace(SESSION, status=Status.RETRY))).confidence is Confidence.HIGH


def test_what_could_not_be_read_costs_confidence() -> None:
    no_parts = replace(SESSION, parts=(), message_count=0)
    assert found(match(session=no_parts)).confidence is Confidence.MEDIUM
    no_status = replace(SESSION, status=Status.UNKNOWN)
    assert found(match(session=no_status)).confidence is Confidence.MEDIUM
    assert "neither the status" in dismissed(match(session=replace(no_parts, status=Status.UNKNOWN)))
    assert "could not be read" in dismissed(match(session=None))


def test_a_sub_agents_ask_is_not_this() -> None:
    assert "ses_0: W105" in dismissed(match(session=replace(SESSION, parent_id="ses_0")))


def test_a_leftover_ask_is_not_this() -> None:
    assert "a leftover, W104" in dismissed(match(session=replace(SESSION, status=Status.IDLE)))
    for status in (PartStatus.ERROR, PartStatus.COMPLETED):
        ended = replace(SESSION, parts=(replace(PART, status=status),))
        assert f"its call is {status}" in dismissed(match(session=ended))


@pytest.mark.parametrize(
    ("after_s", "grace", "reported"), [(59, 60, False), (60, 60, True), (0, 0, True), (-30, 60, False)]
)
def test_grace(after_s: float, grace: float, reported: bool) -> None:
    made = match(after_s=after_s, grace=grace)
    assert bool(made.findings) is reported
    if not reported:
        assert "within the grace of 60 s" in dismissed(made)


def test_an_id_without_a_birth_falls_back_to_the_call() -> None:
    assert found(match(replace(ASK, id="per_x"))).since_ms == PART.start_ms
    ageless = replace(SESSION, parts=(replace(PART, start_ms=None),))
    finding = found(match(replace(ASK, id="per_x"), ageless, grace=10_000))
    assert (finding.since_ms, finding.age_s) == (None, None)


def test_a_busy_session_without_an_ask_is_only_considered() -> None:
    assert dismissed(match(ask=None)) == "bash unfinished, and no ask is pending"
    assert "no ask is pending" in dismissed(match(ask=None, session=replace(SESSION, parts=())))
    idle = match(ask=None, session=replace(SESSION, status=Status.IDLE))
    assert (idle.findings, idle.considered) == ((), ())
