"""A small client of an OpenCode server that makes the usual mistakes about stuck sessions. Needs httpx.

    wedged lab hold W102 --server v1@1.17.18 --observe -- python examples/wrong_client.py

Each of them is in a real client's history, and each is a line here. `right_client.py` is the other one.
"""

import json
import os
import threading
from typing import Any

import httpx

RETRIES, RETRY_S, WATCH_S = 8, 0.1, 2.5


class WrongClient:
    """One session of one server, V1 or V2."""

    def __init__(self, held: dict[str, Any], password: str) -> None:
        self.session, self.directory = held["session"], held["directory"]
        auth = httpx.BasicAuth(held["user"], password) if password else None
        self.http = httpx.Client(base_url=held["url"], auth=auth, trust_env=False, timeout=30)
        self.v2 = held["server"].startswith("v2@")

    def run(self) -> None:
        """Look once, believe it, and act."""
        # Mistake: the list is read first and the stream opened afterwards; what comes between is lost.
        asks = self.asks()
        threading.Thread(target=self.follow, daemon=True).start()
        # Mistake: V1's list is of the server's own directory. Mistake: V2's knows no background shell.
        answer = self.http.get("/api/session/active" if self.v2 else "/session/status").json()
        working = answer["data"] if self.v2 else answer
        show(f"{self.session}: {'works' if self.session in working else 'finished'}")
        for ask in asks:
            self.allow(ask)
        if self.v2:
            self.stop_and_restart()
        threading.Event().wait(WATCH_S)

    def follow(self) -> None:
        """Keep the stream open and hear nothing."""
        route = "/api/event" if self.v2 else "/event"
        with self.http.stream("GET", route, timeout=None) as answer:
            for _ in answer.iter_lines():
                pass

    def asks(self) -> list[dict[str, Any]]:
        """Mistake: the session's own asks alone; a sub-agent's are passed over."""
        if self.v2:
            return list(self.http.get(f"/api/session/{self.session}/permission").json()["data"])
        listed = self.http.get("/permission", params={"directory": self.directory}).json()
        return [ask for ask in listed if ask["sessionID"] == self.session]

    def allow(self, ask: dict[str, Any]) -> None:
        """Mistake: `always`, and nobody has seen it. Mistake: 404 is tried again."""
        for _ in range(RETRIES):
            if self.v2:
                path = f"/api/session/{self.session}/permission/{ask['id']}/reply"
                answer = self.http.post(path, json={"decision": "always", "reply": "always"})
            else:
                path, scope = f"/permission/{ask['id']}/reply", {"directory": self.directory}
                answer = self.http.post(path, params=scope, json={"reply": "always"})
            if answer.is_success:
                return
            threading.Event().wait(RETRY_S)
        show(f"request failed: {ask['id']}")

    def stop_and_restart(self) -> None:
        """Mistake: an interrupt for a stop. Mistake: no session is active, so nothing can be lost."""
        self.http.post(f"/api/session/{self.session}/interrupt")
        self.http.post("/api/location/reload")


def show(line: str) -> None:
    """What a person sees."""
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    WrongClient(json.loads(os.environ["WEDGED_HELD"]), os.environ["OPENCODE_SERVER_PASSWORD"]).run()
