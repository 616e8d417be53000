"""W102 where everybody was reached: from what was seen of one session to what it says. Pure."""

from wedged.facts.ask import Ask
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.w102_judgement import (
    facts,
    hangs,
    is_settled,
    outcome,
    said_of,
    without_event,
)
from wedged.lab.scenarios.w102_stage import Sight


def config(kept: Sight, seen: Sight, ask: Ask, at: float, reply: int) -> tuple[ClaimOutcome, ...]:
    """A config sent that changes nothing (`kept` was seen after it), and then one that does, at `at`."""
    alive = kept.lists(ask) and kept.status is Status.BUSY
    return (
        without_event("config-no-event", seen, ask, at, reply),
        outcome(
            "config-unchanged-keeps",
            alive,
            not kept.lists(ask),
            f"after the same config: the ask is {'listed' if kept.lists(ask) else 'not listed'}, "
            f"session {kept.status}",
        ),
    )


def reload(seen: Sight, ask: Ask, at: float, reply: int) -> tuple[ClaimOutcome, ...]:
    """Every location reloaded: announced, settled with its reason, gone on."""
    told, call, later = seen.revoked(ask, at), seen.call, seen.requests(at)
    rejected = told is not None and told.data.get("reply") == "reject"
    named = call is not None and "location shut down" in call.error
    went_on = is_settled(seen) and bool(later)
    why = f"{told.kind if told else 'no event'}, call {said_of(call)}, {len(later)} further model requests"
    unsaid = told is None and not seen.lists(ask)
    found = facts(seen, ask, at, reply)
    return (outcome("reload-tells", rejected and named and went_on, unsaid or hangs(seen), why, **found),)


def restarted(arm: str, seen: Sight, ask: Ask, at: float, reply: int) -> tuple[ClaimOutcome, ...]:
    """The server was ended at `at`, and started again."""
    call = seen.call
    running = call is not None and call.status is PartStatus.RUNNING and seen.status is Status.IDLE
    return (
        without_event(f"{arm}-no-event", seen, ask, at, reply),
        outcome(
            f"{arm}-part-stays-running",
            running,
            call is not None and call.status.terminal,
            f"call {said_of(call)}, session {seen.status}",
        ),
    )
