"""W102's matcher: a turn that hangs on an ask which is in no list, and what is not one."""

from dataclasses import replace

import pytest

from wedged.catalog.w102_disposal_without_revocation import CLASS
from wedged.facts.ask import Ask, AskKind
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Finding, FindingStatus
from wedged.facts.process import ProcessFacts, Shell, Tree
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Gap, Origin, Snapshot, Window

NOW = 1_800_000_000_000
HERE = "/project"
PART = ToolPart("prt", "call", "msg", "ses", "write", PartStatus.RUNNING, {}, start_ms=NOW - 120_000)
SESSION = SessionFacts("ses", HERE, Status.BUSY, parts=(PART,))
SERVER = ProcessFacts(1, 0, 0.0, "opencode")
LOOK = Snapshot(
    NOW,
    "http://x",
    ServerIdentity(Line.V2_PREVIEW, "0.0.0-next-16350"),
    sessions=(SESSION,),
    processes=Tree(SERVER),
    loaded=("/other",),
)
SHELL_PART = replace(PART, tool="shell", input={"command": "sleep 9"})


def match(look: Snapshot = LOOK, grace: float = 60) -> Match:
    return CLASS.match(Window(look), grace)


def found(made: Match) -> Finding:
    (finding,) = made.findings
    assert made.considered == ()
    return finding


def dismissed(made: Match) -> str:
    assert made.findings == ()
    (considered,) = made.considered
    return considered.why_not


def with_part(part: ToolPart, **state: object) -> Snapshot:
    return replace(LOOK, sessions=(replace(SESSION, parts=(part,)),), **state)  # type: ignore[arg-type]


def test_a_turn_whose_location_was_evicted() -> None:
    finding = found(match())
    assert (finding.status, finding.confidence) == (FindingStatus.STUCK, Confidence.HIGH)
    assert (finding.variant, finding.session, finding.subject.id) == ("detached-turn", "ses", "prt")
    assert finding.age_s == 120
    assert any("GET /api/debug/location does not have /project" in line for line in finding.evidence)
    assert [step.action.value for step in CLASS.steps(finding.variant)] == ["abort", "prompt"]


@pytest.mark.parametrize("loaded", [(HERE,), None])
def test_a_location_that_is_loaded_costs_confidence(loaded: tuple[str, ...] | None) -> None:
    finding = found(match(replace(LOOK, loaded=loaded)))
    assert finding.confidence is Confidence.MEDIUM
    assert "plugin" in finding.unless


def test_a_shell_is_one_only_where_its_location_is_gone_and_nothing_runs_it() -> None:
    assert found(match(with_part(SHELL_PART))).confidence is Confidence.HIGH
    assert "may be at work" in dismissed(match(with_part(SHELL_PART, loaded=(HERE,))))
    assert "may be at work" in dismissed(match(with_part(SHELL_PART, processes=None)))
    below = ProcessFacts(2, 1, 0.0, "bash", ("bash", "-c", "sleep 9"))
    assert "may be at work" in dismissed(match(with_part(SHELL_PART, processes=Tree(SERVER, (below,)))))
    shell = Shell("sh", "ses", HERE, "sleep 9", "running")
    assert "may be at work" in dismissed(match(with_part(SHELL_PART, shells=(shell,))))


@pytest.mark.parametrize(
    "part",
    [
        replace(PART, tool="webfetch"),
        replace(PART, tool="subagent"),
        replace(PART, status=PartStatus.STREAMING),
        replace(PART, status=PartStatus.ERROR),
    ],
)
def test_a_call_that_may_be_at_work(part: ToolPart) -> None:
    assert "which may be at work" in dismissed(match(with_part(part)))


def test_an_ask_that_is_listed_is_another_class() -> None:
    for kind in AskKind:
        ask = Ask("per_1", kind, "ses", "write", (), "call", "msg", HERE)
        assert "W101" in dismissed(match(replace(LOOK, asks=(ask,))))
    other = Ask("per_1", AskKind.PERMISSION, "another", "write", (), "call", "msg", HERE)
    assert found(match(replace(LOOK, asks=(other,)))).session == "ses"


@pytest.mark.parametrize("what", ["asks of session ses", "asks in /project", "session ses"])
def test_asks_that_could_not_be_read_prove_nothing(what: str) -> None:
    assert "not read" in dismissed(match(replace(LOOK, gaps=(Gap(what, "503"),))))


def test_the_grace_counts_from_the_calls_beginning() -> None:
    assert "within the grace" in dismissed(match(grace=121))
    assert "within the grace" in dismissed(match(with_part(replace(PART, start_ms=None))))


@pytest.mark.parametrize(
    "look",
    [
        replace(LOOK, identity=ServerIdentity(Line.V1, "1.18.34")),
        replace(LOOK, origin=Origin.DATABASE),
        replace(LOOK, sessions=(replace(SESSION, status=Status.IDLE),)),
    ],
)
def test_where_there_is_nothing_of_the_kind(look: Snapshot) -> None:
    made = match(look)
    assert (made.findings, made.considered) == ((), ())
