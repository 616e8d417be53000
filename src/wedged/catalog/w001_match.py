"""W001's matcher: a session that works, and that the server's own list does not name."""

from wedged.catalog.stale_call import born
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Finding, FindingStatus, Subject
from wedged.facts.server import Line
from wedged.facts.session import SessionFacts, ToolPart
from wedged.facts.snapshot import Origin, Snapshot, Window

CODE = "W001"
SLUG = "wrong-directory"
TITLE = "Session looks idle with a running tool: its status was asked of another directory"

_UNLESS = "whoever watches this session names its directory in each request"


def match(window: Window, grace_s: float) -> Match:
    """A `notice` for each call older than `grace_s` seconds that runs in another directory than the server's.

    Only V1's lists are one directory's. Nothing is stuck: it is what a client that names no directory, or
    another one, will take for stuck.
    """
    look = window.latest
    if look.origin is not Origin.LIVE or look.identity.line is not Line.V1 or not look.scopes:
        return Match()
    own = look.scopes[0].directory
    # What waits for a person is told as that; its answer names the directory.
    asking = {ask.session_id for ask in look.asks}
    elsewhere = (s for s in look.sessions if s.works and s.directory not in ("", own) and s.id not in asking)
    found = (_of(session, own, look, grace_s) for session in elsewhere)
    return Match(tuple(finding for finding in found if finding))


def _of(session: SessionFacts, own: str, look: Snapshot, grace_s: float) -> Finding | None:
    part = session.unfinished[0] if session.unfinished else None
    since = born(part, session, look.taken_ms) if part else None
    # A look takes a while: what it read last may be younger than it is.
    if part is None or since is None or max(0, look.taken_ms - since) < grace_s * 1000:
        return None
    return _finding(part, since, session, own, look)


def _finding(part: ToolPart, since_ms: int, session: SessionFacts, own: str, look: Snapshot) -> Finding:
    return Finding(
        id=f"{CODE}:{session.id}",
        code=CODE,
        slug=SLUG,
        title=TITLE,
        variant="status",
        status=FindingStatus.NOTICE,
        session=session.id,
        directory=session.directory,
        subject=Subject("tool_part", part.id, part.message_id),
        since_ms=since_ms,
        age_s=max(0.0, (look.taken_ms - since_ms) / 1000),
        confidence=Confidence.HIGH,
        unless=_UNLESS,
        evidence=(
            f"the list of {session.directory} says that the session is {session.status}",
            f"its call {part.call_id} ({part.tool}) is {part.status}",
            f"the server's own directory is {own}: without `?directory=` it answers for that one alone",
        ),
    )
