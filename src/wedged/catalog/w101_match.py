"""W101's matcher: a pending ask that a turn waits for."""

from wedged.catalog.ask_standing import AskStanding, Standing, standing
from wedged.catalog.waiting_ask import too_young, waiting_finding
from wedged.facts.ask import Ask, AskKind
from wedged.facts.failure_class import Match
from wedged.facts.finding import Considered, Finding
from wedged.facts.session import SessionFacts
from wedged.facts.snapshot import Snapshot, Window

CODE = "W101"
SLUG = "ungated-external-ask"
TITLE = "Session stuck busy forever, one tool part stays running"


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


def variant_of(ask: Ask) -> str:
    """Which variant an ask is."""
    if ask.kind is not AskKind.PERMISSION:
        return "question"
    return {"external_directory": "external", "doom_loop": "doom-loop"}.get(ask.action, "rule")


def _judge(seen: AskStanding, look: Snapshot, grace_s: float) -> Finding | Considered:
    ask, session = seen.ask, seen.session
    if session is None or seen.standing is Standing.UNCLEAR:
        return _dismiss(ask, f"{ask.id}: {seen.why}")
    if seen.standing is Standing.LEFTOVER:
        return _dismiss(ask, f"{ask.id} is listed, and {seen.why}: a leftover, W104")
    if session.parent_id:
        return _dismiss(ask, f"{ask.id} is a sub-agent's, of {session.parent_id}: W105")
    if young := too_young(seen, grace_s):
        return _dismiss(ask, young)
    return waiting_finding(seen, session, look, named=(CODE, SLUG, TITLE), variant=variant_of(ask))


def _unexplained(session: SessionFacts) -> Considered:
    if session.unfinished:
        tools = ", ".join(sorted({part.tool for part in session.unfinished}))
        return Considered(CODE, session.id, f"{tools} unfinished, and no ask is pending")
    return Considered(CODE, session.id, f"{session.status}, and no ask is pending")


def _dismiss(ask: Ask, why: str) -> Considered:
    return Considered(CODE, ask.session_id, why)
