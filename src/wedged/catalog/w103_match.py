"""W103's matcher: a turn that was declined, and that the server has recorded as cut off by a shutdown."""

from dataclasses import dataclass
from datetime import UTC, datetime

from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Considered, Finding, FindingStatus, Subject
from wedged.facts.server import Line
from wedged.facts.session import SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Origin, Snapshot, Window

CODE = "W103"
SLUG = "decline-as-shutdown"
TITLE = 'Declined tool call comes back after a restart: "The server restarted while you were working"'

# The server's own words for a call that a person declined without a message, and which variant that is.
DECLINES = {
    "The user declined this tool call": "permission",
    "The user dismissed this question": "question",
}

_UNLESS_LATENT = (
    "no server is ever started with --service on this data, by nobody's command-line call either: "
    "a plain `serve` resumes nothing"
)
_UNLESS_PAST = "the server ended this turn as a deliberate stop; what is stored of it does not tell"


def match(window: Window, grace_s: float) -> Match:
    """A finding for each session whose newest declined call ended its turn; the rest with the reason.

    `latent` while the turn is marked for resumption: by the mark itself where the source shows marks, else by
    what a released V2 leaves out (nothing works on the session, and its turn has no end). `past` where no
    mark is left, or the line never makes one. A grace means nothing here: nobody is waited for.
    """
    del grace_s
    look = window.latest
    if look.identity.line not in (Line.V2_PREVIEW, Line.V2_RELEASED):
        return Match()
    judged = [one for session in look.sessions if (one := _judge(session, look))]
    return Match(
        tuple(one for one in judged if isinstance(one, Finding)),
        tuple(one for one in judged if isinstance(one, Considered)),
    )


def declined_call(session: SessionFacts) -> ToolPart | None:
    """The newest call that a person declined without a message, None where there is none."""
    return next((p for p in reversed(session.parts) if p.error in DECLINES), None)


@dataclass(frozen=True, slots=True)
class _Verdict:
    status: FindingStatus
    confidence: Confidence
    lines: tuple[str, ...]


def _judge(session: SessionFacts, look: Snapshot) -> Finding | Considered | None:
    part = declined_call(session)
    if part is None:
        return _marked_otherwise(session)
    verdict = _of_file(session, part) if session.shows_suspended else _of_server(session, part, look)
    if isinstance(verdict, str):
        return Considered(CODE, session.id, f"{part.tool} was declined, and {verdict}")
    since = part.end_ms
    return Finding(
        id=f"{CODE}:{session.id}:{part.call_id}",
        code=CODE,
        slug=SLUG,
        title=TITLE,
        variant=DECLINES[part.error],
        status=verdict.status,
        session=session.id,
        directory=session.directory,
        subject=Subject("tool_part", part.call_id, part.message_id),
        since_ms=since,
        age_s=None if since is None else max(0.0, (look.taken_ms - since) / 1000),
        confidence=verdict.confidence,
        unless=_UNLESS_LATENT if verdict.status is FindingStatus.LATENT else _UNLESS_PAST,
        evidence=(f"its call {part.call_id} ({part.tool}) has the error '{part.error}'", *verdict.lines),
    )


def _marked_otherwise(session: SessionFacts) -> Considered | None:
    """A mark without a decline is a turn that runs, or one that was really cut off."""
    if session.suspended_ms is None:
        return None
    why = "marked for resumption, and no call of it was declined: it runs, or a shutdown cut it off"
    return Considered(CODE, session.id, why)


def _of_file(session: SessionFacts, part: ToolPart) -> _Verdict | str:
    """The mark decides. It belongs to the newest turn, so the declined call has to be that turn's."""
    if session.suspended_ms is None:
        return _past(session, part, "its session has no mark (time_suspended is NULL)")
    if not _ended_with(session, part):
        return "the mark is a later turn's: that one runs, or was cut off"
    if session.parent_id:
        return _past(session, part, "marked, but a sub-agent's: the next start clears the mark, no turn")
    lines = (f"its session is marked for resumption since {_clock(session.suspended_ms)} (time_suspended)",)
    return _Verdict(FindingStatus.LATENT, Confidence.HIGH, lines)


def _of_server(session: SessionFacts, part: ToolPart, look: Snapshot) -> _Verdict | str:
    """The API shows no mark. What a released V2 leaves out of a turn's end stands for it."""
    if look.origin is not Origin.LIVE:
        return "this source shows neither the mark nor how the turn ended"
    if session.works:
        return f"the session is {session.status}: its turn goes on, or another one runs"
    if session.status is Status.UNKNOWN:
        return "whether anything works on the session could not be read"
    if not _ended_with(session, part):
        return _past(session, part, "its session has gone on since")
    if session.outcome:
        return f"the server ended the turn itself ({session.outcome}): a deliberate stop, and no mark"
    if _is_a_copy(session, part):
        return f"the call is a copy: the session is a fork of {session.forked_from}, and marks are not copied"
    if look.identity.line is Line.V2_PREVIEW:
        return _past(
            session, part, "this server marks only turns that work while it stops; it marks no decline"
        )
    if session.parent_id:
        return _past(session, part, "a sub-agent's: the next start clears the mark and resumes no turn")
    lines = (
        "nothing works on the session, and its turn has no end: no `idle` message after the declined call",
        "the mark itself (session_v2.time_suspended) is in the database only: point doctor at the file",
    )
    return _Verdict(FindingStatus.LATENT, Confidence.HIGH, lines)


def _past(session: SessionFacts, part: ToolPart, why: str) -> _Verdict:
    resumed = session.resumed_ms
    if resumed is not None and (part.end_ms is None or resumed >= part.end_ms):
        why += f"; it was resumed after a restart, {_clock(resumed)}"
        return _Verdict(FindingStatus.PAST, Confidence.HIGH, (why,))
    return _Verdict(FindingStatus.PAST, Confidence.MEDIUM, (why,))


def _ended_with(session: SessionFacts, part: ToolPart) -> bool:
    """Whether nothing was said after the message that the call belongs to."""
    return session.newest is not None and session.newest.id == part.message_id


def _is_a_copy(session: SessionFacts, part: ToolPart) -> bool:
    """A fork is as old as its last prompt, or younger than all that it copied."""
    if not session.forked_from:
        return False
    known = session.updated_ms is not None and part.start_ms is not None
    return not known or part.start_ms < session.updated_ms  # type: ignore[operator]


def _clock(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
