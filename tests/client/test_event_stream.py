"""The event stream: what it yields, how it ends, and what it refuses to hold."""

import socket
import threading
from collections.abc import Iterator

import pytest
from tests.client.event_server import EventServer, serving_events

from wedged.client import event_stream
from wedged.client.event_stream import LOST, REFUSED, EventStream, Unreadable, directory_of, stream_of
from wedged.errors import BadAnswer, UnknownDialect
from wedged.facts.server import Line

V1 = {"directory": "/p", "payload": {"type": "session.idle", "properties": {}}}


@pytest.fixture
def server() -> Iterator[EventServer]:
    with serving_events() as server:
        yield server


@pytest.fixture
def stream(server: EventServer) -> Iterator[EventStream]:
    stream = EventStream(server.url, "/event")
    yield stream
    stream.close()


def test_documents_come_one_by_one_and_what_is_no_json_keeps_its_size(
    server: EventServer, stream: EventStream
) -> None:
    documents = stream.documents()
    assert next(documents) == {"type": "server.connected"}
    server.say(V1)
    server.send(b"data: {half\n\n")
    assert next(documents) == V1
    assert next(documents) == Unreadable(5)
    server.drop()
    with pytest.raises(StopIteration):
        next(documents)


def test_it_can_be_followed_again_after_its_end(server: EventServer, stream: EventStream) -> None:
    for _ in range(2):
        documents = stream.documents()
        next(documents)
        server.drop()
        assert list(documents) == []


def test_hanging_up_wakes_the_reader(server: EventServer, stream: EventStream) -> None:
    first, over = threading.Event(), threading.Event()

    def read() -> None:
        for _ in stream.documents():
            first.set()
        over.set()

    reader = threading.Thread(target=read)
    reader.start()
    assert first.wait(10)
    stream.hang_up()
    reader.join(10)
    assert over.is_set()


def test_what_is_refused_and_what_is_lost(server: EventServer) -> None:
    server.head = b"HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n"
    with pytest.raises(REFUSED):
        next(EventStream(server.url, "/event").documents())
    server.head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
    with pytest.raises(REFUSED):
        next(EventStream(server.url, "/event").documents())
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(LOST):
        next(EventStream(f"http://127.0.0.1:{port}", "/event").documents())


def test_an_event_without_end_is_not_held(
    server: EventServer, stream: EventStream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "_MAX_EVENT_BYTES", 1000)
    documents = stream.documents()
    next(documents)
    server.send(b"data: " + b"x" * 2000)
    with pytest.raises(BadAnswer, match="GET /event sends an event"):
        next(documents)


@pytest.mark.parametrize(
    ("document", "directory"),
    [
        (V1, "/p"),
        ({"directory": "global", "payload": {}}, ""),
        ({"type": "x", "location": {"directory": "/there"}}, "/there"),
        ({"type": "x", "location": "/there"}, ""),
        ({"directory": 3}, ""),
        ([], ""),
        (Unreadable(1), ""),
    ],
)
def test_the_directory_of_an_event(document: object, directory: str) -> None:
    assert directory_of(document) == directory


def test_each_line_has_its_stream() -> None:
    assert stream_of(Line.V1)[0] == "/global/event"
    assert stream_of(Line.V2_PREVIEW) == stream_of(Line.V2_RELEASED)
    with pytest.raises(UnknownDialect):
        stream_of(Line.UNKNOWN)
