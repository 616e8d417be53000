"""What a look reads, what it leaves alone, and what it says about both."""

import pytest

from wedged.errors import CannotLook
from wedged.facts.ask import Ask, AskKind
from wedged.facts.process import ProcessFacts, Tree
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Gap
from wedged.observe import look, look_twice
from wedged.observe.live import DIRECTORY_LIMIT, ELSEWHERE_LIMIT, SESSION_LIMIT

from .fake_reader import OWN, FakeReader


def session(name: str, directory: str = OWN, updated: int = 0) -> SessionFacts:
    part = ToolPart(f"prt_{name}", f"call_{name}", "msg", name, "bash", PartStatus.RUNNING, {})
    return SessionFacts(name, directory, Status.UNKNOWN, updated_ms=updated, parts=(part,), message_count=2)


def ask(session_id: str, directory: str = OWN, name: str = "per_1") -> Ask:
    return Ask(name, AskKind.PERMISSION, session_id, "bash", (), f"call_{session_id}", "msg", directory)


def test_an_idle_server_of_its_own_directory_alone() -> None:
    reader = FakeReader(known=[session("a")])
    seen = look(reader, source="http://x")
    assert (seen.source, seen.identity.version, seen.gaps, seen.processes) == ("http://x", "1.0.0", (), None)
    assert [(scope.directory, scope.reads) for scope in seen.scopes] == [(OWN, ("GET /lists",))]
    assert [(s.id, s.status, s.parts) for s in seen.sessions] == [("a", Status.IDLE, ())]
    named = {directory for method, directory in reader.calls if method != "has_unfinished"}
    assert named == {""}, "the server's own directory is never named"


def test_sessions_that_matter_are_read_with_their_calls() -> None:
    known = [session(name) for name in ("busy", "asking", "named", "other")]
    reader = FakeReader(known=known, busy={"busy": OWN}, pending=[ask("asking")])
    seen = look(reader, sessions=["named"])
    assert {s.id: (s.status, len(s.parts)) for s in seen.sessions} == {
        "busy": (Status.BUSY, 1),
        "asking": (Status.IDLE, 1),
        "named": (Status.IDLE, 1),
        "other": (Status.IDLE, 0),
    }
    assert [a.id for a in seen.asks] == ["per_1"]


def test_a_busy_session_that_no_list_names_is_read_too() -> None:
    reader = FakeReader(known=[session("late")], busy={"late": OWN}, broken={"sessions"})
    seen = look(reader)
    assert [(s.id, s.status) for s in seen.sessions] == [("late", Status.BUSY)]
    assert [gap.what for gap in seen.gaps] == [f"sessions of {OWN}"]


def test_other_directories_are_asked_only_when_given() -> None:
    known = [session("here"), session("there", "/there")]
    reader = FakeReader(known=known, busy={"there": "/there"}, pending=[ask("there", "/there")])
    assert look(reader).asks == ()
    assert {d for name, d in reader.calls if name in ("statuses", "asks", "sessions", "session")} == {""}
    assert [a.id for a in look(reader, every_directory=True).asks] == ["per_1"]
    seen = look(reader, scopes=["/there", OWN, "/there"])
    assert [scope.directory for scope in seen.scopes] == [OWN, "/there"]
    assert [(a.id, a.directory) for a in seen.asks] == [("per_1", "/there")]
    there = seen.session("there")
    assert there is not None
    assert there.status is Status.BUSY


def test_a_named_session_brings_its_directory() -> None:
    reader = FakeReader(
        known=[session("there", "/there")], busy={"there": "/there"}, pending=[ask("there", "/there")]
    )
    seen = look(reader, sessions=["there"])
    assert [scope.directory for scope in seen.scopes] == [OWN, "/there"]
    assert len(seen.asks) == 1


def test_a_named_session_that_is_not_there_is_a_gap() -> None:
    assert [gap.what for gap in look(FakeReader(), sessions=["nope"]).gaps] == ["session nope"]


def test_a_directory_with_unfinished_work_is_asked_and_one_with_finished_work_is_not() -> None:
    known = [session("a", "/a", 3), session("a2", "/a", 2), session("b", "/b", 1)]
    reader = FakeReader(known=known, unfinished={"a", "a2"}, busy={"a": "/a"}, pending=[ask("a", "/a")])
    seen = look(reader)
    assert [scope.directory for scope in seen.scopes] == [OWN, "/a"]
    assert [a.id for a in seen.asks] == ["per_1"]
    assert seen.gaps == ()
    assert {s.id: s.status for s in seen.sessions} == {
        "a": Status.BUSY,
        "a2": Status.IDLE,
        "b": Status.UNKNOWN,
    }


def test_only_so_many_directories_are_asked_and_the_rest_is_a_gap() -> None:
    known = [session(f"s{n}", f"/d{n}", n) for n in range(DIRECTORY_LIMIT + 2)]
    reader = FakeReader(known=known, unfinished={s.id for s in known})
    seen = look(reader)
    assert len(seen.scopes) == 1 + DIRECTORY_LIMIT
    assert [gap.what for gap in seen.gaps] == ["directory /d1", "directory /d0"]
    assert seen.left_out == seen.gaps
    again = look(reader, scopes=[scope.directory for scope in seen.scopes], peek=seen)
    assert (again.gaps, again.scopes) == (seen.gaps, seen.scopes)
    everywhere = look(reader, every_directory=True)
    assert (len(everywhere.scopes), everywhere.gaps) == (DIRECTORY_LIMIT + 3, ())


def test_what_a_tree_can_not_show_is_blindness_and_no_gap() -> None:
    why = Gap("processes of the server", "elsewhere")
    seen = look(FakeReader(), tree=lambda: why)
    assert (seen.processes, seen.blind, seen.gaps) == (None, (why,), ())
    tree = Tree(ProcessFacts(1, 0, 0.0, "opencode"))
    seen = look(FakeReader(), tree=lambda: tree)
    assert (seen.processes, seen.blind) == (tree, ())


def test_a_second_look_is_taken_only_where_something_works() -> None:
    waits: list[float] = []
    window = look_twice(FakeReader(known=[session("a")]), sample_s=3, wait=waits.append)
    assert (window.earlier, waits) == (None, [])
    busy = FakeReader(known=[session("a"), session("b", "/b")], busy={"a": OWN}, unfinished={"b"})
    window = look_twice(busy, sample_s=3, wait=waits.append)
    assert waits == [3]
    assert window.earlier is not None
    assert window.earlier.scopes == window.latest.scopes
    assert sum(name == "has_unfinished" for name, _ in busy.calls) == 1, "the search is made once"
    assert look_twice(busy, sample_s=0, wait=waits.append).earlier is None


def test_limits_are_said() -> None:
    old = [session(f"s{n}", "/old", n) for n in range(SESSION_LIMIT + 1)]
    reader = FakeReader(known=old)
    assert [gap.what for gap in look(reader).gaps] == [
        f"sessions of {OWN}",
        f"{SESSION_LIMIT - ELSEWHERE_LIMIT} older sessions of other directories",
    ]
    peeked = [name for method, name in reader.calls if method == "has_unfinished"]
    assert set(peeked) == {f"s{SESSION_LIMIT - 1 - n}" for n in range(ELSEWHERE_LIMIT)}
    assert len(peeked) == ELSEWHERE_LIMIT


def test_an_ask_answered_during_the_look_is_gone() -> None:
    reader = FakeReader(
        known=[session("a")],
        busy={"a": OWN},
        pending=[ask("a"), ask("a", name="per_2")],
        answered_meanwhile={"per_1"},
    )
    assert [a.id for a in look(reader).asks] == ["per_2"]


@pytest.mark.parametrize(
    ("broken", "what"),
    [
        ("statuses", "statuses in /own"),
        ("asks", "asks in /own"),
        ("sessions", "sessions of /own"),
        ("session", "session a"),
    ],
)
def test_a_read_that_fails_is_a_gap(broken: str, what: str) -> None:
    reader = FakeReader(known=[session("a")], busy={"a": OWN}, pending=[ask("a")], broken={broken})
    seen = look(reader)
    assert what in [gap.what for gap in seen.gaps]
    assert all(gap.why == f"{broken} is broken" for gap in seen.gaps)


def test_without_statuses_nothing_is_called_idle() -> None:
    seen = look(FakeReader(known=[session("a")], broken={"statuses"}))
    assert [s.status for s in seen.sessions] == [Status.UNKNOWN]


@pytest.mark.parametrize("broken", ["identity", "directory"])
def test_a_server_that_does_not_say_who_it_is_can_not_be_looked_at(broken: str) -> None:
    with pytest.raises(CannotLook, match="is broken"):
        look(FakeReader(broken={broken}))
