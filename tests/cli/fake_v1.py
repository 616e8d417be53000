"""A V1 server with the answers that a real one gave beside a wedged session, and a test's changes to them."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

SAMPLE = Path(__file__).parents[1] / "client" / "samples" / "v1-1.18.34.json"
ALL_SESSIONS = "/experimental/session"
Wire = dict[str, Any]


def wedged_answers() -> Wire:
    """The routes of a server with one wedged session, as Python values."""
    seen = json.loads(SAMPLE.read_text())
    (session,) = seen["sessions"]
    return {
        "/global/health": {"healthy": True, "version": "1.18.34"},
        "/path": seen["path"],
        "/session": seen["sessions"],
        "/session/status": seen["status"],
        "/permission": seen["permission"],
        "/question": [],
        f"/session/{session['id']}": session,
        f"/session/{session['id']}/message": seen["messages"],
    }


@contextmanager
def serving(answers: Wire, *, seen: list[str] | None = None, password: str = "") -> Iterator[str]:
    """The address of a server that gives `answers`; a function among them handles its request itself."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if seen is not None:
                seen.append(f"{self.command} {self.path}")
            path = urlsplit(self.path).path
            # The list across projects holds the same sessions here.
            answer = answers.get(path, answers.get("/session") if path == ALL_SESSIONS else None)
            if password and self.headers.get("Authorization") is None:
                self.send_error(401)
            elif callable(answer):
                answer(self)
            elif answer is None:
                self.send_error(404)
            else:
                reply(self, json.dumps(answer))

        do_POST = do_GET  # noqa: N815 - http.server names it

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def reply(
    handler: BaseHTTPRequestHandler, body: str, kind: str = "application/json", status: int = 200
) -> None:
    """One whole answer."""
    content = body.encode()
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def answering(
    body: str, kind: str = "application/json", status: int = 200
) -> Callable[[BaseHTTPRequestHandler], None]:
    """A route with an answer that is not JSON, or not a success."""
    return lambda handler: reply(handler, body, kind, status)
