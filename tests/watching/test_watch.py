"""The watch over a whole life of a server, in a time of its own."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from tests.diagnose.looks import ASK_ID
from tests.watching.world import World

from wedged.errors import Unreachable
from wedged.watching.bell import Heard
from wedged.watching.pace import DIRECTORIES, Pace, directories
from wedged.watching.watch import Kind, Rules

A, B = f"{ASK_ID[:-1]}a", f"{ASK_ID[:-1]}b"
RULES = Rules(Pace(interval_s=30.0, grace_s=0.0), seconds=300.0)
RUNG = Heard(rung=True)


def does(world: World, /, heard: Heard | None = RUNG, **state: Any) -> Callable[[], Heard | None]:
    """An event that changes the world, and is `heard`."""

    def happen() -> Heard | None:
        for name, value in state.items():
            setattr(world, name, value)
        return heard

    return happen


def test_once_when_it_appears_and_once_when_it_ends() -> None:
    world = World()
    world.events = {100.0: does(world, asks=(A,)), 200.0: does(world, asks=())}
    assert world.watch(RULES) == 1
    assert world.story() == ["watching", "appeared a", "ended a"]
    assert [round(at) for at, _ in world.told] == [0, 102, 202], "an event is followed by two looks"


def test_what_no_event_told_is_found_by_looking() -> None:
    world = World()
    world.events = {100.0: does(world, heard=None, asks=(A,))}
    assert world.watch(RULES) == 1
    assert world.story() == ["watching", "appeared a"]
    assert world.told[1][0] <= 100 + 30 + 5


def test_what_is_there_at_the_beginning_is_told() -> None:
    world = World(asks=(A, B))
    assert world.watch(RULES) == 1
    assert world.story() == ["watching", "appeared a", "appeared b"]


def test_an_ask_is_told_when_it_reaches_the_grace() -> None:
    world = World()
    world.born += 0
    world.events = {2.0: does(world, asks=(A,))}
    # The ask is as old as the watch.
    world.watch(Rules(Pace(interval_s=3600.0, grace_s=60.0), seconds=100.0))
    assert world.story() == ["watching", "appeared a"]
    assert 60 <= world.told[1][0] < 64


def test_what_flickers_between_two_looks_is_not_told() -> None:
    world = World()
    world.events = {100.0: does(world, asks=(A,)), 101.0: does(world, heard=None, asks=())}
    assert world.watch(RULES) == 0
    assert world.story() == ["watching"]


def test_what_can_not_be_read_ends_nothing_and_is_told_once() -> None:
    world = World(asks=(A,))
    world.events = {
        100.0: does(world, asks=(), gaps=("asks in /project",)),
        150.0: does(world),
        200.0: does(world, gaps=()),
    }
    assert world.watch(RULES) == 1
    assert world.story() == ["watching", "appeared a", "unread", "ended a"]
    assert world.told[3][0] > 200


def test_a_deleted_session_ends_its_findings() -> None:
    world = World(asks=(A,))
    world.events = {100.0: does(world, asks=(), gaps=("session ses_a",), gone=("ses_a",))}
    world.watch(RULES)
    assert world.story() == ["watching", "appeared a", "unread", "ended a"]


def test_a_server_that_goes_and_comes_back() -> None:
    world = World(asks=(A,))
    world.events = {
        50.0: lambda: end_stream(world, down=True),
        120.0: does(world, heard=None, down=False, asks=(), pid=200),
    }
    assert world.watch(RULES) == 1
    assert world.story() == ["watching", "appeared a", "lost", "back", "ended a"]
    assert world.told[3][1].restarted is True
    waits = [b - a for a, b in pairwise(at for at in world.dials if 50 <= at <= 120)]
    assert waits == sorted(waits), "it asks less and less often"
    assert 0.5 <= waits[0] <= waits[-1] <= 5.0
    assert all(stream.closed for stream in world.streams)


def end_stream(world: World, **state: Any) -> Heard:
    world.streams[-1].why = "it ended"
    does(world, **state)()
    return Heard(over=True)


def test_a_restart_between_two_looks_is_told_as_well() -> None:
    world = World(asks=(A,))
    world.events = {50.0: lambda: end_stream(world, pid=200, asks=(B,))}
    world.watch(RULES)
    assert world.story() == ["watching", "appeared a", "lost", "back", "ended a", "appeared b"]


def test_a_stream_that_breaks_alone_is_no_news() -> None:
    world = World(asks=(A,))
    for at in range(10, 290, 10):
        world.events[float(at)] = lambda: end_stream(world)
    world.watch(RULES)
    assert world.story() == ["watching", "appeared a"]
    assert len(world.streams) < 12, "and it is asked for less and less often"


def test_without_events_it_looks_all_the_same() -> None:
    world = World(refuses=True)
    world.events = {100.0: does(world, heard=None, asks=(A,))}
    assert world.watch(RULES) == 1
    assert world.story() == ["watching", "unread", "appeared a"]
    assert len(world.dials) == 1


def test_until_the_first_finding() -> None:
    world = World()
    world.events = {100.0: does(world, asks=(A,))}
    assert world.watch(Rules(Pace(grace_s=0.0), until_finding=True)) == 1
    assert world.time < 110


@pytest.mark.parametrize(
    ("state", "code"), [({}, 0), ({"gaps": ("asks in /project",)}, 3), ({"down": True}, 3)]
)
def test_the_exit_code_where_nothing_was_found(state: dict[str, Any], code: int) -> None:
    world = World()
    world.events = {100.0: does(world, **state)}
    assert world.watch(RULES) == code


def test_a_server_that_was_never_there_is_an_error() -> None:
    with pytest.raises(Unreachable):
        World(down=True).watch(RULES)


def test_a_burst_of_events_is_one_look_and_every_tenth_look_searches_everywhere() -> None:
    world = World()
    world.watch(Rules(Pace(interval_s=30.0), seconds=950.0))
    whole = [at for at, whole, *_ in world.looks if whole]
    assert len(world.looks) == 32
    assert whole == [0.0, 300.0, 600.0, 900.0]


def test_the_directories_that_speak_are_asked_and_those_that_were_unloaded_are_not() -> None:
    world = World()
    heard = Heard(frozenset({"/a", "/b"}), rung=True)
    world.events = {10.0: lambda: heard, 20.0: lambda: Heard(disposed=frozenset({"/a"}), rung=True)}
    world.watch(Rules(Pace(grace_s=0.0), named=("/mine",), seconds=25.0))
    assert [loaded for *_, loaded in world.looks] == [
        (),
        ("/a", "/b", "/project"),
        ("/b", "/project"),
    ]
    assert {named for *_, named, _ in world.looks} == {("/mine",)}
    many = Heard(frozenset(f"/{n}" for n in range(100)))
    assert len(directories((), many)) == DIRECTORIES


def test_a_slow_look_slows_the_watch_down() -> None:
    seen = World().take(None, (), (), ())
    assert Pace(30.0).until_next(seen, 0.1) == 30.0
    assert Pace(30.0).until_next(seen, 6.0) == pytest.approx(120.0)


def test_every_kind_is_told_in_words() -> None:
    assert {kind.value for kind in Kind} == {"watching", "appeared", "ended", "lost", "back", "unread"}
