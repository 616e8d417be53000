"""W104's matcher: an ask that is listed, and that nothing waits for."""

from wedged.catalog.ask_standing import AskStanding, Standing, standing
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Finding, FindingStatus, Subject
from wedged.facts.session import Status
from wedged.facts.snapshot import Origin, Window

CODE = "W104"
SLUG = "leftover-ask"
TITLE = "Permission prompt is still there after an abort, and the session is idle"

_UNLESS = "a client is about to reject it anyway: a leftover harms only whoever approves it"


def match(window: Window, grace_s: float) -> Match:
    """A finding for each ask whose session is idle, or whose call has ended; the rest are W101's and W105's.

    A grace means nothing here: no answer is waited for. A look that has an ask twice, at its beginning and at
    its end, is enough: one that was answered meanwhile is in no look.
    """
    del grace_s
    look = window.latest
    if look.origin is not Origin.LIVE:
        return Match()
    seen = (standing(ask, look) for ask in look.asks)
    return Match(tuple(_finding(one) for one in seen if one.standing is Standing.LEFTOVER))


def _finding(seen: AskStanding) -> Finding:
    ask, session = seen.ask, seen.session
    status = session.status if session else Status.UNKNOWN
    by = ", ".join(ask.listed_by) or "the server"
    lines = (
        f"{by} lists {ask.id}: {ask.action}",
        f"nothing waits for it: {seen.why}",
        *_call(seen),
        "approving it can run its call all the same: reject it",
    )
    return Finding(
        id=f"{CODE}:{ask.id}",
        code=CODE,
        slug=SLUG,
        title=TITLE,
        variant="after-the-turn" if status is Status.IDLE else "beside-a-turn",
        status=FindingStatus.NOTICE,
        session=ask.session_id,
        directory=ask.directory,
        subject=Subject("ask", ask.id, ask.message_id),
        since_ms=seen.since_ms,
        age_s=seen.age_s,
        confidence=Confidence.HIGH,
        unless=_UNLESS,
        evidence=lines,
    )


def _call(seen: AskStanding) -> tuple[str, ...]:
    """The call that it once belonged to, where the session still has it."""
    session = seen.session
    part = next((p for p in session.parts if p.call_id == seen.ask.call_id), None) if session else None
    return (f"its call {part.call_id} ({part.tool}) is {part.status}",) if part else ()
