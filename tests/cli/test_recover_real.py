"""``wedged recover`` on real servers: each cure taken and seen to work, each refusal with the state held."""

import io
import json
import shlex
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import psutil
import pytest

from wedged.cli import main
from wedged.client import connect
from wedged.errors import CannotLook
from wedged.facts.session import PartStatus, Status
from wedged.lab.bench import Bench, Prompted, open_bench, shell
from wedged.lab.keeper import Keeper
from wedged.lab.scenarios import (
    w001_wrong_directory,
    w002_two_servers_one_store,
    w101_ungated_external_ask,
    w104_leftover_ask,
    w201_hard_crash,
    w301_invisible_background_shell,
)
from wedged.lab.scenarios.w101_ungated_external_ask import two_calls
from wedged.lab.scenarios.w201_sight import carrying
from wedged.lab.second_server import second_server
from wedged.lab.server_process import free_port
from wedged.lab.turns import Call, Script, Turn
from wedged.recover.document import schema_text
from wedged.servers import InstalledServer
from wedged.waiting import wait_for

pytestmark = pytest.mark.server
Out = pytest.CaptureFixture[str]


class Terminal(io.StringIO):
    """A person who says yes, after something else has happened."""

    def __init__(self, first: Callable[[], object]) -> None:
        super().__init__("y\n")
        self.first = first

    def isatty(self) -> bool:
        return True

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        self.first()
        return super().readline(size)


@dataclass
class Held:
    """A bench, and `wedged recover` on one session of it."""

    bench: Bench
    capsys: Out
    said: str = ""
    tree: dict[str, Any] = field(default_factory=dict)

    def apply(self, prompted: Prompted, *more: str, yes: bool = True, url: str = "") -> int:
        """Run it with --apply; its document and its error line are kept."""
        words = [
            "recover",
            url or self.bench.server.url,
            "--session",
            prompted.session,
            "--grace",
            "0",
            "--sample",
            "0",
        ]
        code = main([*words, "--apply", "--json", *(["--yes"] if yes else []), *more])
        out, self.said = self.capsys.readouterr()
        self.tree = json.loads(out)
        jsonschema.validate(self.tree, json.loads(schema_text()))
        return code

    def refused(self, prompted: Prompted, *more: str, yes: bool = True, url: str = "") -> str:
        """The error line of a run that took no step."""
        assert self.apply(prompted, *more, yes=yes, url=url) == 1
        assert (self.tree["outcome"], self.tree["taken"]) == ("refused", [])
        assert self.tree["why"] in self.said
        return self.said

    @property
    def taken(self) -> list[tuple[str, str]]:
        """The steps that were taken, each with what its effect lacked."""
        return [(one["step"], one["missing"]) for one in self.tree["taken"]]

    @property
    def left(self) -> list[str]:
        """The codes that are left."""
        return [one["code"] for one in self.tree["left"]]


def bench_of(installed: InstalledServer) -> Iterator[Bench]:
    with Keeper.start() as keeper, open_bench(installed, keeper) as bench:
        bench.warm_up(bench.project())
        yield bench


@pytest.fixture(scope="module")
def v1(installed_v1: InstalledServer) -> Iterator[Bench]:
    yield from bench_of(installed_v1)


@pytest.fixture(scope="module")
def v2(installed_released: InstalledServer) -> Iterator[Bench]:
    yield from bench_of(installed_released)


@pytest.fixture
def on_v1(v1: Bench, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> Held:
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", v1.server.password)
    return Held(v1, capsys)


@pytest.fixture
def on_v2(v2: Bench, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> Held:
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", v2.server.password)
    return Held(v2, capsys)


def name(bench: Bench) -> str:
    return f"recover-{bench.timeline.count()}"


def test_an_ask_is_rejected_and_the_session_is_idle(on_v1: Held) -> None:
    bench = on_v1.bench
    held = w101_ungated_external_ask.hold(bench, name=name(bench))
    assert on_v1.apply(held) == 0
    assert on_v1.taken == [("reply-reject", "")]
    assert (on_v1.tree["outcome"], on_v1.left) == ("well", [])
    session = bench.connection.reader.session(held.session)
    assert session.status is Status.IDLE
    assert session.parts[0].error.startswith("The user rejected permission")


def test_a_state_that_moved_while_the_person_thought_is_left_alone(
    on_v1: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = on_v1.bench
    held = w101_ungated_external_ask.hold(bench, name=name(bench))
    (ask,) = [one for one in bench.connection.reader.asks() if one.session_id == held.session]

    def somebody_answers() -> None:
        bench.connection.actor.reply(ask.id, "once", session_id=held.session, directory=held.directory)
        bench.wait_idle(held)

    monkeypatch.setattr("sys.stdin", Terminal(somebody_answers))
    said = on_v1.refused(held, yes=False)
    assert f"W101:{ask.id} is gone since the look. Look again" in said
    assert bench.connection.reader.session(held.session).parts[0].status is PartStatus.COMPLETED


def test_a_turn_with_a_live_call_beside_the_ask_is_not_ended(on_v1: Held) -> None:
    bench, one = on_v1.bench, name(on_v1.bench)
    gated = two_calls(bench.identity.line, one, bench.home.outside / one)[0]
    alive = Call(bench.shell_tool, shell(f"sleep 600; : {one}"))
    held = bench.prompt(Script(one, (Turn(calls=(gated, alive)),)), bench.project())
    reader, actor = bench.connection.reader, bench.connection.actor
    wait_for(lambda: [a for a in reader.asks() if a.session_id == held.session], "the ask", 20)
    wait_for(lambda: carrying(bench, one), "the live call's process", 20)
    said = on_v1.refused(held)
    assert "reply-reject would end the call" in said
    assert "wait for that to end" in said
    assert on_v1.apply(held, "--step", "reply-reject-message", "--settle", "0") == 1
    assert carrying(bench, one), "the live call runs on"
    actor.abort(held.session)
    bench.wait_idle(held)


def test_a_leftover_ask_is_taken_off_the_list(on_v1: Held) -> None:
    bench = on_v1.bench
    held = w104_leftover_ask.hold(bench, name=name(bench))
    assert on_v1.apply(held) == 0
    assert on_v1.taken == [("dismiss-leftover", "")]
    assert held.session not in [ask.session_id for ask in bench.connection.reader.asks()]


def test_where_nothing_is_stuck_the_right_question_is_enough(on_v1: Held) -> None:
    bench = on_v1.bench
    held = w001_wrong_directory.hold(bench, name=name(bench))
    assert on_v1.apply(held, yes=False) == 0, "a read needs nobody's yes"
    assert (on_v1.taken, on_v1.tree["outcome"]) == ([("own-directory", "")], "well")
    assert bench.connection.reader.session(held.session, held.directory).status is Status.BUSY
    bench.connection.actor.abort(held.session, held.directory)


def test_another_servers_live_turn_is_not_touched(on_v1: Held) -> None:
    with w002_two_servers_one_store.hold(on_v1.bench, name(on_v1.bench)) as (there, held):
        said = on_v1.refused(held)
        assert "W002: nothing is stuck here, and nothing may be done here" in said
        assert f"process {there.process.process.pid}" in said
        session = there.connection.reader.session(held.session)
        assert (session.status, session.parts[0].status) == (Status.BUSY, PartStatus.RUNNING)
        there.connection.actor.abort(held.session, held.directory)


def test_what_a_crash_has_left(on_v1: Held) -> None:
    """The process and the call: which is meant, who else is there, the cures, and that they last."""
    bench = on_v1.bench
    held = w201_hard_crash.hold(bench, name=name(bench))

    def call() -> PartStatus:
        return bench.connection.reader.session(held.session).parts[0].status

    assert "--code W201 or --code W203" in on_v1.refused(held)
    with forwarded(bench.server.url) as url:
        said = on_v1.refused(held, "--code", "W201", url=url)
        assert "is of low confidence" in said
        assert "look again on the server's own machine" in said
    with second_server(bench) as other:
        said = on_v1.refused(held, "--code", "W201")
        assert f"process {other.process.process.pid}) has the server's database open too" in said
    (orphan,) = carrying(bench, held.script.name)
    assert on_v1.apply(held, "--code", "W203") == 1
    assert on_v1.taken == [("end-process", "")]
    assert (on_v1.tree["outcome"], on_v1.left) == ("not-well", ["W201"])
    assert not psutil.pid_exists(orphan.pid) or psutil.Process(orphan.pid).status() == psutil.STATUS_ZOMBIE
    assert call() is PartStatus.RUNNING
    assert on_v1.apply(held) == 0
    assert on_v1.taken == [("settle-part", "")]
    assert call() is PartStatus.ERROR
    bench.restart("SIGTERM")
    assert call() is PartStatus.ERROR, "it survives a restart"


def test_a_process_with_a_server_in_it_is_not_ended_while_that_works(on_v1: Held) -> None:
    """To whoever uses that server, ending its process is a restart."""
    bench, port, one = on_v1.bench, free_port(), name(on_v1.bench)
    own = (
        f"export XDG_DATA_HOME={bench.home.root / 'inner'}; unset OPENCODE_SERVER_PASSWORD OPENCODE_PASSWORD"
    )
    line = f"{own}; {shlex.join(bench.installed.argv)} serve --port {port} > /dev/null 2>&1; : {one}"
    held = bench.prompt(Script(one, (Turn(calls=(Call(bench.shell_tool, shell(line)),)),)), bench.project())
    # Quiet: V1 writes the time of the last output over the time at which a call began, and doctor joins a
    # process to its call by that. And what is asked of a V1 server while it starts may never be answered.
    wait_for(lambda: answers(f"http://127.0.0.1:{port}"), "the inner server", 40)
    with connect(f"http://127.0.0.1:{port}", timeout=30) as inner:
        work = Script(f"{held.script.name}-inner", (Turn(text="late", first_byte_s=600),))
        bench.model.learn(work)
        session = inner.actor.create_session(directory=bench.project(), title="inner")
        inner.actor.prompt(session, f"Work. {work.mark}", directory=bench.project())
        wait_for(lambda: inner.reader.statuses(bench.project()), "the inner turn", 20)
        bench.restart("SIGKILL")
        said = on_v1.refused(held, "--code", "W203")
        assert "has an OpenCode server in it" in said
        assert f"and it works (1 active turn): `wedged ready http://127.0.0.1:{port} --wait`" in said
        inner.actor.abort(session, bench.project())
        wait_for(lambda: not inner.reader.statuses(bench.project()), "the inner turn to end", 20)
    assert on_v1.apply(held, "--code", "W203") == 1
    assert (on_v1.taken, on_v1.left) == ([("end-process", "")], ["W201"])
    assert port not in listening()


@contextmanager
def forwarded(url: str) -> Iterator[str]:
    """Another address of the server, held by a process that only passes on what it is sent: here, this one.
    Who else has the server's data open can't be seen from there."""
    to = urlsplit(url)
    with (
        ExitStack() as opened,
        ThreadPoolExecutor(32) as pool,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):

        def pump(source: socket.socket, sink: socket.socket) -> None:
            with suppress(OSError):
                while data := source.recv(1 << 16):
                    sink.sendall(data)
                sink.shutdown(socket.SHUT_WR)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    near = opened.enter_context(listener.accept()[0])
                    far = opened.enter_context(socket.create_connection((to.hostname, to.port)))
                    pool.submit(pump, near, far)
                    pool.submit(pump, far, near)

        pool.submit(accept)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def answers(url: str) -> bool:
    try:
        connect(url, timeout=3).close()
    except CannotLook:
        return False
    return True


def listening() -> set[int]:
    found = psutil.net_connections("tcp")
    return {one.laddr.port for one in found if one.status == psutil.CONN_LISTEN and one.laddr}


def test_a_background_shell_is_ended(on_v2: Held) -> None:
    bench = on_v2.bench
    held = w301_invisible_background_shell.hold(bench, name=name(bench))
    (listed,) = bench.connection.reader.shells(held.directory)
    assert on_v2.apply(held) == 0
    assert on_v2.taken == [("end-shell", "")]
    assert on_v2.tree["taken"][0]["did"].startswith(f"DELETE /api/shell/{listed.id}?")
    assert bench.connection.reader.shells(held.directory) == ()


def test_the_cure_of_one_leaves_another_and_says_so(on_v2: Held) -> None:
    """On 2.0.15 a declined turn is marked for resumption: that is not well, and has a cure of its own."""
    bench = on_v2.bench
    held = w101_ungated_external_ask.hold(bench, name=name(bench))
    assert on_v2.apply(held) == 1
    assert (on_v2.taken, on_v2.left) == ([("reply-reject", "")], ["W103"])
    assert on_v2.tree["why"] == "W101 is gone, and W103 is left"
    assert on_v2.apply(held) == 0
    assert (on_v2.taken, on_v2.tree["outcome"]) == ([("prompt-on", "")], "well")
    assert bench.connection.reader.session(held.session).outcome == "succeeded"
