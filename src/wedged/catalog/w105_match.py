"""W105's matcher: a sub-agent waits for a person, and whoever looks at its parent sees nothing of it."""

from wedged.catalog.ask_standing import AskStanding, Standing, standing
from wedged.catalog.waiting_ask import too_young, waiting_finding
from wedged.facts.failure_class import Match
from wedged.facts.finding import Considered, Finding
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Snapshot, Window

CODE = "W105"
SLUG = "hidden-child-ask"
TITLE = "Session is busy and asks nothing: the permission prompt is in its sub-agent's session"


def match(window: Window, grace_s: float) -> Match:
    """A finding for each ask of a sub-agent that has waited `grace_s` seconds or longer.

    Asks of sessions without a parent are W101's, asks that nothing waits for W104's. Confidence as for W101.
    """
    look = window.latest
    judged = [
        _judge(seen, seen.session, look, grace_s)
        for ask in look.asks
        if (seen := standing(ask, look)).standing is Standing.LIVE
        and seen.session is not None
        and seen.session.parent_id
    ]
    return Match(
        tuple(one for one in judged if isinstance(one, Finding)),
        tuple(one for one in judged if isinstance(one, Considered)),
    )


def _judge(seen: AskStanding, session: SessionFacts, look: Snapshot, grace_s: float) -> Finding | Considered:
    if young := too_young(seen, grace_s):
        return Considered(CODE, session.id, young)
    parent = look.session(session.parent_id)
    waits = parent is None or parent.status is not Status.IDLE
    variant = "parent-waits" if waits else "parent-idle"
    return waiting_finding(seen, session, look, named=(CODE, SLUG, TITLE), variant=variant)
