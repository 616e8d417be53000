"""W201, W002, W203 and W001 on every combination of call, session, holders and processes: none falls for
another's state, and none of them is sure of what it can't see."""

from dataclasses import replace

import pytest

from wedged.catalog import w001_match, w002_match, w201_match, w203_match
from wedged.facts.ask import Ask, AskKind
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Finding, FindingStatus
from wedged.facts.process import Holders, ProcessFacts, Stray, Tree
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import MessageFacts, PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Gap, Origin, Scope, Snapshot, Window

NOW = 1_795_967_600_000
BEGAN = NOW - 3_600_000
COMMAND = "sleep 600; : secret"
PART = ToolPart(
    "prt_1", "call_1", "msg_1", "ses_1", "bash", PartStatus.RUNNING, {"command": COMMAND}, start_ms=BEGAN
)
SESSION = SessionFacts("ses_1", "/project", Status.IDLE, parts=(PART,), message_count=2)


def process(pid: int, began_ms: int, *argv: str) -> ProcessFacts:
    return ProcessFacts(pid, 1, began_ms / 1000, "opencode", argv)


SERVER = process(30, BEGAN + 60_000)
OLDER, YOUNGER = process(20, BEGAN - 60_000), process(40, BEGAN + 90_000)
SHELL = process(50, BEGAN + 20, "bash", "-c", COMMAND)


def look(
    session: SessionFacts = SESSION,
    *,
    server: ProcessFacts = SERVER,
    others: tuple[ProcessFacts, ...] = (),
    complete: bool = True,
    strays: tuple[Stray, ...] = (),
    line: Line = Line.V1,
) -> Snapshot:
    return Snapshot(
        taken_ms=NOW,
        source="http://x",
        identity=ServerIdentity(line, "1.18.34"),
        scopes=(Scope("/project"),),
        sessions=(session,),
        processes=Tree(server),
        holders=Holders((server, *others), held=True, complete=complete),
        strays=strays,
    )


def codes(window: Window | Snapshot, grace: float = 0) -> dict[str, str]:
    """What each of the four reports, with its confidence."""
    window = window if isinstance(window, Window) else Window(window)
    made = [one.match(window, grace) for one in (w201_match, w002_match, w203_match, w001_match)]
    return {f.code: f.confidence.value for match in made for f in match.findings}


def the_finding(made: Match) -> Finding:
    (finding,) = made.findings
    return finding


def test_a_call_that_nothing_can_run_any_more() -> None:
    finding = the_finding(w201_match.match(Window(look()), 60))
    assert (finding.status, finding.confidence) == (FindingStatus.STUCK, Confidence.HIGH)
    assert (finding.variant, finding.session, finding.directory) == ("running", "ses_1", "/project")
    assert (finding.subject.kind, finding.subject.id, finding.subject.message_id) == (
        "tool_part",
        "prt_1",
        "msg_1",
    )
    assert (finding.since_ms, finding.age_s, finding.candidates) == (BEGAN, 3600, ())
    assert not any("secret" in line for line in finding.evidence), "a command is shown only when asked for"
    assert codes(look()) == {"W201": "high"}
    assert codes(look(others=(YOUNGER,))) == {"W201": "high"}, "a younger process can't run it"


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (look(others=(OLDER,)), {"W002": "medium"}),
        (look(others=(OLDER,), strays=(Stray(SHELL, OLDER, True),)), {"W002": "high"}),
        # It began after that process did, by the clock: what is seen to run it counts.
        (look(others=(YOUNGER,), strays=(Stray(SHELL, YOUNGER, True),)), {"W002": "high"}),
        (look(complete=False, others=(OLDER,)), {"W002": "medium"}),
    ],
)
def test_what_another_server_runs_or_could_run_is_not_called_stale(
    seen: Snapshot, expected: dict[str, str]
) -> None:
    assert codes(seen) == expected
    made = w201_match.match(Window(seen), 0)
    assert "W002" in made.considered[0].why_not
    warned = the_finding(w002_match.match(Window(seen), 0))
    assert warned.status is FindingStatus.NOTICE
    assert not any("secret" in line for line in warned.evidence)


@pytest.mark.parametrize(
    "seen",
    [
        replace(look(), processes=None, holders=None, strays=None),
        replace(look(), holders=None),
        look(complete=False),
        look(server=OLDER),
        look(replace(SESSION, parts=(replace(PART, id="call_1", start_ms=None),))),
    ],
)
def test_what_can_t_be_seen_makes_it_unsure(seen: Snapshot) -> None:
    finding = the_finding(w201_match.match(Window(seen), 0))
    assert (finding.confidence, finding.candidates) == (Confidence.LOW, ("W201", "W002"))
    assert "another server runs it" in finding.unless
    assert "W002" not in codes(seen)


def test_an_unsure_one_waits_for_the_grace_and_for_the_second_look() -> None:
    young = replace(PART, start_ms=NOW - 30_000)
    seen = replace(look(replace(SESSION, parts=(young,))), holders=None)
    (dismissed,) = w201_match.match(Window(seen), 60).considered
    assert "within the grace of 60 s" in dismissed.why_not
    assert codes(seen, grace=10) == {"W201": "low"}
    before = replace(look(replace(SESSION, parts=())), holders=None)
    unsure = replace(look(), holders=None)
    assert codes(Window(unsure, before)) == {}
    assert codes(Window(unsure, unsure)) == {"W201": "low"}


@pytest.mark.parametrize(
    "session",
    [
        replace(SESSION, status=Status.BUSY),
        replace(SESSION, status=Status.UNKNOWN),
        replace(SESSION, parts=(replace(PART, status=PartStatus.ERROR),)),
        replace(SESSION, parts=()),
    ],
)
def test_what_works_or_has_ended_or_is_not_known_to_be_idle_is_nothing(session: SessionFacts) -> None:
    assert codes(look(session)) == {}


def test_a_file_is_read_by_others() -> None:
    for origin in (Origin.DATABASE, Origin.EXPORT):
        assert codes(replace(look(strays=(Stray(SHELL, None, True),)), origin=origin)) == {}


@pytest.mark.parametrize("status", [PartStatus.PENDING, PartStatus.STREAMING])
def test_a_call_that_was_never_written_takes_its_age_from_its_message(status: PartStatus) -> None:
    newest = MessageFacts("msg_1", True, False, 1, created_ms=BEGAN)
    part = replace(PART, status=status, input={}, start_ms=None)
    finding = the_finding(w201_match.match(Window(look(replace(SESSION, parts=(part,), newest=newest))), 0))
    assert (finding.variant, finding.since_ms, finding.confidence) == ("unwritten", BEGAN, Confidence.HIGH)


def test_v1_s_ids_carry_the_time_where_nothing_else_does() -> None:
    """This id was made by a real server, whose call began at 1795967835110."""
    part = replace(PART, id="prt_228065b08001B2EAbk72bq3A0V", start_ms=None)
    seen = look(replace(SESSION, parts=(part,)), server=process(30, 1_795_967_840_000))
    finding = the_finding(w201_match.match(Window(replace(seen, taken_ms=1_795_967_900_000)), 0))
    assert finding.since_ms is not None
    assert abs(finding.since_ms - 1_795_967_835_110) < 1000
    assert finding.confidence is Confidence.HIGH


def test_the_process_that_outlived_its_server() -> None:
    seen = look(strays=(Stray(SHELL, None, True),))
    assert codes(seen) == {"W201": "high", "W203": "high"}
    finding = the_finding(w203_match.match(Window(seen), 60))
    assert (finding.status, finding.variant) == (FindingStatus.NOTICE, "of-a-stale-call")
    assert (finding.subject.kind, finding.subject.id) == ("process", "50")
    assert not any("secret" in line for line in finding.evidence)
    settled = replace(SESSION, parts=(replace(PART, status=PartStatus.ERROR, error="interrupted"),))
    after = look(settled, strays=(Stray(SHELL, None, None),))
    assert codes(after) == {"W203": "medium"}
    assert the_finding(w203_match.match(Window(after), 0)).variant == "of-an-ended-call"


@pytest.mark.parametrize(
    "stray",
    [
        Stray(SHELL, None, False),
        Stray(process(50, BEGAN + 60_000, "bash", "-c", COMMAND), None, True),
        Stray(process(50, BEGAN + 20, "bash", "-c", "sleep 600"), None, True),
        Stray(process(50, BEGAN + 20), None, True),
    ],
)
def test_somebody_else_s_process_is_not_an_orphan(stray: Stray) -> None:
    assert "W203" not in codes(look(strays=(stray,)))


def test_an_unmarked_one_is_considered() -> None:
    (considered,) = w203_match.match(Window(look(strays=(Stray(SHELL, None, False),))), 0).considered
    assert "process 50 has the same command line" in considered.why_not


ELSEWHERE = replace(SESSION, directory="/other", status=Status.BUSY)


def test_a_session_that_works_where_the_bare_list_does_not_look() -> None:
    finding = the_finding(w001_match.match(Window(look(ELSEWHERE)), 60))
    assert (finding.code, finding.status, finding.confidence) == (
        "W001",
        FindingStatus.NOTICE,
        Confidence.HIGH,
    )
    assert "/project" in finding.evidence[2]
    assert codes(look(ELSEWHERE)) == {"W001": "high"}


def test_a_call_that_began_while_the_look_was_taken_is_seen_without_a_grace() -> None:
    young = replace(ELSEWHERE, parts=(replace(PART, start_ms=NOW + 300),))
    assert codes(look(young)) == {"W001": "high"}
    assert codes(look(young), grace=60) == {}


@pytest.mark.parametrize(
    ("session", "line", "grace"),
    [
        (replace(ELSEWHERE, directory="/project"), Line.V1, 0),
        (replace(ELSEWHERE, status=Status.IDLE), Line.V1, 0),
        (replace(ELSEWHERE, parts=()), Line.V1, 0),
        (ELSEWHERE, Line.V2_RELEASED, 0),
        (ELSEWHERE, Line.V1, 7200),
    ],
)
def test_nobody_is_told_of_what_hides_nothing(session: SessionFacts, line: Line, grace: float) -> None:
    assert "W001" not in codes(look(session, line=line), grace)


def test_a_session_that_asks_is_told_of_as_that() -> None:
    ask = Ask("per_1", AskKind.PERMISSION, "ses_1", "bash", (), "call_1", "msg_1", "/other")
    assert codes(replace(look(ELSEWHERE), asks=(ask,))) == {}


def test_a_look_that_could_not_read_all_is_still_judged() -> None:
    assert codes(replace(look(), gaps=(Gap("x", "y"),))) == {"W201": "high"}


def test_a_call_that_prints_is_as_old_as_its_id() -> None:
    """1.17.18 sets the start of a running call anew at each output."""
    born = f"prt_{(BEGAN * 4096) % 2**48:012x}aaaaaaaaaaaaaa"
    for start_ms in (BEGAN, BEGAN + 40_000, NOW - 1_000):
        part = replace(PART, id=born, start_ms=start_ms)
        session = replace(SESSION, parts=(part,))
        found = codes(look(session, strays=(Stray(SHELL, None),)))
        assert found == codes(
            look(
                session=replace(SESSION, parts=(replace(part, start_ms=BEGAN),)), strays=(Stray(SHELL, None),)
            )
        )
        assert "W203" in found
        # The other opener is younger than the call, whatever the start says now.
        assert "W002" not in codes(look(session, others=(process(40, BEGAN + 20_000),)))
