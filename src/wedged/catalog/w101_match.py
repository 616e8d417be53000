"""W101's matcher: a pending ask joined by its call id to a call that has not ended, in a busy session."""

from wedged.facts.ask import Ask, AskKind, born_ms
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Considered, Finding, FindingStatus, Subject
from wedged.facts.session import SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Snapshot, Window

CODE = "W101"
SLUG = "ungated-external-ask"
TITLE = "Session stuck busy forever, one tool part stays running"

_UNLESS = "a client that you can't see from here is showing this ask to somebody who is about to answer it"


def match(window: Window, grace_s: float) -> Match:
    """A finding for each ask that has waited `grace_s` seconds or longer; the rest with the reason.

    Confidence is high where the ask's call is known to be unfinished in a session known to be busy, and
    medium where one of the two could not be read.
    """
    findings, considered = [], []
    look = window.latest
    for ask in look.asks:
        judged = _judge(ask, look, grace_s)
        if isinstance(judged, Finding):
            findings.append(judged)
        else:
            considered.append(judged)
    asked = {ask.session_id for ask in look.asks}
    considered += [_unexplained(s) for s in look.sessions if s.id not in asked and _works(s)]
    return Match(tuple(findings), tuple(considered))


def _judge(ask: Ask, look: Snapshot, grace_s: float) -> Finding | Considered:
    session = look.session(ask.session_id)
    if session is None:
        return _dismiss(ask, f"the session of {ask.id} could not be read")
    if session.status is Status.IDLE:
        return _dismiss(ask, f"leftover ask (W104 is planned): {ask.id} is listed, and its session is idle")
    part = next((p for p in session.parts if ask.call_id and p.call_id == ask.call_id), None)
    if part is not None and part.status.terminal:
        return _dismiss(
            ask, f"leftover ask (W104 is planned): {ask.id} is listed, and its call is {part.status}"
        )
    if part is None and session.status is Status.UNKNOWN:
        return _dismiss(ask, f"neither the status nor the call of {ask.id}'s session could be read")
    born = born_ms(ask.id, look.taken_ms)
    since = born if born is not None else part.start_ms if part else None
    age = None if since is None else max(0.0, (look.taken_ms - since) / 1000)
    if age is not None and age < grace_s:
        return _dismiss(ask, f"{ask.id} was asked {age:.0f} s ago, within the grace of {grace_s:g} s")
    sure = part is not None and session.status is not Status.UNKNOWN
    return Finding(
        id=f"{CODE}:{ask.id}",
        code=CODE,
        slug=SLUG,
        title=TITLE,
        variant=_variant(ask, session),
        status=FindingStatus.WAITING_ON_YOU,
        session=session.id,
        directory=ask.directory,
        subject=Subject("ask", ask.id, ask.message_id),
        since_ms=since,
        age_s=age,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        unless=_UNLESS,
        evidence=_evidence(ask, session, part),
    )


def _variant(ask: Ask, session: SessionFacts) -> str:
    if session.parent_id:
        return "child"
    if ask.kind is not AskKind.PERMISSION:
        return "question"
    return {"external_directory": "external", "doom_loop": "doom-loop"}.get(ask.action, "rule")


def _evidence(ask: Ask, session: SessionFacts, part: ToolPart | None) -> tuple[str, ...]:
    """What a person would check by hand. Patterns are named; the command is not: it may hold secrets."""
    what = f" for {', '.join(ask.resources)}" if ask.resources else ""
    by = ", ".join(ask.listed_by) or "the server"
    lines = [f"{by} lists {ask.id}: {ask.action}{what}"]
    if part is not None:
        begun = ", its work not begun" if part.started is False else ""
        lines.append(f"its call {part.call_id} is a part of this session: {part.tool}, {part.status}{begun}")
    else:
        lines.append("the call it belongs to could not be read")
    if session.status is Status.UNKNOWN:
        lines.append("the status of the session could not be read")
    else:
        lines.append(f"the session is {session.status}")
    if session.parent_id:
        lines.append(f"the session is a sub-agent's; {session.parent_id} waits for it")
    return tuple(lines)


def _works(session: SessionFacts) -> bool:
    return session.status in (Status.BUSY, Status.RETRY)


def _unexplained(session: SessionFacts) -> Considered:
    if session.unfinished:
        tools = ", ".join(sorted({part.tool for part in session.unfinished}))
        return Considered(
            CODE, session.id, f"{tools} unfinished and no ask is pending; can't see what it waits for"
        )
    return Considered(CODE, session.id, f"{session.status}, and no ask is pending")


def _dismiss(ask: Ask, why: str) -> Considered:
    return Considered(CODE, ask.session_id, why)
