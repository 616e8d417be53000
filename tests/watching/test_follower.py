"""The follower on a real event stream, and the bell that it rings."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.client.event_server import EventServer, serving_events

from wedged.client.event_stream import EventStream
from wedged.client.v1.events import decode_event
from wedged.client.v2.events import decode_event as decode_v2
from wedged.facts.trial import Lane
from wedged.waiting import wait_for
from wedged.watching.bell import DoorBell, Heard
from wedged.watching.follower import Follower, calls_for_a_look


@pytest.fixture
def server() -> Iterator[EventServer]:
    with serving_events() as server:
        server.first = v1("server.connected")
        yield server


def v1(kind: str, directory: str = "/p", **properties: Any) -> dict[str, Any]:
    return {"directory": directory, "payload": {"type": kind, "properties": properties}}


def heard(bell: DoorBell) -> Heard:
    return bell.wait(10)


def test_events_ring_and_name_their_directory(server: EventServer) -> None:
    bell = DoorBell()
    follower = Follower(EventStream(server.url, "/event"), decode_event, bell)
    try:
        assert heard(bell) == Heard(frozenset({"/p"}), rung=True), "the first event calls for a look"
        server.say(v1("message.part.delta", "/quiet"))
        server.say(v1("permission.asked", "/asks"))
        assert heard(bell) == Heard(frozenset({"/quiet", "/asks"}), rung=True)
    finally:
        follower.close()


def test_a_directory_that_was_unloaded_is_told_apart(server: EventServer) -> None:
    bell = DoorBell()
    follower = Follower(EventStream(server.url, "/event"), decode_event, bell)
    try:
        heard(bell)
        disposed = {"type": "server.instance.disposed", "properties": {"directory": "/gone"}}
        server.say({"directory": "/gone", "payload": disposed})
        assert heard(bell) == Heard(disposed=frozenset({"/gone"}), rung=True)
    finally:
        follower.close()


def test_the_end_of_a_stream_is_told_with_its_reason(server: EventServer) -> None:
    bell = DoorBell()
    follower = Follower(EventStream(server.url, "/event"), decode_event, bell)
    heard(bell)
    server.drop()
    assert wait_for(lambda: bell.wait(1).over, "the end", 10)
    assert (follower.why, follower.refused) == ("the server ended its event stream", False)
    follower.close()


def test_a_server_without_a_stream_refuses(server: EventServer) -> None:
    server.head = b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n"
    bell = DoorBell()
    follower = Follower(EventStream(server.url, "/event"), decode_event, bell)
    assert wait_for(lambda: bell.wait(1).over, "the end", 10)
    assert follower.refused
    assert "HTTPStatusError" in follower.why
    follower.close()


def test_a_pause_goes_on_whatever_rings_and_keeps_it() -> None:
    bell = DoorBell()
    before = bell.now()
    bell.ring("/a")
    bell.pause(0.05)
    assert bell.now() - before >= 0.05
    assert bell.wait(0) == Heard(frozenset({"/a"}), rung=True)
    assert bell.wait(0) == Heard()


@pytest.mark.parametrize(
    ("lane", "kind", "calls"),
    [
        (Lane.ASK, "permission.replied", True),
        (Lane.STATUS, "idle", True),
        (Lane.PART, "running", True),
        (Lane.EVENT, "shell.exited", True),
        (Lane.EVENT, "session.deleted", True),
        (Lane.EVENT, "server.connected", True),
        (Lane.EVENT, "server.heartbeat", False),
        (Lane.EVENT, "message.part.delta", False),
        (Lane.EVENT, "session.tool.progress", False),
    ],
)
def test_which_events_call_for_a_look(lane: Lane, kind: str, calls: bool) -> None:
    assert calls_for_a_look(lane, kind) is calls


def test_v2_events_name_their_location() -> None:
    decoded = decode_v2({"type": "location.shutdown", "location": {"directory": "/l"}, "data": {}})
    assert decoded is not None
    assert decoded[3] == {"directory": "/l"}
