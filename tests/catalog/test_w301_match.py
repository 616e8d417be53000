"""W301's matcher on every combination of shell, session, process and source."""

from dataclasses import replace

import pytest

from wedged.catalog.w301_invisible_background_shell import CLASS
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Finding, FindingStatus
from wedged.facts.process import ProcessFacts, Shell, Tree
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Origin, Snapshot, Window

NOW = 1_795_967_600_000
COMMAND = "sleep 300; : secret"
SHELL = Shell(
    id="sh_1",
    session_id="ses_1",
    directory="/project",
    command=COMMAND,
    status="running",
    pid=40,
    started_ms=NOW - 35_000,
    listed_by=("GET /api/shell",),
)
CALL = ToolPart("call_1", "call_1", "msg_1", "ses_1", "shell", PartStatus.COMPLETED, {"command": COMMAND})
OWNER = SessionFacts(id="ses_1", directory="/project", status=Status.IDLE, parts=(CALL,), outcome="succeeded")
SERVER = ProcessFacts(30, 1, 1.0, "opencode", ("opencode", "serve"))
TREE = Tree(SERVER, (ProcessFacts(40, 30, 2.0, "bash", ("bash", "-c", COMMAND)),))


def look(
    shell: Shell = SHELL,
    *sessions: SessionFacts,
    tree: Tree | None = TREE,
    origin: Origin = Origin.LIVE,
) -> Snapshot:
    return Snapshot(
        taken_ms=NOW,
        source="http://x",
        identity=ServerIdentity(Line.V2_RELEASED, "2.0.15"),
        sessions=sessions,
        shells=(shell,),
        processes=tree,
        origin=origin,
    )


def match(latest: Snapshot, earlier: Snapshot | None = None) -> Match:
    return CLASS.match(Window(latest, earlier), 60)


def found(made: Match) -> Finding:
    (finding,) = made.findings
    assert made.considered == ()
    return finding


def dismissed(made: Match) -> str:
    assert made.findings == ()
    (considered,) = made.considered
    return considered.why_not


def test_a_shell_of_a_session_whose_turn_is_over_is_a_notice() -> None:
    finding = found(match(look(SHELL, OWNER)))
    assert (finding.status, finding.confidence) == (FindingStatus.NOTICE, Confidence.HIGH)
    assert (finding.variant, finding.session, finding.directory) == ("own", "ses_1", "/project")
    assert (finding.subject.kind, finding.subject.id, finding.age_s) == ("shell", "sh_1", 35)
    assert finding.evidence == (
        "GET /api/shell lists sh_1 as running, in /project",
        "its process 40 is there, below the server",
        "its session is idle, its last turn succeeded",
        "a call with its command is completed: the command was moved to the background",
    )


def test_a_command_is_named_nowhere() -> None:
    for one in (look(SHELL, OWNER), look(SHELL), look(SHELL, OWNER, tree=None)):
        assert "secret" not in str(found(match(one)))


def test_a_sub_agents_shell_is_told_with_everyone_above_it() -> None:
    child = replace(OWNER, parent_id="ses_p")
    parent = SessionFacts("ses_p", "/project", Status.IDLE, parent_id="ses_top")
    top = SessionFacts("ses_top", "/project", Status.BUSY)
    finding = found(match(look(SHELL, child, parent, top)))
    assert finding.variant == "sub-agent"
    assert [line for line in finding.evidence if "above it" in line] == [
        "that is a sub-agent's session; ses_p above it is idle",
        "that is a sub-agent's session; ses_top above it is busy",
    ]


def test_a_circle_of_parents_ends() -> None:
    one = replace(OWNER, parent_id="ses_2")
    two = SessionFacts("ses_2", "/project", Status.IDLE, parent_id="ses_1")
    assert found(match(look(SHELL, one, two))).variant == "sub-agent"


def test_a_shell_whose_session_is_gone() -> None:
    finding = found(match(look(SHELL)))
    assert (finding.variant, finding.confidence) == ("ownerless", Confidence.MEDIUM)
    assert "its session ses_1 is not among the server's sessions" in finding.evidence


@pytest.mark.parametrize("tree", [None, Tree(SERVER)])
def test_without_its_process_it_is_never_sure(tree: Tree | None) -> None:
    finding = found(match(look(SHELL, OWNER, tree=tree)))
    assert finding.confidence is Confidence.MEDIUM
    assert finding.unless
    assert finding.variant == ("own" if tree is None else "ghost")


def test_a_ghost_is_sure_once_two_looks_miss_its_process() -> None:
    empty = look(SHELL, OWNER, tree=Tree(SERVER))
    finding = found(match(empty, empty))
    assert (finding.variant, finding.status) == ("ghost", FindingStatus.STUCK)
    assert (finding.confidence, finding.unless) == (Confidence.HIGH, "")
    assert found(match(empty, look(SHELL, OWNER))).confidence is Confidence.MEDIUM
    unlisted = replace(empty, shells=())
    assert found(match(empty, unlisted)).confidence is Confidence.MEDIUM


def test_a_shell_without_a_pid_is_no_ghost() -> None:
    finding = found(match(look(replace(SHELL, pid=None), OWNER)))
    assert (finding.variant, finding.confidence) == ("own", Confidence.MEDIUM)


def test_a_foreground_shell_is_dismissed() -> None:
    running = replace(OWNER, status=Status.BUSY, parts=(replace(CALL, status=PartStatus.RUNNING),))
    assert dismissed(match(look(SHELL, running))) == "sh_1 is the foreground shell of a turn that runs"


def test_a_background_shell_beside_a_turn_is_dismissed_as_such() -> None:
    why = dismissed(match(look(SHELL, replace(OWNER, status=Status.RETRY))))
    assert why == "the turn of ses_1, which sh_1 belongs to, still runs"


@pytest.mark.parametrize(
    ("shell", "owner", "words"),
    [
        (replace(SHELL, status="exited"), OWNER, "sh_1 is exited"),
        (replace(SHELL, status=""), OWNER, "of no known status"),
        (replace(SHELL, session_id=""), OWNER, "names no session"),
        (SHELL, replace(OWNER, status=Status.UNKNOWN), "could not be read"),
    ],
)
def test_what_is_no_finding_says_why(shell: Shell, owner: SessionFacts, words: str) -> None:
    assert words in dismissed(match(look(shell, owner)))


def test_a_file_names_a_candidate_and_the_question_that_decides() -> None:
    one = look(replace(SHELL, pid=None), OWNER, tree=None, origin=Origin.DATABASE)
    finding = found(match(one))
    assert (finding.confidence, finding.candidates) == (Confidence.LOW, ("W301",))
    assert finding.evidence == ("GET /api/shell holds the start of sh_1, and no end of it",)
    assert "GET /api/shell with location[directory]=/project" in finding.unless
    assert finding.unless.endswith("decides: it lists sh_1, or not")
    said = look(replace(SHELL, status="unknown"), OWNER, tree=None, origin=Origin.DATABASE)
    assert found(match(said)).confidence is Confidence.LOW
    ended = look(replace(SHELL, status="exited"), OWNER, tree=None, origin=Origin.DATABASE)
    assert dismissed(match(ended)) == "sh_1 is exited"


def test_a_server_without_shells_has_nothing_to_say() -> None:
    assert match(replace(look(), shells=())) == Match()
