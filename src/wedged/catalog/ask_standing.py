"""Whether something still waits for a pending ask: the join of ask, session and call. Pure."""

from dataclasses import dataclass, replace
from enum import StrEnum

from wedged.facts.ask import Ask, born_ms
from wedged.facts.session import SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Snapshot

# Three equal calls in one response are what the server calls a doom loop.
_SAME_CALLS = 3


class Standing(StrEnum):
    """`LIVE`: a turn waits for it. `LEFTOVER`: it is listed, and nothing waits. `UNCLEAR`: not all could be
    read."""

    LIVE = "live"
    LEFTOVER = "leftover"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class AskStanding:
    """One ask with what it was joined to.

    `why` is a clause that follows the ask's id ("its session is idle"). `parts` are the calls that wait for
    it: the one with the ask's call id, or, for an ask that names no call, those that it must be about. `sure`
    says whether the join leaves nothing open; `doubt` is what does.
    """

    ask: Ask
    standing: Standing
    why: str
    session: SessionFacts | None
    parts: tuple[ToolPart, ...] = ()
    since_ms: int | None = None
    age_s: float | None = None
    sure: bool = False
    doubt: str = ""


def standing(ask: Ask, look: Snapshot) -> AskStanding:
    """Judge one ask by one look."""
    session = look.session(ask.session_id)
    named = named_call(ask, session)
    since = _since(ask, named, look)
    age = None if since is None else max(0.0, (look.taken_ms - since) / 1000)
    bare = AskStanding(ask, Standing.UNCLEAR, "", session, since_ms=since, age_s=age)
    if session is None:
        return replace(bare, why="its session could not be read")
    if session.status is Status.IDLE:
        return replace(bare, standing=Standing.LEFTOVER, why="its session is idle")
    if named is not None and named.status.terminal:
        return replace(bare, standing=Standing.LEFTOVER, why=f"its call is {named.status}")
    if named is not None:
        known = session.status is not Status.UNKNOWN
        doubt = "" if known else "the status of the session could not be read"
        parts = (named,)
        return replace(
            bare, standing=Standing.LIVE, why="its call waits", parts=parts, sure=known, doubt=doubt
        )
    if session.status is Status.UNKNOWN:
        return replace(bare, why="neither the status nor the call of its session could be read")
    live = replace(bare, standing=Standing.LIVE, why="its session is busy")
    if ask.call_id:
        return replace(live, doubt="the call it belongs to could not be read")
    return _without_call(live, session, look)


def _without_call(live: AskStanding, session: SessionFacts, look: Snapshot) -> AskStanding:
    """An ask that names no call (doom_loop) is joined by session and by what it is about."""
    ask, parts = live.ask, session.unfinished
    same = tuple(part for part in parts if part.tool in ask.resources)
    doubt = ""
    if ask.action != "doom_loop":
        doubt = "it names no call"
    elif len(same) < _SAME_CALLS or any(part.input != same[0].input for part in same):
        doubt = "it names no call, and there are no three equal unfinished calls of its tool"
    elif any(part not in same for part in parts):
        doubt = "it names no call, and another call is unfinished too"
    elif any(other.session_id == ask.session_id and other.id != ask.id for other in look.asks):
        doubt = "it names no call, and another ask of the session is pending"
    elif look.processes and look.processes.running(str(same[0].input.get("command", ""))):
        doubt = "it names no call, and a process of the call still runs"
    return replace(live, parts=same or parts, sure=not doubt, doubt=doubt)


def named_call(ask: Ask, session: SessionFacts | None) -> ToolPart | None:
    """The call that an ask names, where it names one and the session has it. A call's id is the provider's
    word and may come again in a later message, so the message counts too."""
    if session is None or not ask.call_id:
        return None
    calls = [part for part in session.parts if part.call_id == ask.call_id]
    return next((part for part in calls if part.message_id == ask.message_id), calls[-1] if calls else None)


def _since(ask: Ask, part: ToolPart | None, look: Snapshot) -> int | None:
    born = born_ms(ask.id, look.taken_ms)
    return born if born is not None else part.start_ms if part else None
