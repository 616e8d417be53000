"""``wedged watch`` beside a real server: a wedged session, a crash, a rejected ask, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, Queue
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from wedged.facts.recovery import Action, Target
from wedged.facts.server import Line
from wedged.lab import server_process
from wedged.lab.bench import Bench, Prompted, open_bench
from wedged.lab.keeper import Keeper
from wedged.lab.scenarios.w101_ungated_external_ask import hold
from wedged.servers import InstalledServer
from wedged.waiting import wait_for

pytestmark = pytest.mark.server


@pytest.fixture(params=["v1", "released"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    installed: InstalledServer = request.getfixturevalue(f"installed_{request.param}")
    with Keeper.start() as keeper, open_bench(installed, keeper) as bench:
        bench.warm_up(bench.project())
        yield bench


class Watched:
    """A watch in a process of its own, and the lines that it has printed."""

    def __init__(self, program: "subprocess.Popen[str]") -> None:
        self.program = program
        self.lines: list[dict[str, Any]] = []
        self._new: Queue[dict[str, Any]] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.program.stdout is not None
        for line in self.program.stdout:
            self._new.put(json.loads(line))

    def until(self, change: str, session: str = "") -> dict[str, Any]:
        """The next line of this kind, about this session, that comes within 60 s."""

        def next_one() -> dict[str, Any] | None:
            try:
                line = self._new.get(timeout=0.1)
            except Empty:
                return None
            self.lines.append(line)
            about = line["finding"]["session"] if line["finding"] else ""
            return line if (line["change"], about) == (change, session) else None

        return wait_for(next_one, f"{change} {session} after {self.story()}", 60)

    def story(self, code: str = "") -> list[str]:
        found = [one for one in self.lines if not code or (one["finding"] and one["finding"]["code"] == code)]
        return [f"{one['change']} {one['finding']['session'] if one['finding'] else ''}" for one in found]


@contextmanager
def watching(bench: Bench) -> Iterator[Watched]:
    argv = [sys.executable, "-m", "wedged", "watch", bench.server.url, "--json", "--grace", "0"]
    env = os.environ | {"OPENCODE_SERVER_PASSWORD": bench.server.password}
    with subprocess.Popen(
        argv, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        try:
            yield Watched(program)
        finally:
            program.kill()


def reject(bench: Bench, held: Prompted) -> None:
    (ask,) = [one for one in bench.connection.reader.asks() if one.session_id == held.session]
    actor = bench.connection.actor
    actor.send(actor.request(Action.REPLY_REJECT, Target(held.session, "", ask.id)))


def test_a_finding_is_told_once_when_it_appears_and_once_when_it_ends(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = urlsplit(bench.server.url).port
    with watching(bench) as watched:
        first = watched.until("watching")
        assert first["server"] == {"line": bench.identity.line.value, "version": bench.installed.version}
        rejected = hold(bench, name="rejected")
        found = watched.until("appeared", rejected.session)["finding"]
        assert (found["code"], found["confidence"]) == ("W101", "high")
        reject(bench, rejected)
        watched.until("ended", rejected.session)

        crashed = hold(bench, name="crashed")
        watched.until("appeared", crashed.session)
        bench.end_server("SIGKILL")
        watched.until("lost")
        # Back on the port where the watch looks for it.
        monkeypatch.setattr(server_process, "free_port", lambda: port)
        bench.start_again()
        back = watched.until("back")
        assert back["restarted"] is True
        assert watched.until("ended", crashed.session)["finding"]["code"] == "W101"

        deleted = hold(bench, name="deleted")
        watched.until("appeared", deleted.session)
        delete(bench, deleted)
        watched.until("ended", deleted.session)

        watched.program.send_signal(signal.SIGINT)
        assert watched.program.wait(10) == 130
        assert watched.program.stderr is not None
        assert watched.program.stderr.read().splitlines()[-1] == "wedged: interrupted"
    asks = [one.session for one in (rejected, crashed, deleted) for _ in range(2)]
    told = [f"{kind} {session}" for kind, session in zip(("appeared", "ended") * 3, asks, strict=True)]
    assert watched.story("W101") == told


def delete(bench: Bench, held: Prompted) -> None:
    v1 = bench.identity.line is Line.V1
    path = f"/session/{held.session}" if v1 else f"/api/session/{held.session}"
    auth = ("opencode", bench.server.password)
    httpx.delete(f"{bench.server.url}{path}", auth=auth, timeout=20, trust_env=False).raise_for_status()
