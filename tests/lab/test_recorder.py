"""The recorder against a real event stream, one that breaks on command."""

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from wedged.client.v1.events import decode_event
from wedged.errors import DeadlinePassed
from wedged.facts.trial import Lane
from wedged.lab.recorder import DeafRecorder, Recorder
from wedged.lab.timeline import Timeline


@dataclass
class Stream:
    """A server of one route. `say` sends to whoever is connected; `drop` hangs up on them."""

    listener: socket.socket
    peers: list[socket.socket] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def serve(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            peer.recv(65536)
            peer.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
            peer.sendall(event("server.connected"))
            self.peers.append(peer)

    def say(self, kind: str, **properties: object) -> None:
        self.peers[-1].sendall(event(kind, **properties))

    def drop(self) -> None:
        self.peers[-1].shutdown(socket.SHUT_RDWR)


def event(kind: str, **properties: object) -> bytes:
    document = {"directory": "/p", "payload": {"type": kind, "properties": properties}}
    return f"data: {json.dumps(document)}\n\n".encode()


@pytest.fixture
def stream() -> Iterator[Stream]:
    listener = socket.create_server(("127.0.0.1", 0))
    served = Stream(listener)
    thread = threading.Thread(target=served.serve, daemon=True)
    thread.start()
    yield served
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(10)
    for peer in served.peers:
        peer.close()


def status(stream: Stream, session: str, kind: str) -> None:
    stream.say("session.status", sessionID=session, status={"type": kind})


def test_events_land_on_the_lane_of_their_subject(stream: Stream) -> None:
    timeline = Timeline()
    with Recorder(stream.url, "/global/event", decode_event, timeline):
        status(stream, "ses_a", "busy")
        found = timeline.watch("ses_a", lambda o: o.lane is Lane.STATUS, 10)
    assert found is not None
    assert found.kind == "busy"


def test_a_lost_connection_is_a_gap_with_a_beginning_and_an_end(stream: Stream) -> None:
    timeline = Timeline()
    with Recorder(stream.url, "/global/event", decode_event, timeline):
        stream.drop()
        assert timeline.watch("", lambda o: o.kind == "gap ends", 10)
        status(stream, "ses_a", "idle")
        assert timeline.watch("ses_a", lambda o: o.kind == "idle", 10)
    gaps = [o.kind for o in timeline.of("") if o.lane is Lane.RECORDER]
    assert gaps == ["gap begins", "gap ends"]


def test_what_is_not_json_is_noted_and_the_stream_goes_on(stream: Stream) -> None:
    timeline = Timeline()
    with Recorder(stream.url, "/global/event", decode_event, timeline):
        stream.peers[-1].sendall(b"data: {half\n\n")
        status(stream, "ses_a", "idle")
        assert timeline.watch("ses_a", lambda o: o.kind == "idle", 10)
    assert [o.kind for o in timeline.of("") if o.lane is Lane.RECORDER] == ["unreadable event"]


def test_closing_is_no_gap(stream: Stream) -> None:
    timeline = Timeline()
    recorder = Recorder(stream.url, "/global/event", decode_event, timeline).start()
    recorder.close()
    recorder.close()
    assert not [o for o in timeline.of("") if o.lane is Lane.RECORDER]


def test_an_end_that_was_announced_is_no_gap_and_the_recorder_ends_with_it(stream: Stream) -> None:
    timeline = Timeline()
    with Recorder(stream.url, "/global/event", decode_event, timeline) as recorder:
        with pytest.raises(DeadlinePassed, match="event stream to end"):
            recorder.wait_end(0)
        recorder.expect_end()
        stream.drop()
        recorder.wait_end(10)
    assert [o.kind for o in timeline.of("") if o.lane is Lane.RECORDER] == ["stream ends"]


def test_the_deaf_recorder_connects_and_drops_everything(stream: Stream) -> None:
    timeline = Timeline()
    with DeafRecorder(stream.url, "/global/event", decode_event, timeline):
        status(stream, "ses_a", "busy")
        assert timeline.watch("ses_a", lambda o: o.lane is Lane.STATUS, 0.3) is None
