"""A small client of an OpenCode server that is right about stuck sessions. Needs httpx.

    wedged lab hold W301 --server v2@2.0.15 --observe -- python examples/right_client.py

It watches the one session that WEDGED_HELD names, shows its state as lines of text, declines what is asked,
and stops what runs in the background. What it does right is said where it does it.
"""

import json
import os
import queue
import threading
from collections.abc import Iterator
from typing import Any

import httpx

# Events that change what is shown. The others (a text that grows, a heartbeat) come by the hundred.
TELLS = (
    "form.",
    "location.shutdown",
    "permission.",
    "question.",
    "server.connected",
    "server.instance.disposed",
    "session.execution.",
    "session.idle",
    "session.status",
    "shell.",
)
# How long a person looks at a dialog before clicking, and how long nothing may happen before we leave.
READS_S, QUIET_S = 1.0, 1.0


class RightClient:
    """One session of one server, V1 or V2."""

    def __init__(self, held: dict[str, Any], password: str) -> None:
        self.session, self.directory = held["session"], held["directory"]
        auth = httpx.BasicAuth(held["user"], password) if password else None
        self.http = httpx.Client(base_url=held["url"], auth=auth, trust_env=False, timeout=30)
        released = self.says("/api/info", "version")
        self.v2 = released or self.says("/api/health", "pid")
        self.key = "decision" if released else "reply"
        self.changes: queue.Queue[str] = queue.Queue()
        self.dead: set[str] = set()
        self.stopped: set[str] = set()

    def run(self) -> None:
        """Watch, show and act until nothing has happened for a while."""
        stream = threading.Thread(target=self.follow, daemon=True)
        stream.start()
        # The stream first, the lists second: what comes between is in one of them.
        self.changes.get(timeout=30)
        while True:
            asks, shells = self.look()
            acted = [self.decline(ask) for ask in asks] + [self.stop(shell) for shell in shells]
            if acted:
                continue  # look again: lists say what there is, events only that something has changed
            try:
                self.changes.get(timeout=QUIET_S)
            except queue.Empty:
                return
            while not self.changes.empty():
                self.changes.get_nowait()  # one look answers all that has come by now

    def follow(self) -> None:
        """Put a word into the queue for each event that may change what is shown."""
        route = "/api/event" if self.v2 else "/event"
        with self.http.stream("GET", route, params=self.scope(), timeout=None) as answer:
            for line in answer.iter_lines():
                if line.startswith("data:"):
                    kind = json.loads(line.removeprefix("data:")).get("type", "")
                    if kind.startswith(TELLS):
                        self.changes.put(kind)

    def look(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Read every list that can say something of the session; its asks and its shells."""
        family = [self.session, *self.children()]
        # V1's lists are one directory's. Without the session's own they are empty, which is no news.
        working = self.get("/api/session/active" if self.v2 else "/session/status", scope=not self.v2)
        busy = [one for one in family if one in working]
        asks = [ask for ask in self.asks(family) if ask["id"] not in self.dead]
        shells = [one for one in self.shells() if one["id"] not in self.stopped]
        state = "waits for you" if asks else "works" if busy else "in the background" if shells else "idle"
        show(f"{self.session}: {state}")
        for ask in asks:
            of = "" if ask["sessionID"] == self.session else " (a sub-agent)"
            show(f"  asks{of}: {ask.get('permission') or ask.get('action')} {ask['id']}")
        for shell in shells:
            show(f"  runs: {shell['command']}")
        return asks, shells

    def children(self) -> list[str]:
        """The sub-agents: they ask under their own ids."""
        if self.v2:
            return [one["id"] for one in self.get("/api/session", parentID=self.session)]
        return [one["id"] for one in self.get(f"/session/{self.session}/children", scope=True)]

    def asks(self, family: list[str]) -> Iterator[dict[str, Any]]:
        """What the session and its sub-agents wait for."""
        if self.v2:
            for one in family:
                yield from self.get(f"/api/session/{one}/permission")
        else:
            yield from (ask for ask in self.get("/permission", scope=True) if ask["sessionID"] in family)

    def shells(self) -> list[dict[str, Any]]:
        """What runs on after the turn: in no list of sessions, and in the list of its own location only."""
        if not self.v2:
            return []
        listed = self.get("/api/shell", scope=True)
        return [one for one in listed if one.get("metadata", {}).get("sessionID") == self.session]

    def decline(self, ask: dict[str, Any]) -> str:
        """What a person does who has read it. 404 is final: the dialog goes, and is not tried again."""
        threading.Event().wait(READS_S)
        words = {"message": "Stay inside the project."}
        of = f"/api/session/{ask['sessionID']}" if self.v2 else ""
        path, scope = f"{of}/permission/{ask['id']}/reply", {} if self.v2 else self.scope()
        answer = self.http.post(path, params=scope, json={self.key: "reject", **words})
        self.dead.add(ask["id"])
        show(f"  {'gone' if answer.status_code == 404 else 'declined'}: {ask['id']}")
        return str(ask["id"])

    def stop(self, shell: dict[str, Any]) -> str:
        """Stop means all of it: an interrupt ends the turn, and leaves the shell."""
        self.http.post(f"/api/session/{self.session}/interrupt").raise_for_status()
        self.http.delete(f"/api/shell/{shell['id']}", params=self.scope()).raise_for_status()
        self.stopped.add(shell["id"])
        show(f"  stopped: {shell['id']}")
        return str(shell["id"])

    def says(self, path: str, name: str) -> bool:
        """Whether this read answers with such a field. Servers answer unknown paths with a page and 200."""
        answer = self.http.get(path)
        is_json = answer.headers.get("content-type", "").startswith("application/json")
        return answer.is_success and is_json and name in answer.json()

    def scope(self) -> dict[str, str]:
        """The parameter that names the session's directory."""
        return {"location[directory]" if self.v2 else "directory": self.directory}

    def get(self, path: str, scope: bool = False, **more: str) -> Any:
        """A read that must succeed; V2 wraps its answers."""
        answer = self.http.get(path, params=(self.scope() if scope else {}) | more)
        answer.raise_for_status()
        return answer.json()["data"] if self.v2 else answer.json()


def show(line: str) -> None:
    """What a person sees."""
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    RightClient(json.loads(os.environ["WEDGED_HELD"]), os.environ["OPENCODE_SERVER_PASSWORD"]).run()
