"""W103's matcher on what a server and a database show of declined turns, and of what resembles them."""

from dataclasses import replace

import pytest

from wedged.catalog.w103_decline_as_shutdown import CLASS
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Finding, FindingStatus
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import MessageFacts, PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Origin, Snapshot, Window

NOW = 1795967563695
PART = ToolPart(
    id="call_1",
    call_id="call_1",
    message_id="msg_2",
    session_id="ses_1",
    tool="shell",
    status=PartStatus.ERROR,
    input={"command": "touch secret"},
    error="The user declined this tool call",
    start_ms=NOW - 9_000,
    end_ms=NOW - 8_000,
)
ANSWER = MessageFacts("msg_2", from_model=True, complete=True, pieces=1, finish="error", error="aborted")
LATER = replace(ANSWER, id="msg_9", finish="stop", error="")
LIVE = SessionFacts(
    id="ses_1",
    directory="/project",
    status=Status.IDLE,
    updated_ms=NOW - 10_000,
    parts=(PART,),
    newest=ANSWER,
)
IN_FILE = replace(LIVE, status=Status.UNKNOWN, shows_suspended=True, suspended_ms=NOW - 10_000)


def match(session: SessionFacts, line: Line = Line.V2_RELEASED, origin: Origin = Origin.LIVE) -> Match:
    if session.shows_suspended:
        origin = Origin.DATABASE
    identity = ServerIdentity(line, "2.0.15")
    return CLASS.match(Window(Snapshot(NOW, "http://x", identity, sessions=(session,), origin=origin)), 60)


def found(made: Match) -> Finding:
    (finding,) = made.findings
    assert made.considered == ()
    return finding


def dismissed(made: Match) -> str:
    assert made.findings == ()
    (considered,) = made.considered
    return considered.why_not


def past(made: Match) -> str:
    finding = found(made)
    assert finding.status is FindingStatus.PAST
    return finding.evidence[-1]


def test_a_declined_turn_without_an_end_is_latent() -> None:
    finding = found(match(LIVE))
    assert (finding.status, finding.confidence) == (FindingStatus.LATENT, Confidence.HIGH)
    assert (finding.variant, finding.session, finding.directory) == ("permission", "ses_1", "/project")
    assert (finding.subject.kind, finding.subject.id, finding.subject.message_id) == (
        "tool_part",
        "call_1",
        "msg_2",
    )
    assert (finding.since_ms, finding.age_s) == (NOW - 8_000, 8.0)
    assert "--service" in finding.unless
    assert any("database only" in line for line in finding.evidence), "the API does not show the mark"
    assert not any("secret" in line for line in finding.evidence), "a command is shown only when asked for"


def test_a_dismissed_question_is_the_other_variant() -> None:
    part = replace(PART, tool="question", error="The user dismissed this question")
    assert found(match(replace(LIVE, parts=(part,)))).variant == "question"


def test_the_mark_in_a_file_is_definite() -> None:
    finding = found(match(IN_FILE))
    assert (finding.status, finding.confidence) == (FindingStatus.LATENT, Confidence.HIGH)
    assert "since 2026-11-29 15:52:33 UTC" in finding.evidence[-1]


@pytest.mark.parametrize("line", [Line.V1, Line.UNKNOWN])
def test_other_lines_have_no_such_turns(line: Line) -> None:
    assert match(LIVE, line) == Match()


def test_the_preview_marks_no_decline() -> None:
    assert "marks no decline" in past(match(LIVE, Line.V2_PREVIEW))
    assert "no mark" in past(match(replace(IN_FILE, suspended_ms=None), Line.V2_PREVIEW))


def test_what_was_cured_or_resumed_is_past() -> None:
    assert "gone on" in past(match(replace(LIVE, newest=LATER, outcome="succeeded")))
    assert "no mark" in past(match(replace(IN_FILE, suspended_ms=None)))
    resumed = match(replace(LIVE, newest=LATER, outcome="succeeded", resumed_ms=NOW - 1_000))
    assert "resumed after a restart" in past(resumed)
    assert found(resumed).confidence is Confidence.HIGH
    earlier = match(replace(LIVE, newest=LATER, outcome="succeeded", resumed_ms=NOW - 20_000))
    assert "resumed" not in past(earlier), "that was another turn, before this one"


def test_a_sub_agents_turn_is_not_resumed() -> None:
    assert "sub-agent" in past(match(replace(LIVE, parent_id="ses_0")))
    assert "sub-agent" in past(match(replace(IN_FILE, parent_id="ses_0")))


@pytest.mark.parametrize(
    ("session", "words"),
    [
        (replace(LIVE, status=Status.BUSY), "its turn goes on"),
        (replace(LIVE, status=Status.UNKNOWN), "could not be read"),
        (replace(LIVE, outcome="interrupted"), "a deliberate stop"),
        (replace(LIVE, forked_from="ses_0", updated_ms=NOW), "is a copy"),
        (replace(LIVE, forked_from="ses_0", updated_ms=None), "is a copy"),
        (replace(IN_FILE, newest=LATER), "the mark is a later turn's"),
        (replace(IN_FILE, parts=()), "no call of it was declined"),
        (
            replace(IN_FILE, parts=(replace(PART, error="Tool execution interrupted"),)),
            "no call of it was declined",
        ),
    ],
)
def test_what_resembles_it_is_dismissed_with_the_reason(session: SessionFacts, words: str) -> None:
    assert words in dismissed(match(session))


def test_a_fork_can_be_declined_itself() -> None:
    assert found(match(replace(LIVE, forked_from="ses_0"))).status is FindingStatus.LATENT


def test_an_export_shows_neither() -> None:
    assert "shows neither" in dismissed(match(LIVE, origin=Origin.EXPORT))


def test_nothing_is_said_of_sessions_without_a_decline() -> None:
    for part in (replace(PART, error=""), replace(PART, error="Unable to execute command: touch secret")):
        assert match(replace(LIVE, parts=(part,))) == Match()
