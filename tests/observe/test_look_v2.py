"""A look at a V2 server: one list of who works, and lists of asks and shells for each location."""

from dataclasses import replace

import pytest

from wedged.facts.ask import Ask, AskKind
from wedged.facts.process import Shell
from wedged.facts.server import Line
from wedged.facts.session import MessageFacts, PartStatus, SessionFacts, Status, ToolPart
from wedged.observe import look, look_twice
from wedged.observe.live import DIRECTORY_LIMIT
from wedged.observe.unmarked import UNMARKED_LIMIT

from .fake_reader import OWN, FakeReader

THERE = "/there"


def session(name: str, directory: str = OWN, parent: str = "") -> SessionFacts:
    part = ToolPart(name, f"call_{name}", "msg", name, "write", PartStatus.RUNNING, {})
    return SessionFacts(name, directory, Status.UNKNOWN, parent_id=parent, parts=(part,), message_count=2)


def ask(session_id: str, directory: str = OWN, by: str = "GET /lists", name: str = "per_1") -> Ask:
    call = f"call_{session_id}"
    return Ask(name, AskKind.PERMISSION, session_id, "x", (), call, "msg", directory, listed_by=(by,))


def reader(**given: object) -> FakeReader:
    made = FakeReader(line=Line.V2_RELEASED, loaded_directories=[OWN])
    for name, value in given.items():
        setattr(made, name, value)
    return made


def test_a_session_that_works_elsewhere_is_found_and_its_location_asked() -> None:
    there = session("there", THERE)
    seen = look(reader(known=[session("here"), there], busy={"there": THERE}, pending=[ask("there", THERE)]))
    assert [scope.directory for scope in seen.scopes] == [OWN, THERE]
    assert {s.id: (s.status, len(s.parts)) for s in seen.sessions} == {
        "here": (Status.IDLE, 0),
        "there": (Status.BUSY, 1),
    }
    assert [a.id for a in seen.asks] == ["per_1"]
    assert seen.gaps == ()


def test_who_is_in_no_list_of_the_active_is_idle_wherever_it_belongs() -> None:
    seen = look(reader(known=[session("far", "/far")]))
    assert [(s.id, s.status) for s in seen.sessions] == [("far", Status.IDLE)]
    unread = look(reader(known=[session("far", "/far")], broken={"statuses"}))
    assert [(s.id, s.status) for s in unread.sessions] == [("far", Status.UNKNOWN)]


def test_what_is_loaded_is_asked_and_what_is_not_is_left_alone() -> None:
    shell = Shell("sh_1", "owner", THERE, "sleep 9", "running")
    made = reader(
        known=[session("owner", THERE), session("old", "/old")],
        loaded_directories=[OWN, THERE],
        listed_shells=[shell],
        unfinished={"old"},
    )
    seen = look(made)
    assert [scope.directory for scope in seen.scopes] == [OWN, THERE]
    assert seen.shells == (shell,)
    owner = seen.session("owner")
    assert owner is not None
    assert (owner.status, len(owner.parts)) == (Status.IDLE, 1), "whose shell runs is read with its calls"
    assert "/old" not in {directory for _, directory in made.calls}
    assert "has_unfinished" not in {name for name, _ in made.calls}
    everywhere = look(replace(made, calls=[]), every_directory=True)
    assert [scope.directory for scope in everywhere.scopes] == [OWN, THERE, "/old"]


def test_only_so_many_loaded_directories_are_asked_and_the_rest_is_a_gap() -> None:
    names = [f"/d{n}" for n in range(DIRECTORY_LIMIT + 2)]
    seen = look(reader(loaded_directories=names))
    assert len(seen.scopes) == 1 + DIRECTORY_LIMIT
    assert [gap.what for gap in seen.left_out] == [f"directory {name}" for name in names[-2:]]
    assert all("the server has it loaded" in gap.why for gap in seen.left_out)


def test_a_server_that_does_not_tell_what_it_has_loaded_is_searched_as_v1_is() -> None:
    made = reader(known=[session("old", "/old")], loaded_directories=None, unfinished={"old"})
    assert [scope.directory for scope in look(made).scopes] == [OWN, "/old"]
    failed = look(reader(known=[session("old", "/old")], broken={"loaded"}))
    assert [gap.what for gap in failed.gaps] == ["the directories that are loaded"]


def test_an_ask_names_each_list_that_has_it() -> None:
    own = ask("a", by="GET /api/session/a/permission")
    made = reader(known=[session("a")], busy={"a": OWN}, pending=[ask("a")], own_asks=[own])
    (seen,) = look(made).asks
    assert seen.listed_by == ("GET /lists", "GET /api/session/a/permission")


def test_an_ask_that_only_its_session_lists_is_seen_until_it_is_answered() -> None:
    own = ask("a", by="GET /api/session/a/permission")
    made = reader(known=[session("a")], busy={"a": OWN}, own_asks=[own])
    assert look(made).asks == (own,)
    gone = reader(known=[session("a")], busy={"a": OWN}, own_asks=[own], answered_meanwhile={"per_1"})
    assert look(gone).asks == ()


def test_a_sub_agents_ask_is_asked_of_the_sub_agent() -> None:
    parent, child = session("parent"), session("child", parent="parent")
    asked = ask("child", by="GET /api/session/child/permission")
    made = reader(known=[parent, child], busy={"parent": OWN, "child": OWN}, own_asks=[asked])
    assert [one.session_id for one in look(made).asks] == ["child"]


def test_a_form_of_no_session_is_no_gap() -> None:
    seen = look(reader(pending=[ask("global")]))
    assert [one.session_id for one in seen.asks] == ["global"]
    assert seen.gaps == ()


@pytest.mark.parametrize(
    ("broken", "what"),
    [
        ("shells", "shells in /own"),
        ("session_asks", "asks of session a"),
        ("asks", "asks in /own"),
        ("loaded", "the directories that are loaded"),
    ],
)
def test_a_read_that_fails_is_a_gap(broken: str, what: str) -> None:
    made = reader(known=[session("a")], busy={"a": OWN}, broken={broken})
    assert what in [gap.what for gap in look(made).gaps]


def test_a_second_look_asks_the_same_directories() -> None:
    made = reader(known=[session("a", THERE)], busy={"a": THERE}, loaded_directories=[OWN, THERE, "/more"])
    window = look_twice(made, sample_s=1, wait=lambda _: None)
    assert window.earlier is not None
    assert [s.directory for s in window.latest.scopes] == [s.directory for s in window.earlier.scopes]
    names = [name for name, _ in made.calls]
    assert names.count("loaded") == 3, "before anything else, and after each look for what it has loaded"
    assert names[0] == "loaded"


def test_v1_is_asked_for_no_shells_of_its_sessions_and_no_lists_of_their_own() -> None:
    made = FakeReader(known=[session("a")], busy={"a": OWN})
    look(made)
    assert "session_asks" not in {name for name, _ in made.calls}


def cut_off(name: str, updated: int = 9, idle: int | None = None) -> SessionFacts:
    newest = MessageFacts("msg", True, True, 1, error="aborted")
    done = replace(session(name, "/far"), updated_ms=updated, idle_ms=idle, newest=newest)
    return replace(done, parts=tuple(replace(part, status=PartStatus.ERROR) for part in done.parts))


def test_a_turn_without_a_mark_of_its_end_is_read_wherever_it_is() -> None:
    known = [cut_off("never"), cut_off("older", idle=8), cut_off("ended", idle=10)]
    made = reader(known=known)
    seen = look(made)
    assert [s.id for s in seen.sessions if s.newest] == ["never", "older"]
    assert [scope.directory for scope in seen.scopes] == [OWN], "and its location is not asked"
    made.calls.clear()
    again = look(made, peek=seen)
    assert [s.id for s in again.sessions if s.newest] == ["never", "older"]
    assert "session" not in {name for name, _ in made.calls}, "what has not changed is not read again"
    preview = reader(known=known, line=Line.V2_PREVIEW)
    assert [s.id for s in look(preview).sessions if s.newest] == [], "the preview makes no such mark"


def test_only_so_many_turns_without_an_end_are_read_and_the_rest_is_said() -> None:
    known = [cut_off(f"s{n}", updated=n + 1) for n in range(UNMARKED_LIMIT + 3)]
    made = reader(known=known)
    seen = look(made)
    assert sum(s.newest is not None for s in seen.sessions) == UNMARKED_LIMIT
    assert {"s0", "s1", "s2"} == {s.id for s in seen.sessions if s.newest is None}
    assert "3 older idle sessions" in [gap.what for gap in seen.blind]
