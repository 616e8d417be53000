"""Calls of sessions that nothing works on: found, read twice, and what else could run them looked for."""

from collections.abc import Collection
from dataclasses import replace

from tests.observe.fake_reader import OWN, FakeReader

from wedged.facts.process import Holders, ProcessFacts, Stray, Tree
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Gap
from wedged.observe.idle import IDLE_LIMIT
from wedged.observe.live import look
from wedged.observe.surroundings import Surroundings

SERVER = ProcessFacts(1, 0, 0.0, "opencode")
TREE = Tree(SERVER)
PART = ToolPart("prt", "call", "msg", "a", "bash", PartStatus.RUNNING, {"command": "sleep 9"})


def session(name: str = "a", directory: str = OWN, **more: int) -> SessionFacts:
    return SessionFacts(name, directory, Status.UNKNOWN, parts=(PART,), message_count=2, **more)  # type: ignore[arg-type]


def test_an_unfinished_call_of_an_idle_session_is_read_and_looked_around_for() -> None:
    asked: list[tuple[Tree, list[str]]] = []
    stray = Stray(ProcessFacts(7, 1, 0.0, "bash"))

    def around(tree: Tree, sessions: Collection[SessionFacts]) -> Surroundings:
        asked.append((tree, [one.id for one in sessions]))
        return Surroundings(Holders((SERVER,), held=True), (stray,), (Gap("x", "y"),))

    reader = FakeReader(known=[session(), session("b")], unfinished={"a"})
    seen = look(reader, tree=lambda: TREE, around=around)
    assert [(s.id, s.status, len(s.parts)) for s in seen.sessions] == [
        ("a", Status.IDLE, 1),
        ("b", Status.IDLE, 0),
    ]
    assert asked == [(TREE, ["a"])]
    assert (seen.holders, seen.strays, seen.blind) == (
        Holders((SERVER,), held=True),
        (stray,),
        (Gap("x", "y"),),
    )
    assert [name for name, _ in reader.calls].count("session") == 2, "it is read once more"


def test_a_turn_that_ended_between_two_reads_is_not_left_in_hand() -> None:
    class Ends(FakeReader):
        def session(self, session_id: str, directory: str = "") -> SessionFacts:
            first = not any(name == "session" for name, _ in self.calls)
            read = super().session(session_id, directory)
            return read if first else replace(read, parts=(replace(PART, status=PartStatus.COMPLETED),))

    seen = look(Ends(known=[session()], unfinished={"a"}), tree=lambda: TREE)
    (one,) = seen.sessions
    assert not one.unfinished
    assert (seen.holders, seen.strays) == (None, None), "nothing is looked around for"


def test_only_what_was_asked_is_looked_through() -> None:
    """On the preview a read of another location's session would load that location."""
    reader = FakeReader(
        known=[session("far", "/far")], unfinished={"far"}, loaded_directories=[OWN], broken=set()
    )
    assert [s.parts for s in look(reader).sessions] == [()]
    assert not any(name == "has_unfinished" for name, _ in reader.calls)


def test_a_second_look_asks_again_only_where_something_changed() -> None:
    reader = FakeReader(known=[session("a", updated_ms=1), session("b", updated_ms=1)], unfinished={"a"})
    first = look(reader)
    reader.calls.clear()
    second = look(reader, peek=first)
    assert second.sessions == first.sessions
    assert not any(name == "has_unfinished" for name, _ in reader.calls)


def test_the_limit_is_said_and_makes_nothing_unknown() -> None:
    reader = FakeReader(known=[session(f"s{n}", updated_ms=n) for n in range(IDLE_LIMIT + 2)])
    seen = look(reader)
    assert [gap.what for gap in seen.blind] == ["2 older idle sessions"]
    assert seen.gaps == ()


def test_a_turn_with_its_mark_of_an_end_is_not_looked_through() -> None:
    ended = session("ended", updated_ms=5, idle_ms=5)
    went_on = session("went-on", updated_ms=6, idle_ms=5)
    reader = FakeReader(known=[ended, went_on], unfinished={"ended", "went-on"})
    seen = look(reader)
    assert [where for name, where in reader.calls if name == "has_unfinished"] == ["went-on"]
    assert {one.id for one in seen.sessions if one.unfinished} == {"went-on"}
