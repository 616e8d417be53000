"""W101's matcher: a pending ask that a turn waits for."""

from wedged.catalog.ask_standing import AskStanding, Standing, standing
from wedged.facts.ask import Ask, AskKind
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Considered, Finding, FindingStatus, Subject
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Snapshot, Window

CODE = "W101"
SLUG = "ungated-external-ask"
TITLE = "Session stuck busy forever, one tool part stays running"

# The tool that starts a sub-agent, on V1 and on V2.
_SUB_AGENT = ("task", "subagent")

_UNLESS = "a client that you can't see from here is showing this ask to somebody who is about to answer it"
_UNLESS_NO_CALL = (
    "this ask names no call, so it is joined by session and tool only: the calls may wait for something else"
)


def match(window: Window, grace_s: float) -> Match:
    """A finding for each ask that has waited `grace_s` seconds or longer; the rest with the reason.

    Confidence is high where the ask's call is known to be unfinished in a session known to be busy, or where
    an ask without a call (doom_loop) is the only thing that explains its session; medium otherwise.
    """
    findings, considered = [], []
    look = window.latest
    for ask in look.asks:
        judged = _judge(standing(ask, look), look, grace_s)
        if isinstance(judged, Finding):
            findings.append(judged)
        else:
            considered.append(judged)
    waited_for = {ask.session_id for ask in look.asks}
    waited_for |= {s.parent_id for s in look.sessions if s.id in waited_for}
    considered += [_unexplained(s) for s in look.sessions if s.works and s.id not in waited_for]
    return Match(tuple(findings), tuple(considered))


def variant_of(ask: Ask, session: SessionFacts) -> str:
    """Which variant an ask is. A sub-agent's comes first: whoever looks at the parent finds nothing there."""
    if session.parent_id:
        return "child"
    if ask.kind is not AskKind.PERMISSION:
        return "question"
    return {"external_directory": "external", "doom_loop": "doom-loop"}.get(ask.action, "rule")


def _judge(seen: AskStanding, look: Snapshot, grace_s: float) -> Finding | Considered:
    ask, session = seen.ask, seen.session
    if session is None or seen.standing is Standing.UNCLEAR:
        return _dismiss(ask, f"{ask.id}: {seen.why}")
    if seen.standing is Standing.LEFTOVER:
        return _dismiss(ask, f"leftover ask (W104 is planned): {ask.id} is listed, and {seen.why}")
    if seen.age_s is not None and seen.age_s < grace_s:
        return _dismiss(ask, f"{ask.id} was asked {seen.age_s:.0f} s ago, within the grace of {grace_s:g} s")
    return Finding(
        id=f"{CODE}:{ask.id}",
        code=CODE,
        slug=SLUG,
        title=TITLE,
        variant=variant_of(ask, session),
        status=FindingStatus.WAITING_ON_YOU,
        session=session.id,
        directory=ask.directory,
        subject=Subject("ask", ask.id, ask.message_id or (seen.parts[0].message_id if seen.parts else "")),
        since_ms=seen.since_ms,
        age_s=seen.age_s,
        confidence=Confidence.HIGH if seen.sure else Confidence.MEDIUM,
        unless=_UNLESS if ask.call_id else f"{_UNLESS}; or {_UNLESS_NO_CALL}",
        evidence=_evidence(seen, session, look),
    )


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
    call = next((p for p in parent.unfinished if p.tool in _SUB_AGENT), None) if parent else None
    waits = f", its part {call.call_id} is {call.status}" if call else ""
    return f"the session is a sub-agent's; {session.parent_id} waits for it{waits}"


def _unexplained(session: SessionFacts) -> Considered:
    if session.unfinished:
        tools = ", ".join(sorted({part.tool for part in session.unfinished}))
        return Considered(CODE, session.id, f"{tools} unfinished, and no ask is pending")
    return Considered(CODE, session.id, f"{session.status}, and no ask is pending")


def _dismiss(ask: Ask, why: str) -> Considered:
    return Considered(CODE, ask.session_id, why)
