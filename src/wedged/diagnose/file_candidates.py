"""What a database or an export alone can say of calls that have not ended: candidates, and the question that
decides.

A file shows neither asks nor who runs what, so nothing here is more than a candidate, and nothing is offered
to be done. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from wedged.client.v1 import routes as v1
from wedged.client.v2 import routes as v2
from wedged.facts.failure_class import FailureClass
from wedged.facts.finding import Confidence, Considered, Finding, FindingStatus, Subject
from wedged.facts.lineage import parents
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, SessionFacts, ToolPart
from wedged.facts.snapshot import Gap, Origin, Snapshot

_ASK, _CHILD_ASK, _CRASH, _TWO, _EVICTED = "W101", "W105", "W201", "W002", "W102"
_LEFTOVER = "W104"
_ABORTED = "MessageAbortedError"
_SUB_AGENTS = ("task", "subagent")
_SHELLS = ("bash", "shell")
_FEW = 5
_UNLESS = "a server is at work on it, which a file can't show"


@dataclass(frozen=True, slots=True)
class FromFile:
    """What was made of a file's unfinished calls; `unknown` are those that no class here can name."""

    findings: tuple[Finding, ...] = ()
    considered: tuple[Considered, ...] = ()
    unknown: tuple[Gap, ...] = ()


def from_file(look: Snapshot, grace_s: float, classes: Sequence[FailureClass]) -> FromFile:
    """Judge every call of `look` that has not ended, and every newest answer that is not complete.

    Only codes of `classes` are named. A call younger than `grace_s` seconds is not yet anything.
    """
    known = {one.code: one for one in classes}
    findings: list[Finding] = []
    considered: list[Considered] = []
    unknown: list[Gap] = []
    for session in look.sessions:
        left: dict[tuple[str, ...], list[ToolPart]] = {}
        for part in session.unfinished:
            if why_not := _explained(part, session, look, grace_s):
                considered.append(Considered(_ASK, session.id, f"{part.tool} {part.call_id}: {why_not}"))
            else:
                left.setdefault(_candidates(part, session, look), []).append(part)
        for codes, parts in left.items():
            named = tuple(code for code in codes if code in known)
            if named:
                findings.append(_finding(known[named[0]], named, parts, session, look))
            else:
                unknown.append(_unnamed(parts, session, look))
        if _LEFTOVER in known and (aborted := _aborted_call(session, look)):
            unknown.append(_may_be_left(aborted, session, look))
        half = "" if session.unfinished else _half_answer(session)
        if half:
            if _may_run(look):
                why = f"{half}: whether the model is still at it, {_server(look)} can tell"
                unknown.append(Gap(f"session {session.id}", why))
            else:
                considered.append(Considered(_ASK, session.id, f"{half}: it ended with its server"))
    return FromFile(tuple(findings), tuple(considered), tuple(unknown))


def _explained(part: ToolPart, session: SessionFacts, look: Snapshot, grace_s: float) -> str:
    """Why this call is nothing to report, "" where that can't be said."""
    if part.tool in _SUB_AGENTS:
        kid = next((one for one in look.sessions if one.parent_id == session.id and one.unfinished), None)
        if kid is not None:
            return f"it waits for its sub-agent {kid.id}, which is looked at by itself"
    command = str(part.input.get("command", ""))
    process = look.processes.running(command) if look.processes and part.tool in _SHELLS else None
    if process is not None:
        return f"process {process.pid}, below the server that holds the file, runs its command"
    age = _age_s(part, session, look)
    if age is not None and age < grace_s:
        return f"it began {age:.0f} s before this look, within the grace of {grace_s:g} s"
    return ""


def _candidates(part: ToolPart, session: SessionFacts, look: Snapshot) -> tuple[str, ...]:
    if _turn_is_over(part, session):
        return (_CRASH,)
    if part.status is not PartStatus.RUNNING:
        return (_CRASH,)  # the model was still writing it, so nobody was asked yet
    if part.tool in _SHELLS and part.started is True:
        # Its ask, if there was one, has been answered. Who holds the file since before may be running it.
        at_work = look.origin is Origin.EXPORT or _holder_is_older(part, session, look)
        return () if at_work else (_CRASH,)
    ask = _CHILD_ASK if session.parent_id else _ASK
    if not _may_run(look):
        # Where nobody has the file open, no ask lives either, unless it is a copy.
        return (_CRASH, ask)
    # Only the preview leaves a turn behind whose ask went with its location.
    evicted = (_EVICTED,) if look.identity.line is Line.V2_PREVIEW else ()
    return (ask, *evicted, _CRASH, *((_TWO,) if _held_by_several(look) else ()))


def _may_run(look: Snapshot) -> bool:
    """Whether a server may be at work on what was read: one has the file open, or wrote the export."""
    return look.origin is Origin.EXPORT or (look.holders is not None and look.holders.held)


def _held_by_several(look: Snapshot) -> bool:
    """Whether more than one server has the file open: each takes what another runs for stale."""
    return look.holders is not None and sum(one.is_opencode for one in look.holders.seen) > 1


def _server(look: Snapshot) -> str:
    """The server to ask, in words."""
    made = look.origin is Origin.EXPORT
    return "the server that the export comes from" if made else "the server that holds the file"


def _turn_is_over(part: ToolPart, session: SessionFacts) -> bool:
    """Whether the model has answered anew since. A prompt alone may wait behind the call."""
    newest = session.newest
    return newest is not None and newest.from_model and newest.id != part.message_id


def _aborted_call(session: SessionFacts, look: Snapshot) -> ToolPart | None:
    """A call that ended with its newest turn's abort, if a V1 that had the file open then still has.

    Only V1 leaves the ask of such a call behind, and it goes with the server's process.
    """
    newest = session.newest
    if look.identity.line is not Line.V1 or newest is None or newest.error != _ABORTED or not look.holders:
        return None
    ended = (p for p in session.parts if p.message_id == newest.id and p.status is PartStatus.ERROR)
    part = next((p for p in ended if p.end_ms is not None), None)
    if part is None or part.end_ms is None:
        return None
    there = any(one.created * 1000 <= part.end_ms for one in look.holders.seen)
    return part if there or not look.holders.complete else None


def _may_be_left(part: ToolPart, session: SessionFacts, look: Snapshot) -> Gap:
    route = v1.scoped(v1.PERMISSIONS, session.directory)
    return Gap(
        f"session {session.id}",
        f"its newest turn was aborted, and with it call {part.call_id} ({part.tool}): whether an ask of that "
        f"is still listed ({_LEFTOVER}), GET {route} on {_server(look)} tells",
    )


def _half_answer(session: SessionFacts) -> str:
    """What is to be said of a newest answer that is not complete; "" where it is."""
    newest = session.newest
    if newest is None or not newest.from_model or newest.complete:
        return ""
    at = f", asked for {_clock(newest.created_ms)}" if newest.created_ms is not None else ""
    return f"its newest answer is not complete{at}, and no call of it is open"


def _finding(
    one: FailureClass, codes: tuple[str, ...], parts: list[ToolPart], session: SessionFacts, look: Snapshot
) -> Finding:
    first = parts[0]
    return Finding(
        id=f"{one.code}:{first.id}",
        code=one.code,
        slug=one.slug,
        title=one.title,
        variant="",
        status=FindingStatus.STUCK,
        session=session.id,
        directory=session.directory,
        subject=Subject("tool_part", first.id, first.message_id),
        since_ms=_since_ms(first, session),
        age_s=_age_s(first, session, look),
        confidence=Confidence.LOW,
        unless=_UNLESS,
        evidence=_evidence(parts, session, look),
        candidates=codes,
    )


def _evidence(parts: list[ToolPart], session: SessionFacts, look: Snapshot) -> tuple[str, ...]:
    lines = [_of_call(part) for part in parts[:_FEW]]
    if len(parts) > _FEW:
        lines.append(f"and {len(parts) - _FEW} more calls of this session")
    if _turn_is_over(parts[0], session):
        lines.append("the model has answered again since: nothing of that turn runs any more")
    if above := parents(session.id, look):
        lines.append(f"the session is a sub-agent's; above it: {', '.join(above)}")
    elif session.suspended_ms is not None:
        # A sub-agent's mark is cleared at the next start, and nothing is taken up.
        lines.append(
            f"its turn is marked for resumption since {_clock(session.suspended_ms)}: a server that is "
            "started with --service on this file takes it up again"
        )
    return (*lines, _held(parts[0], session, look), _question(parts[0], session, look))


def _of_call(part: ToolPart) -> str:
    since = f" since {_clock(part.start_ms)}" if part.start_ms is not None else ""
    begun = {True: ", its work begun", False: ", its work not begun", None: ""}[part.started]
    return f"its call {part.call_id} ({part.tool}) is {part.status} in the file{since}{begun}"


def _held(part: ToolPart, session: SessionFacts, look: Snapshot) -> str:
    holders = look.holders
    if look.origin is Origin.EXPORT:
        return "an export does not tell whether a server was at work when it was made"
    if holders is None or not holders.held:
        return (
            "no process of this machine has the file open: unless it is a copy of a running server's, "
            "nothing runs the call, and it is stale"
        )
    who = [f"{one.name} (process {one.pid}, since {_clock(one.created * 1000)})" for one in holders.seen]
    words = f"the file is open in {', '.join(who) or 'a process that is out of sight'}"
    if not holders.complete:
        words += ", and perhaps in others that can't be seen"
    older = _holder_is_older(part, session, look)
    if not holders.seen or older is None:
        return words
    return f"{words}: {'older' if older else 'younger'} than the call"


def _question(part: ToolPart, session: SessionFacts, look: Snapshot) -> str:
    """The one question to a server that tells the candidates apart, with what its answers mean."""
    asked = part.tool == "question"
    if look.identity.line is Line.V1:
        route = v1.scoped(v1.QUESTIONS if asked else v1.PERMISSIONS, session.directory)
        active = v1.scoped(v1.STATUSES, session.directory)
    else:
        route = v2.session_forms(session.id) if asked else v2.session_permissions(session.id)
        active = v2.ACTIVE
    return (
        f"to decide, ask {_server(look)}: does GET {route} list an ask of {part.call_id}? "
        f"Then it waits for a person. If not, is the session in GET {active}? Then it is at work, else stale"
    )


def _unnamed(parts: list[ToolPart], session: SessionFacts, look: Snapshot) -> Gap:
    what = f"call {parts[0].call_id} of session {session.id}"
    if len(parts) > 1:
        what += f" and {len(parts) - 1} more of it"
    active = v1.scoped(v1.STATUSES, session.directory) if look.identity.line is Line.V1 else v2.ACTIVE
    return Gap(
        what,
        f"{_of_call(parts[0])}; {_held(parts[0], session, look)}. GET {active} on {_server(look)} "
        "tells whether it is at work",
    )


def _holder_is_older(part: ToolPart, session: SessionFacts, look: Snapshot) -> bool | None:
    """Whether a process that has the file open was there before the call; None where that is not known."""
    since = _since_ms(part, session)
    if look.holders is None or since is None:
        return None
    return any(one.created * 1000 <= since for one in look.holders.seen)


def _since_ms(part: ToolPart, session: SessionFacts) -> int | None:
    if part.start_ms is not None:
        return part.start_ms
    newest = session.newest
    return newest.created_ms if newest and newest.id == part.message_id else session.updated_ms


def _age_s(part: ToolPart, session: SessionFacts, look: Snapshot) -> float | None:
    since = _since_ms(part, session)
    return None if since is None else max(0.0, (look.taken_ms - since) / 1000)


def _clock(milliseconds: float) -> str:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return "a time out of range"
