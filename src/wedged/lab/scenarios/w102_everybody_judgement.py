"""W102 where everybody was reached: from what was seen of one session to what it says. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wedged.facts.ask import Ask
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.w102_judgement import (
    facts,
    hangs,
    is_settled,
    outcome,
    said_of,
    status_of,
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


def after_restart(seen: Sight, later: Sight, ask: Ask, bystander: str) -> dict[str, object]:
    """What a row of the ways says further: `seen` was before the server was ended and started again, `later`
    is after it; `bystander` is what had become of the neighbour's shell."""
    return {"restart": _moved_by(seen, later, ask), "bystander": bystander}


def with_more(outcomes: Sequence[ClaimOutcome], more: Mapping[str, object]) -> tuple[ClaimOutcome, ...]:
    """The same outcomes, with `more` in the row of the ways."""
    return tuple(replace(o, values={**o.values, **more}) if "event" in o.values else o for o in outcomes)


def then_restarted(arm: str, found: Mapping[str, object], later: Sight, ask: Ask) -> tuple[ClaimOutcome, ...]:
    """After the restart nothing of the ask is left: not listed, its session idle or gone, its call over."""
    call, listed, idle = later.call, later.lists(ask), later.status is Status.IDLE
    over = later.session is None or (call is not None and call.status.terminal)
    running = call is not None and not call.status.terminal
    why = f"before the restart: {found['call']}, listed: {found['listed']}; after it: {found['restart']}"
    clean = not listed and idle and over
    return (outcome(f"{arm}-leaves-nothing", clean, listed or not idle or running, why, **found),)


def _moved_by(seen: Sight, later: Sight, ask: Ask) -> str:
    """What is another way after a restart than it was before it."""
    moved = []
    if later.lists(ask) != seen.lists(ask):
        moved.append("listed again" if later.lists(ask) else "listed no more")
    if said_of(later.call) != said_of(seen.call):
        moved.append(f"call {said_of(later.call)}")
    if status_of(later) != status_of(seen):
        moved.append(f"session {status_of(later)}")
    return ", ".join(moved) or "as before"


def restarted(
    arm: str, seen: Sight, ask: Ask, at: float, reply: int, bystander: str
) -> tuple[ClaimOutcome, ...]:
    """The server was ended at `at`, and started again; `bystander`: what is stored of a neighbour's shell."""
    call = seen.call
    running = call is not None and call.status is PartStatus.RUNNING and seen.status is Status.IDLE
    silent = without_event(f"{arm}-no-event", seen, ask, at, reply)
    return (
        replace(silent, values={**silent.values, "bystander": bystander}),
        outcome(
            f"{arm}-part-stays-running",
            running,
            call is not None and call.status.terminal,
            f"call {said_of(call)}, session {seen.status}",
        ),
    )
