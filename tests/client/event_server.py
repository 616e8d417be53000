"""A server of one event stream that does on command what a real one does by accident."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


def event(document: object) -> bytes:
    """One event as it goes over the wire."""
    return f"data: {json.dumps(document)}\n\n".encode()


@dataclass
class EventServer:
    """`say` and `send` reach whoever connected last, `drop` hangs up on them; `first` greets each."""

    listener: socket.socket
    first: object = field(default_factory=lambda: {"type": "server.connected"})
    head: bytes = HEAD
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
            self.peers.append(peer)
            peer.recv(65536)
            peer.sendall(self.head + (event(self.first) if self.head is HEAD else b""))
            if self.head is not HEAD:
                peer.shutdown(socket.SHUT_RDWR)

    def say(self, document: object) -> None:
        self.send(event(document))

    def send(self, content: bytes) -> None:
        self.peers[-1].sendall(content)

    def drop(self) -> None:
        self.peers[-1].shutdown(socket.SHUT_RDWR)


@contextmanager
def serving_events() -> Iterator[EventServer]:
    """A server until the end of the block, with every connection closed then."""
    server = EventServer(socket.create_server(("127.0.0.1", 0)))
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.listener.shutdown(socket.SHUT_RDWR)
        server.listener.close()
        thread.join(10)
        for peer in server.peers:
            peer.close()
