"""W002's matcher: a call that looks stale here because another server on the same data runs it."""

from wedged.catalog.stale_call import Runner, StaleCall, clock, of_calls, stale_calls
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Finding, FindingStatus, Subject
from wedged.facts.snapshot import Snapshot, Window

CODE = "W002"
SLUG = "two-servers-one-store"
TITLE = "Session looks stuck here, and another server on the same data is running it"

_UNLESS = "the process named here has lost the call too, for instance because it was restored from a copy"
_UNLESS_COULD = "the other process never ran it (it only reads the database): then the call is stale, W201"


def match(window: Window, grace_s: float) -> Match:
    """A `notice` for each unfinished call of an idle session that another process runs, or could run.

    High where the call's command runs below a process that has the same database open; medium where such a
    process was there before the call and what it does can't be seen. A grace means nothing here: it is a
    warning against a cure.
    """
    del grace_s
    calls = (one for one in stale_calls(window.latest) if one.runner is Runner.ELSEWHERE)
    return Match(tuple(_finding(call, window.latest) for call in calls))


def _finding(call: StaleCall, look: Snapshot) -> Finding:
    runs = call.process is not None and call.process.under is not None
    return Finding(
        id=f"{CODE}:{call.session.id}:{call.part.id}",
        code=CODE,
        slug=SLUG,
        title=TITLE,
        variant="runs-elsewhere" if runs else "may-run-elsewhere",
        status=FindingStatus.NOTICE,
        session=call.session.id,
        directory=call.session.directory,
        subject=Subject("tool_part", call.part.id, call.part.message_id),
        since_ms=call.since_ms,
        age_s=call.age_s,
        confidence=Confidence.HIGH if runs else Confidence.MEDIUM,
        unless=_UNLESS if runs else _UNLESS_COULD,
        evidence=_evidence(call, look),
        candidates=() if runs else (CODE, "W201"),
    )


def _evidence(call: StaleCall, look: Snapshot) -> tuple[str, ...]:
    part, opener = call.part, call.opener
    lines = [
        f"its call {part.call_id} ({part.tool}) is {part.status}",
        f"{of_calls(look.identity.line)} of this server does not name the session",
    ]
    if opener is not None:
        since = clock(opener.created * 1000)
        lines.append(f"{opener.name}, process {opener.pid} since {since}, has the same database open")
    if call.process is not None:
        lines.append(f"the call's command runs in process {call.process.process.pid}, below that one")
    return tuple(lines)
