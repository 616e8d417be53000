"""An ask that a turn waits for, as a finding: what W101 and W105 have in common. Pure."""

from wedged.catalog.ask_standing import AskStanding
from wedged.facts.ask import Ask
from wedged.facts.finding import Confidence, Finding, FindingStatus, Subject
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Snapshot

# The tool that starts a sub-agent, on V1 and on V2.
_SUB_AGENT = ("task", "subagent")

_UNLESS = "a client that you can't see from here is showing this ask to somebody who is about to answer it"
_UNLESS_NO_CALL = (
    "this ask names no call, so it is joined by session and tool only: the calls may wait for something else"
)


def too_young(seen: AskStanding, grace_s: float) -> str:
    """Why this ask is no finding yet; "" where it is old enough, or its age is not known."""
    if seen.age_s is None or seen.age_s >= grace_s:
        return ""
    return f"{seen.ask.id} was asked {seen.age_s:.0f} s ago, within the grace of {grace_s:g} s"


def waiting_finding(
    seen: AskStanding, session: SessionFacts, look: Snapshot, *, named: tuple[str, str, str], variant: str
) -> Finding:
    """The finding; `named` are the class's code, slug and title.

    Confidence is high where the ask's call is known to be unfinished in a session known to be busy, or where
    an ask without a call (doom_loop) is the only thing that explains its session; medium otherwise.
    """
    ask, (code, slug, title) = seen.ask, named
    return Finding(
        id=f"{code}:{ask.id}",
        code=code,
        slug=slug,
        title=title,
        variant=variant,
        status=FindingStatus.WAITING_ON_YOU,
        session=session.id,
        directory=ask.directory,
        subject=Subject("ask", ask.id, ask.message_id or (seen.parts[0].message_id if seen.parts else "")),
        since_ms=seen.since_ms,
        age_s=seen.age_s,
        confidence=Confidence.HIGH if seen.sure else Confidence.MEDIUM,
        unless=_unless(ask),
        evidence=_evidence(seen, session, look),
    )


def _unless(ask: Ask) -> str:
    return _UNLESS if ask.call_id else f"{_UNLESS}; or {_UNLESS_NO_CALL}"


def _evidence(seen: AskStanding, session: SessionFacts, look: Snapshot) -> tuple[str, ...]:
    """What a person would check by hand. Patterns are named; the command is not: it may hold secrets."""
    ask = seen.ask
    what = f" for {', '.join(ask.resources)}" if ask.resources else ""
    by = ", ".join(ask.listed_by) or "the server"
    lines = [f"{by} lists {ask.id}: {ask.action}{what}"]
    if ask.call_id and seen.parts:
        part = seen.parts[0]
        begun = ", its work not begun" if part.started is False else ""
        lines.append(f"its call {part.call_id} is a part of this session: {part.tool}, {part.status}{begun}")
    elif ask.call_id:
        lines.append("the call it belongs to could not be read")
    else:
        lines += _without_call(seen, look)
    if session.status is Status.UNKNOWN:
        lines.append("the status of the session could not be read")
    else:
        lines.append(f"the session is {session.status}")
    if session.parent_id:
        lines.append(_parent(session, look))
    return tuple(lines)


def _without_call(seen: AskStanding, look: Snapshot) -> list[str]:
    tools = ", ".join(sorted({part.tool for part in seen.parts})) or "none"
    begun = sum(part.started is True for part in seen.parts)
    lines = [f"it names no call; {len(seen.parts)} unfinished calls fit it: {tools}, {begun} begun"]
    if look.processes is not None and not seen.doubt:
        lines.append("no process below the server runs their command: the work is done, the parts are not")
    return [*lines, seen.doubt] if seen.doubt else lines


def _parent(session: SessionFacts, look: Snapshot) -> str:
    parent = look.session(session.parent_id)
    if parent is not None and parent.status is Status.IDLE:
        return f"the session is a sub-agent's, in the background: {session.parent_id} is idle"
    call = next((p for p in parent.unfinished if p.tool in _SUB_AGENT), None) if parent else None
    waits = f", its part {call.call_id} is {call.status}" if call else ""
    return f"the session is a sub-agent's; {session.parent_id} waits for it{waits}"
