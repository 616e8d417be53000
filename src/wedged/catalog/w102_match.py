"""W102's matcher: a turn that hangs on an ask which its location took away with it."""

from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Considered, Finding, FindingStatus, Subject
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, SessionFacts, ToolPart
from wedged.facts.snapshot import Origin, Snapshot, Window

CODE = "W102"
SLUG = "disposal-without-revocation"
TITLE = '"Permission request not found: per_…": the prompt stays on the screen, and no answer to it counts'

# Tools that are done in a moment once they may begin. One that runs on is held by something.
_MOMENTARY = frozenset({"read", "write", "edit", "glob", "grep", "question"})
_SHELL = "shell"
_LINES = (Line.V2_PREVIEW, Line.V2_RELEASED)

_UNLESS_EVICTED = "the call works on in the location that was evicted, as a foreground shell would"
_UNLESS_LOADED = (
    "a plugin holds this call back (`tool.execute.before`): no read tells that from an ask that went with "
    "its location, where the location has been loaded again since"
)


def match(window: Window, grace_s: float) -> Match:
    """A finding for each session whose turn runs and whose call waits for an ask that is in no list.

    Only V2 is known to leave a turn so: V1 ends the turn, and the ghost is in clients only, which no look at
    a server shows. Confidence is high where the server does not have the session's location loaded, medium
    where it has, perhaps anew, and the call is of a tool that is otherwise done in a moment.
    """
    look = window.latest
    if look.origin is not Origin.LIVE or look.identity.line not in _LINES:
        return Match()
    judged = [_judge(session, look, grace_s) for session in look.sessions if session.works]
    return Match(
        tuple(one for one in judged if isinstance(one, Finding)),
        tuple(one for one in judged if isinstance(one, Considered)),
    )


def _judge(session: SessionFacts, look: Snapshot, grace_s: float) -> Finding | Considered:
    if any(ask.session_id == session.id for ask in look.asks):
        return _dismiss(session, "its ask is listed, so it can be answered: W101")
    unread = [gap.what for gap in look.gaps if gap.what in _asks_of(session)]
    if unread:
        return _dismiss(session, f"not read: {', '.join(unread)}")
    evicted = look.loaded is not None and session.directory not in look.loaded
    held = [part for part in session.unfinished if _is_held(part, session, look, evicted)]
    if not held:
        tools = ", ".join(sorted({part.tool for part in session.unfinished})) or "no call"
        return _dismiss(session, f"{tools} unfinished, which may be at work")
    part = held[0]
    age = None if part.start_ms is None else max(0.0, (look.taken_ms - part.start_ms) / 1000)
    if age is None or age < grace_s:
        return _dismiss(
            session, f"{part.tool} has run for {age or 0:.0f} s, within the grace of {grace_s:g} s"
        )
    return Finding(
        id=f"{CODE}:{part.call_id}",
        code=CODE,
        slug=SLUG,
        title=TITLE,
        variant="detached-turn",
        status=FindingStatus.STUCK,
        session=session.id,
        directory=session.directory,
        subject=Subject("tool_part", part.id, part.message_id),
        since_ms=part.start_ms,
        age_s=age,
        confidence=Confidence.HIGH if evicted else Confidence.MEDIUM,
        unless=_UNLESS_EVICTED if evicted else _UNLESS_LOADED,
        evidence=_evidence(part, session, age, evicted),
    )


def _is_held(part: ToolPart, session: SessionFacts, look: Snapshot, evicted: bool) -> bool:
    """Whether this call runs, and nothing but an ask (or a plugin) could keep it.

    A shell whose ask went has neither a record nor a process; in a location that is loaded, a plugin that
    holds a call back looks the same, and is met oftener.
    """
    if part.status is not PartStatus.RUNNING:
        return False
    if part.tool in _MOMENTARY:
        return True
    if part.tool != _SHELL or not evicted or look.processes is None:
        return False
    recorded = any(shell.session_id == session.id for shell in look.shells)
    return not recorded and look.processes.running(str(part.input.get("command", ""))) is None


def _evidence(part: ToolPart, session: SessionFacts, age: float, evicted: bool) -> tuple[str, ...]:
    where = session.directory
    return (
        f"the session is {session.status}, and its call {part.call_id} ({part.tool}) has run for {age:.0f} s",
        f"GET /api/session/{session.id}/permission and /form list nothing, nor does a list of {where}",
        f"GET /api/debug/location does not have {where}: the location in which the call waits was evicted"
        if evicted
        else f"{part.tool} is done in a moment once it may begin; {where} is loaded, perhaps anew",
    )


def _asks_of(session: SessionFacts) -> tuple[str, ...]:
    """How a look names what it could not read of a session's asks."""
    return (f"asks of session {session.id}", f"asks in {session.directory}", f"session {session.id}")


def _dismiss(session: SessionFacts, why: str) -> Considered:
    return Considered(CODE, session.id, why)
