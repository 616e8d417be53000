"""A server that answers each connection with exactly the bytes that a test wants, at the pace it wants."""

import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

Answer = Callable[[str, socket.socket, threading.Event], None]
"""Gets the request's head, the connection, and the event that says the test is over."""


class RawServer:
    """One thread a connection; everything ends with the context."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept)]
        self.heads: list[str] = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(10)
            assert not thread.is_alive()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(10)
            head = b""
            try:
                while b"\r\n\r\n" not in head:
                    got = connection.recv(65536)
                    if not got:
                        return
                    head += got
                self.heads.append(head.decode())
                self._answer(head.decode(), connection, self._over)
            except OSError:
                return  # the client hung up, which is often what the test is about


def http(
    body: bytes | str, *, status: str = "200 OK", kind: str = "application/json", more: str = ""
) -> bytes:
    """One whole answer that ends its connection."""
    content = body.encode() if isinstance(body, str) else body
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n{more}"
    return f"{head}Connection: close\r\n\r\n".encode() + content


def always(answer: bytes) -> Answer:
    """The same bytes for every request."""
    return lambda head, connection, over: connection.sendall(answer)


def never(head: str, connection: socket.socket, over: threading.Event) -> None:
    """Take the request and say nothing."""
    over.wait(60)


def drip(start: bytes) -> Answer:
    """Send `start`, then a byte every tenth of a second for as long as anybody reads."""

    def answer(head: str, connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(start)
        while not over.wait(0.1):
            connection.sendall(b" ")

    return answer


def flood(start: bytes, chunk: bytes) -> Answer:
    """Send `start`, then `chunk` again and again for as long as anybody reads."""

    def answer(head: str, connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(start)
        while not over.is_set():
            connection.sendall(chunk)

    return answer
