"""A web page that does not come: what a slow download waits for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class SlowPage:
    """Listens at `url` on 127.0.0.1. `asked` is set once somebody asks; the answer comes when it closes."""

    url: str
    asked: threading.Event = field(default_factory=threading.Event)


@contextmanager
def slow_page() -> Iterator[SlowPage]:
    """Serve one from here to the end of the block."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page.asked.set()
            over.wait()
            self.send_error(503)

        def log_message(self, *_: object) -> None:
            """Nothing: what it serves is on the timeline of whoever asked."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    # An asker that has hung up must not hold up the end.
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    page = SlowPage(f"http://127.0.0.1:{server.server_address[1]}/slow")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="slow page", daemon=True)
    thread.start()
    try:
        yield page
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()
