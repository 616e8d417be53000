"""Unfinished calls of sessions that their server says are idle: what could still run them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from wedged.facts.ask import born_ms
from wedged.facts.process import ProcessFacts, Stray, runs
from wedged.facts.server import Line
from wedged.facts.session import SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Origin, Snapshot

# A shell starts within this time of its call, and no other one with the same command line by chance.
_BESIDE_MS = 10_000
# To the nearest tick, a process's start is known.
_CLOCK_MS = 20


class Runner(StrEnum):
    """`NONE`: nothing can run it any more. `ELSEWHERE`: another process does, or could. `UNSEEN`: it can't be
    told."""

    NONE = "none"
    ELSEWHERE = "elsewhere"
    UNSEEN = "unseen"


@dataclass(frozen=True, slots=True)
class StaleCall:
    """One such call with what it was joined to.

    `why` is a clause about the runner. `opener` is the other process that has the database open since before
    the call. `process` runs the call's command: below the opener, or, where `process.under` is None, below
    nobody.
    """

    session: SessionFacts
    part: ToolPart
    since_ms: int | None
    age_s: float | None
    runner: Runner
    why: str
    opener: ProcessFacts | None = None
    process: Stray | None = None


def stale_calls(look: Snapshot) -> tuple[StaleCall, ...]:
    """Every unfinished call of an idle session, judged. None of what is no look at a server."""
    if look.origin is not Origin.LIVE:
        return ()
    return tuple(
        _judge(part, session, look)
        for session in look.sessions
        if session.status is Status.IDLE
        for part in session.unfinished
    )


def born(part: ToolPart, session: SessionFacts, now_ms: int) -> int | None:
    """When a call began: by the time that V1's ids carry, by its own, or by its message's.

    1.17.18 sets a running call's start anew at each output, so of its id and its start the earlier counts.
    """
    by_id = born_ms(part.id, now_ms) if part.id.startswith("prt_") else None
    if part.start_ms is not None:
        return part.start_ms if by_id is None else min(by_id, part.start_ms)
    newest = session.newest
    if newest is not None and newest.id == part.message_id and newest.created_ms is not None:
        return newest.created_ms
    return by_id


def beside(part: ToolPart, since_ms: int | None, strays: Sequence[Stray]) -> Stray | None:
    """The process outside the server that runs the call's command, started when the call was: between its
    birth and the start that it has now, or near one of them."""
    command = str(part.input.get("command", "")).strip()
    if not command or since_ms is None:
        return None
    same = [stray for stray in strays if runs(stray.process.argv, command)]
    first, last = since_ms - _BESIDE_MS, max(since_ms, part.start_ms or since_ms) + _BESIDE_MS
    near = [stray for stray in same if first <= stray.process.created * 1000 <= last]
    return min(near, key=lambda stray: abs(stray.process.created * 1000 - since_ms), default=None)


def of_calls(line: Line) -> str:
    """The request that says who works, as this line has it."""
    return "GET /session/status" if line is Line.V1 else "GET /api/session/active"


def clock(milliseconds: float) -> str:
    """A wall-clock time in words."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return "a time out of range"


def _judge(part: ToolPart, session: SessionFacts, look: Snapshot) -> StaleCall:
    since = born(part, session, look.taken_ms)
    age = None if since is None else max(0.0, (look.taken_ms - since) / 1000)
    process = beside(part, since, look.strays or ())

    def says(runner: Runner, why: str, opener: ProcessFacts | None = None) -> StaleCall:
        return StaleCall(session, part, since, age, runner, why, opener, process)

    if process is not None and process.under is not None:
        return says(Runner.ELSEWHERE, "another process runs it", process.under)
    if look.processes is None or look.holders is None:
        return says(Runner.UNSEEN, "who else has the server's database open can't be seen from here")
    if since is None:
        return says(Runner.UNSEEN, "when it began is not known")
    server = look.processes.server
    older = [one for one in look.holders.seen if one.created * 1000 <= since + _CLOCK_MS]
    others = [one for one in older if one.pid != server.pid]
    if others:
        return says(Runner.ELSEWHERE, "another process has the database open since before it", others[0])
    if not look.holders.complete:
        return says(Runner.UNSEEN, "a process that can't be looked into may have the database open")
    if older or server.pid not in {one.pid for one in look.holders.seen}:
        return says(Runner.UNSEEN, "it began after the server did, which may be about to end it")
    return says(Runner.NONE, "every process that has the database open is younger than it")
