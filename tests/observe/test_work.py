"""The look for work: every loaded location is asked, and what can't run here leaves no gap."""

from dataclasses import replace

import pytest

from wedged.facts.process import ProcessFacts, Shell, Tree
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Gap, Snapshot
from wedged.observe.live import ELSEWHERE_LIMIT
from wedged.observe.work import look_for_work

from .fake_reader import FakeReader

BEGAN_S = 1_000_000.0
BEFORE, AFTER = int(BEGAN_S * 1000) - 600_000, int(BEGAN_S * 1000) + 600_000
SERVER = Tree(ProcessFacts(1, 0, BEGAN_S, "opencode"))


class V2Reader(FakeReader):
    def identity(self) -> ServerIdentity:
        return ServerIdentity(Line.V2_RELEASED, "2.0.15")


def elsewhere(number: int, updated_ms: int, name: str = "old") -> list[SessionFacts]:
    made = (SessionFacts(f"{name}_{n}", f"/{name}", Status.UNKNOWN) for n in range(number))
    return [replace(one, updated_ms=updated_ms) for one in made]


def look(reader: FakeReader, tree: Tree | None = SERVER) -> Snapshot:
    return look_for_work(reader, tree=lambda: tree or Gap("processes of the server", "not here"))


def test_every_loaded_location_is_asked_however_many_there_are() -> None:
    loaded = [f"/d{n}" for n in range(60)]
    shell = Shell("sh_1", "ses_1", "/d59", "sleep", "running")
    known = [SessionFacts("ses_1", "/d59", Status.UNKNOWN)]
    reader = V2Reader(known=known, loaded_directories=loaded, line=Line.V2_RELEASED, listed_shells=[shell])
    seen = look(reader)
    assert {scope.directory for scope in seen.scopes} >= set(loaded)
    assert [one.id for one in seen.shells] == ["sh_1"]
    assert seen.gaps == ()


def test_a_location_that_is_not_loaded_is_not_asked() -> None:
    known = [SessionFacts("ses_1", "/never-loaded", Status.UNKNOWN)]
    reader = V2Reader(known=known, loaded_directories=["/own"], line=Line.V2_RELEASED)
    look(reader)
    assert ("shells", "/never-loaded") not in reader.calls


@pytest.mark.parametrize(
    ("updated_ms", "tree", "left"),
    [(BEFORE, SERVER, 0), (AFTER, SERVER, 1), (BEFORE, None, 1)],
    ids=["older than the server", "younger than the server", "the server's age is not known"],
)
def test_v1_sessions_that_were_left_out(updated_ms: int, tree: Tree | None, left: int) -> None:
    reader = FakeReader(known=elsewhere(ELSEWHERE_LIMIT + 5, updated_ms))
    assert len(look(reader, tree).gaps) == left


def test_one_young_session_among_those_left_out_keeps_the_gap() -> None:
    young = elsewhere(ELSEWHERE_LIMIT, AFTER, "young")
    reader = FakeReader(known=[*young, *elsewhere(5, BEFORE)])
    assert [gap.what for gap in look(reader).gaps] == ["5 older sessions of other directories"]


def test_a_list_that_is_broken_stays_a_gap() -> None:
    reader = FakeReader(known=elsewhere(ELSEWHERE_LIMIT + 5, BEFORE), broken={"asks"})
    assert {gap.what for gap in look(reader).gaps} == {"asks in /own"}
