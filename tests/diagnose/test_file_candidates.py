"""What a file alone can say: candidates with their question, never more, and nothing of what is explained."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.observe.database.stores import PREVIEW, RELEASED, V1, unpack

from wedged.catalog import CLASSES, by_code
from wedged.diagnose import Diagnosis, diagnose, inquire, restrict
from wedged.diagnose.file_candidates import from_file
from wedged.facts.failure_class import FailureClass
from wedged.facts.finding import Confidence, FindingStatus
from wedged.facts.process import Holders, ProcessFacts, Tree
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.session import PartStatus
from wedged.facts.snapshot import Snapshot, Window
from wedged.observe.database import look_at_database

W101, W105 = by_code("W101"), by_code("W105")
# Not in the catalogue of this test, whatever the house has by now: what a crash leaves.
W201 = replace(W101, code="W201", slug="hard-crash")


def read(name: str, tmp_path: Path) -> tuple[Snapshot, dict[str, str]]:
    made = unpack(name, tmp_path)
    return look_at_database(made.path), made.sessions


def codes(look: Snapshot, sessions: dict[str, str], *classes: FailureClass) -> dict[str, tuple[str, ...]]:
    names = {value: key for key, value in sessions.items()}
    return {names[f.session]: f.candidates for f in from_file(look, 0, classes).findings}


def test_v1_tells_what_has_begun_from_what_has_not(tmp_path: Path) -> None:
    look, sessions = read(V1, tmp_path)
    both, crash = ("W201", "W101"), ("W201",)
    assert codes(look, sessions, W101, W201) == {
        "asking": both,
        "question": both,
        "running": crash,
        "kid": crash,
        "written": crash,
    }


@pytest.mark.parametrize("name", [PREVIEW, RELEASED])
def test_v2_does_not(name: str, tmp_path: Path) -> None:
    look, sessions = read(name, tmp_path)
    both = ("W201", "W101")
    found = codes(look, sessions, W101, W105, W201)
    rest = {"written": ("W201",), "kid": ("W201", "W105")}
    assert found == dict.fromkeys(("asking", "question", "running"), both) | rest


def test_a_parent_is_explained_by_its_sub_agent(tmp_path: Path) -> None:
    look, sessions = read(V1, tmp_path)
    (one,) = from_file(look, 0, (W101,)).considered
    assert one.session == sessions["parent"]
    assert f"waits for its sub-agent {sessions['kid']}" in one.why_not


def test_no_code_that_the_catalogue_has_not(tmp_path: Path) -> None:
    look, sessions = read(V1, tmp_path)
    assert set(codes(look, sessions, W101).values()) == {("W101",)}
    made = from_file(look, 0, (W101,))
    unnamed = {gap.what.rpartition(" ")[2] for gap in made.unknown}
    assert unnamed == {sessions[name] for name in ("running", "kid", "written")}
    assert "W201" not in str(made)


def test_a_finding_says_which_question_decides_and_offers_nothing(tmp_path: Path) -> None:
    def request(action: Action, target: Target) -> Request:
        return Request("POST", "/never")

    look, sessions = read(V1, tmp_path)
    diagnosis = diagnose(Window(look), 0, request=request, classes=(W101,))
    (one,) = restrict(diagnosis, sessions["asking"]).findings
    assert (one.status, one.confidence, one.variant, one.recovery) == (
        FindingStatus.STUCK,
        Confidence.LOW,
        "",
        (),
    )
    directory = look.sessions[0].directory
    assert f"does GET /permission?directory={directory} list an ask of call_asking_0_0?" in one.evidence[-1]
    assert f"GET /session/status?directory={directory}" in one.evidence[-1]
    assert "no process of this machine has the file open" in one.evidence[-2]
    assert "/new" not in str(one.evidence), "the command may hold secrets"
    assert one.page.endswith("W101-ungated-external-ask.html")
    assert diagnosis.activity == ()
    assert diagnosis.exit_code == 1


@pytest.mark.parametrize(
    ("name", "session", "route"),
    [
        (V1, "question", "GET /question?directory="),
        (PREVIEW, "asking", "/permission list an ask"),
        (RELEASED, "question", "/form list an ask"),
    ],
)
def test_the_question_is_of_the_dialect(name: str, session: str, route: str, tmp_path: Path) -> None:
    look, sessions = read(name, tmp_path)
    (one,) = [f for f in from_file(look, 0, (W101,)).findings if f.session == sessions[session]]
    assert route in one.evidence[-1]


def test_a_mark_for_resumption_is_told_but_a_sub_agents_is_not(tmp_path: Path) -> None:
    look, sessions = read(RELEASED, tmp_path)
    told = {
        f.session: "marked for resumption" in str(f.evidence)
        for f in from_file(look, 0, (W101, W105)).findings
    }
    assert (told[sessions["running"]], told[sessions["kid"]]) == (True, False)


def held(look: Snapshot, seconds_before: float, *below: ProcessFacts) -> Snapshot:
    """The file is open in a server that was started this long before the first open call."""
    since = min(part.start_ms for session in look.sessions for part in session.unfinished if part.start_ms)
    server = ProcessFacts(7, 1, since / 1000 - seconds_before, "opencode", ("opencode", "serve"))
    return replace(look, holders=Holders((server,), held=True), processes=Tree(server, below))


def test_a_call_that_its_holder_may_be_running_is_not_known(tmp_path: Path) -> None:
    look, sessions = read(V1, tmp_path)
    older = held(look, 100)
    both = ("W101", "W201")
    assert codes(older, sessions, W101, W201) == {"asking": both, "question": both, "written": ("W201",)}
    (gap,) = [g for g in from_file(older, 0, (W101, W201)).unknown if sessions["running"] in g.what]
    assert "opencode (process 7, since" in gap.why
    assert "older than the call" in gap.why
    younger = held(look, -100)
    assert codes(younger, sessions, W101, W201)["running"] == ("W201",)
    assert "younger than the call" in str(from_file(younger, 0, (W101, W201)).findings)


@pytest.mark.parametrize(
    ("name", "asking"),
    [(V1, ("W101", "W201")), (PREVIEW, ("W101", "W102", "W201")), (RELEASED, ("W101", "W201"))],
)
def test_a_held_file_may_hide_a_second_server(name: str, asking: tuple[str, ...], tmp_path: Path) -> None:
    look, sessions = read(name, tmp_path)
    one = held(look, 100)
    found = from_file(one, 0, CLASSES).findings
    assert {f.session: f.candidates for f in found}[sessions["asking"]] == asking
    assert one.holders
    (server,) = one.holders.seen
    two = replace(one, holders=replace(one.holders, seen=(server, replace(server, pid=8))))
    found = from_file(two, 0, CLASSES).findings
    assert {f.session: f.candidates for f in found}[sessions["asking"]] == (*asking, "W002")


def test_a_command_that_a_process_below_the_holder_runs_is_at_work(tmp_path: Path) -> None:
    look, sessions = read(RELEASED, tmp_path)
    shell = ProcessFacts(8, 7, 0.0, "bash", ("bash", "-c", "echo hello && sleep 600"))
    made = from_file(held(look, 100, shell), 0, (W101,))
    assert sessions["running"] not in [f.session for f in made.findings]
    (why,) = [one.why_not for one in made.considered if one.session == sessions["running"]]
    assert why.endswith("process 8, below the server that holds the file, runs its command")


def test_the_grace(tmp_path: Path) -> None:
    look, _ = read(V1, tmp_path)
    newest = max(part.start_ms for session in look.sessions for part in session.unfinished if part.start_ms)
    soon = replace(look, taken_ms=newest + 30_000)
    made = from_file(soon, 60, (W101,))
    assert made.findings == ()
    assert all("within the grace" in one.why_not or "sub-agent" in one.why_not for one in made.considered)


def test_a_turn_that_went_on_leaves_no_ask(tmp_path: Path) -> None:
    look, sessions = read(V1, tmp_path)
    later = [
        replace(s, newest=replace(s.newest, id="msg_later", complete=True)) if s.newest else s
        for s in look.sessions
    ]
    gone_on = codes(replace(look, sessions=tuple(later)), sessions, W101, W201)
    assert gone_on["asking"] == ("W201",)


def test_an_aborted_call_may_have_left_its_ask_where_its_server_lives(tmp_path: Path) -> None:
    look, sessions = read(V1, tmp_path)
    (asking,) = [s for s in look.sessions if s.id == sessions["asking"]]
    assert asking.newest
    ended = [
        replace(part, status=PartStatus.ERROR, error="Tool execution aborted", end_ms=part.start_ms)
        for part in asking.parts
    ]
    newest = replace(asking.newest, complete=True, error="MessageAbortedError")
    aborted = held(look, 100)
    aborted = replace(aborted, sessions=(replace(asking, parts=tuple(ended), newest=newest),))
    (gap,) = from_file(aborted, 0, CLASSES).unknown
    assert gap.what == f"session {asking.id}"
    assert "(W104), GET /permission?directory=" in gap.why
    assert aborted.holders
    (server,) = aborted.holders.seen
    younger = replace(server, created=server.created + 1000)
    assert from_file(replace(aborted, holders=Holders((younger,), held=True)), 0, CLASSES).unknown == ()
    assert from_file(replace(aborted, holders=Holders()), 0, CLASSES).unknown == ()
    finished = replace(newest, error="")
    well = replace(aborted, sessions=(replace(asking, parts=tuple(ended), newest=finished),))
    assert from_file(well, 0, CLASSES).unknown == ()


def test_a_half_answer_without_a_call(tmp_path: Path) -> None:
    look, sessions = read(RELEASED, tmp_path)
    (session,) = [replace(s, parts=()) for s in look.sessions if s.id == sessions["running"]]
    alone = replace(look, sessions=(session,))
    assert "it ended with its server" in from_file(alone, 0, (W101,)).considered[0].why_not
    made = from_file(replace(alone, holders=Holders(held=True, complete=False)), 0, (W101,))
    assert made.considered == ()
    assert "whether the model is still at it" in made.unknown[0].why


def test_what_became_of_an_ask_is_not_in_a_file(tmp_path: Path) -> None:
    look, _ = read(V1, tmp_path)
    diagnosis: Diagnosis = inquire(
        diagnose(Window(look), 0, classes=(W101,)), "per_2276041bc001q4W5JN3Rmg1FJy"
    )
    assert diagnosis.ask
    assert "asks live in a server's memory only" in diagnosis.ask.sentence
    assert diagnosis.exit_code == 3
