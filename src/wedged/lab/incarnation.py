"""One life of a server: it starts, is listened to, and ends. A bench holds one after another."""

import signal
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

import httpx

from wedged.client import Connection, connect
from wedged.client.event_stream import stream_of
from wedged.facts.server import SpecKind
from wedged.facts.trial import Lane
from wedged.lab.binary_hash import running_binary_sha256
from wedged.lab.keeper import Ended
from wedged.lab.recorder import Recorder
from wedged.lab.server_process import ServerProcess
from wedged.lab.timeline import Timeline

How = Literal["SIGTERM", "SIGKILL"]

# A server with twenty sessions at once may take its time to answer; how long is no evidence of anything.
_PATIENCE_S = 45.0
# What a server may take to end by itself; settling a dozen turns on two busy cores takes a few seconds.
_TERM_S = 15.0
_STREAM_S = 5.0


@dataclass(frozen=True)
class Incarnation:
    """A server that was started, the connection to it and the recorder beside it. `binary_sha256` is what
    really runs, read when it had started."""

    server: ServerProcess
    connection: Connection
    recorder: Recorder
    binary_sha256: str


@dataclass(frozen=True)
class Past:
    """An incarnation that is over. `how` is what was done to it, `ended` what became of it, `at` when
    (seconds on the timeline); `as_meant` whether it ended by exactly that and not otherwise."""

    incarnation: Incarnation
    how: How
    ended: Ended
    at: float
    as_meant: bool


def listen_to(server: ServerProcess, timeline: Timeline, recorder: type[Recorder]) -> Incarnation:
    """Connect to a server that has just started, and follow its event stream.

    Raises:
        CannotLook: it does not answer, or in no dialect that is spoken here.
    """
    with ExitStack() as stack:
        connection = stack.enter_context(connect(server.url, password=server.password, timeout=_PATIENCE_S))
        route, decode = stream_of(connection.line)
        auth = httpx.BasicAuth("opencode", server.password) if server.password else None
        ears = stack.enter_context(recorder(server.url, route, decode, timeline, auth))
        found = Incarnation(server, connection, ears, running_binary_sha256(server.process.pid))
        stack.pop_all()
    return found


def hang_up(incarnation: Incarnation) -> None:
    """Stop listening. Safe to call twice."""
    incarnation.recorder.close()
    incarnation.connection.close()


def end(incarnation: Incarnation, how: How, timeline: Timeline) -> Past:
    """End the server by a signal to it alone, listen to its last word, then hang up. What it started goes on.

    Raises:
        DeadlinePassed: its event stream outlived it.
    """
    server = incarnation.server
    alive = server.alive()
    incarnation.recorder.expect_end()
    ended = server.keeper.terminate(server.process, _TERM_S) if how == "SIGTERM" else server.kill()
    incarnation.recorder.wait_end(_STREAM_S)
    hang_up(incarnation)
    killed = ended.signal == signal.SIGKILL
    as_meant = alive and not ended.forced and killed == (how == "SIGKILL")
    seen = timeline.add(
        Lane.PROCESS,
        "server ended",
        how=how,
        returncode=ended.returncode,
        signal=ended.signal,
        forced=ended.forced,
        outlived_by=[p.name for p in server.family()],
    )
    return Past(incarnation, how, ended, seen.t, as_meant)


def expected_sha256(incarnation: Incarnation) -> str:
    """What has to run: what the registry promised; for a user's own command, what runs behind it."""
    installed = incarnation.server.installed
    given = installed.spec.kind in (SpecKind.PATH, SpecKind.CMD)
    return incarnation.binary_sha256 if given else installed.sha256
