"""A small copy of the code host's API on 127.0.0.1: issues, comments, artifacts, workflow runs, Pages."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

TOKEN = "a-token-that-must-not-be-shown"
REPOSITORY = "/repos/owner/name"


@dataclass
class FakeHost:
    """What the host holds. It answers as GitHub does where a night asks, and 404 to everything else."""

    url: str = ""
    issues: list[dict[str, object]] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)
    artifacts: list[dict[str, object]] = field(default_factory=list)
    runs: list[dict[str, object]] = field(default_factory=list)
    pages: dict[str, object] | None = None
    enabled: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    fail: int = 0

    def answer(
        self, method: str, path: str, query: dict[str, str], body: dict[str, object]
    ) -> tuple[int, object]:
        """Status and JSON for one request."""
        if self.fail:
            return self.fail, {"message": "no"}
        match method, path.removeprefix(REPOSITORY).strip("/").split("/"):
            case "GET", ["issues"]:
                page, size = int(query["page"]), int(query["per_page"])
                mine = [
                    i for i in self.issues if i["state"] == query["state"] and query["labels"] in _labels(i)
                ]
                return 200, mine[(page - 1) * size : page * size]
            case "POST", ["issues"]:
                issue = {"number": len(self.issues) + 1, "state": "open", **body}
                self.issues.append(issue)
                return 201, issue
            case "PATCH", ["issues", number]:
                self.issues[int(number) - 1].update(body)
                return 200, self.issues[int(number) - 1]
            case "POST", ["issues", number, "comments"]:
                self.comments.append((int(number), str(body["body"])))
                return 201, {}
            case "GET", ["actions", "artifacts"]:
                return 200, {"artifacts": [a for a in self.artifacts if a["name"] == query["name"]]}
            case "GET", ["actions", "workflows", "nightly.yml", "runs"]:
                return 200, {"workflow_runs": self.runs[: int(query["per_page"])]}
            case "PUT", ["actions", "workflows", workflow, "enable"]:
                self.enabled.append(workflow)
                return 204, None
            case "GET", ["pages"] if self.pages is not None:
                return 200, self.pages
        return 404, {"message": "Not Found"}

    @property
    def open(self) -> list[str]:
        """The titles of the open issues."""
        return sorted(str(issue["title"]) for issue in self.issues if issue["state"] == "open")


def _labels(issue: dict[str, object]) -> list[str]:
    labels = issue.get("labels")
    return [str(label) for label in labels] if isinstance(labels, list) else []


@contextmanager
def fake_host() -> Iterator[FakeHost]:
    """The host, served until the block ends."""
    held = FakeHost()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            parts = urlsplit(self.path)
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else {}
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            held.asked.append(f"{self.command} {parts.path.removeprefix(REPOSITORY)}")
            allowed = self.headers.get("Authorization") == f"Bearer {TOKEN}"
            status, answer = held.answer(self.command, parts.path, query, body) if allowed else (401, {})
            data = b"" if answer is None else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_PUT = _serve  # noqa: N815 - http.server names them

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    held.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield held
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
