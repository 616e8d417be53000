"""The recorder against a real event stream, one that breaks on command."""

from collections.abc import Iterator

import pytest
from tests.client.event_server import EventServer, serving_events

from wedged.client.v1.events import decode_event
from wedged.errors import DeadlinePassed
from wedged.facts.trial import Lane
from wedged.lab.recorder import DeafRecorder, Recorder
from wedged.lab.timeline import Timeline


@pytest.fixture
def stream() -> Iterator[EventServer]:
    with serving_events() as stream:
        stream.first = document("server.connected")
        yield stream


def document(kind: str, **properties: object) -> dict[str, object]:
    return {"directory": "/p", "payload": {"type": kind, "properties": properties}}


def status(stream: EventServer, session: str, kind: str) -> None:
    stream.say(document("session.status", sessionID=session, status={"type": kind}))


def test_events_land_on_the_lane_of_their_subject(stream: EventServer) -> None:
    timeline = Timeline()
    with Recorder(stream.url, "/global/event", decode_event, timeline):
        status(stream, "ses_a", "busy")
        found = timeline.watch("ses_a", lambda o: o.lane is Lane.STATUS, 10)
    assert found is not None
    assert found.kind == "busy"


def test_a_lost_connection_is_a_gap_with_a_beginning_and_an_end(stream: EventServer) -> None:
    timeline = Timeline()
    with Recorder(stream.url, "/global/event", decode_event, timeline):
        stream.drop()
        assert timeline.watch("", lambda o: o.kind == "gap ends", 10)
        status(stream, "ses_a", "idle")
        assert timeline.watch("ses_a", lambda o: o.kind == "idle", 10)
    gaps = [o.kind for o in timeline.of("") if o.lane is Lane.RECORDER]
    assert gaps == ["gap begins", "gap ends"]


def test_what_is_not_json_is_noted_and_the_stream_goes_on(stream: EventServer) -> None:
    timeline = Timeline()
    with Recorder(stream.url, "/global/event", decode_event, timeline):
        stream.send(b"data: {half\n\n")
        status(stream, "ses_a", "idle")
        assert timeline.watch("ses_a", lambda o: o.kind == "idle", 10)
    assert [o.kind for o in timeline.of("") if o.lane is Lane.RECORDER] == ["unreadable event"]


def test_closing_is_no_gap(stream: EventServer) -> None:
    timeline = Timeline()
    recorder = Recorder(stream.url, "/global/event", decode_event, timeline).start()
    recorder.close()
    recorder.close()
    assert not [o for o in timeline.of("") if o.lane is Lane.RECORDER]


def test_an_end_that_was_announced_is_no_gap_and_the_recorder_ends_with_it(stream: EventServer) -> None:
    timeline = Timeline()
    with Recorder(stream.url, "/global/event", decode_event, timeline) as recorder:
        with pytest.raises(DeadlinePassed, match="event stream to end"):
            recorder.wait_end(0)
        recorder.expect_end()
        stream.drop()
        recorder.wait_end(10)
    assert [o.kind for o in timeline.of("") if o.lane is Lane.RECORDER] == ["stream ends"]


def test_the_deaf_recorder_connects_and_drops_everything(stream: EventServer) -> None:
    timeline = Timeline()
    with DeafRecorder(stream.url, "/global/event", decode_event, timeline):
        status(stream, "ses_a", "busy")
        assert timeline.watch("ses_a", lambda o: o.lane is Lane.STATUS, 0.3) is None
