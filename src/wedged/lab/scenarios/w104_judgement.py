"""W104: from what was seen in one trial to what it says about each claim. Pure."""

from collections.abc import Sequence
from functools import partial

from wedged.diagnose import Diagnosis
from wedged.facts.ask import Ask
from wedged.facts.opinion import as_values
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.outcomes import outcome_of
from wedged.lab.scenarios.w102_judgement import NOT_FOUND, is_settled, said_of
from wedged.lab.scenarios.w102_stage import Sight, is_asked
from wedged.lab.timeline import is_over

CODE = "W104"


outcome = partial(outcome_of, CODE)


def is_leftover(seen: Sight, ask: Ask) -> bool:
    """Listed, with its turn over."""
    return seen.lists(ask) and is_settled(seen)


def _said(seen: Sight, ask: Ask) -> str:
    listed = "listed" if seen.lists(ask) else "not listed"
    made = "made" if seen.made else "not made"
    return f"the ask is {listed}, session {seen.status}, call {said_of(seen.call)}, file {made}"


def control(seen: Sight, ask: Ask) -> tuple[ClaimOutcome, ...]:
    """Answered while it was waited for."""
    call = seen.call
    ran = call is not None and call.status is PartStatus.COMPLETED and seen.made
    healthy = is_settled(seen) and ran and not seen.lists(ask)
    return (outcome("control-answered", healthy, seen.lists(ask), _said(seen, ask)),)


def doctor(seen: Sight, ask: Ask, made: Diagnosis) -> ClaimOutcome:
    """Doctor names the leftover; where there is none, nothing."""
    codes = [f.code for f in made.findings if f.session == seen.prompted.session]
    expected = [CODE] if is_leftover(seen, ask) else []
    unread = "; ".join(gap.what for gap in made.unknown)
    known = is_settled(seen) and not unread
    why = f"{_said(seen, ask)}; doctor: {', '.join(codes) or 'no finding'}"
    opinion = as_values(expected, codes) if known else {}
    return outcome(
        "doctor-names-it", known and codes == expected, known and codes != expected, why, **opinion
    )


def trigger(seen: Sight, ask: Ask, made: Diagnosis) -> tuple[ClaimOutcome, ...]:
    """Aborted while the ask was pending."""
    over = is_settled(seen)
    return (
        outcome("stays-listed", is_leftover(seen, ask), over and not seen.lists(ask), _said(seen, ask)),
        outcome("never-ran", over and not seen.made, seen.made, _said(seen, ask)),
        doctor(seen, ask, made),
    )


def placebo(seen: Sight, ask: Ask, watched: float) -> tuple[ClaimOutcome, ...]:
    """Aborted, and left alone."""
    over = is_settled(seen)
    why = _said(seen, ask)
    gone = over and not seen.lists(ask)
    return (outcome("placebo-stays", is_leftover(seen, ask), gone, why, watched_s=round(watched, 3)),)


def rejected(
    before: Sight, seen: Sight, ask: Ask, at: float, replies: Sequence[int]
) -> tuple[ClaimOutcome, ...]:
    """A leftover (`before`), rejected at `at`; `replies` are the statuses of that and of a second reply."""
    told = seen.revoked(ask, at)
    was = is_leftover(before, ask)
    cleared = was and not seen.lists(ask) and told is not None and not seen.made
    never = not was and is_settled(before)
    why = f"before: {_said(before, ask)}; after: {_said(seen, ask)}, {told.kind if told else 'no event'}"
    healed = None if told is None else round(told.t - at, 3)
    answered = ", ".join(map(str, replies)) or "nothing sent"
    return (
        outcome("reject-clears-it", cleared, never or (was and seen.lists(ask)), why, healed_s=healed),
        outcome(
            "reply-is-taken-once",
            was and list(replies) == [200, NOT_FOUND],
            never or (len(replies) == 2 and replies[1] < 400),
            f"answered {answered}",
        ),
    )


def approved(before: Sight, seen: Sight, ask: Ask, at: float) -> tuple[ClaimOutcome, ...]:
    """A leftover (`before`), approved at `at`."""
    was, later = is_leftover(before, ask), seen.requests(at)
    ran = was and not before.made and seen.made
    call = seen.call
    failed = call is not None and call.status is PartStatus.ERROR
    why = f"before: {_said(before, ask)}; after: {_said(seen, ask)}, {len(later)} model requests"
    never = not was and is_settled(before)
    return (
        outcome("approving-runs-it", ran and failed, never or (was and not seen.made), why),
        outcome("model-is-not-told", was and not later, never or bool(later), why),
    )


def always(was: bool, settled: bool, asked: bool, ran: bool) -> tuple[ClaimOutcome, ...]:
    """A leftover that `was` one, answered `always`; then another session wrote to the same place."""
    next_one = f"{'' if asked else 'not '}asked, its call {'ran' if ran else 'did not run'}"
    why = f"leftover: {was}; the next session was {next_one}"
    return (outcome("always-opens-the-path", was and ran and not asked, asked or (settled and not was), why),)


def next_turn(
    was: bool, settled: bool, listed: Sequence[Ask], old: Ask, after: Sequence[Ask]
) -> tuple[ClaimOutcome, ...]:
    """The session was prompted again and asks anew: `listed`. Its new ask was rejected: `after`."""
    both = any(ask.id == old.id for ask in listed)
    never = settled and not was
    why = f"{len(listed)} asks listed in the next turn, {len(after)} after its own was rejected"
    return (
        outcome("outlives-the-next-turn", was and both and len(listed) == 2, never or not both, why),
        outcome("new-reject-takes-both", was and both and not after, never or bool(after), why),
    )


def question(seen: Sight, ask: Ask) -> tuple[ClaimOutcome, ...]:
    """A question of an aborted turn."""
    over = is_settled(seen)
    gone = over and not seen.lists(ask)
    return (outcome("question-stays-listed", is_leftover(seen, ask), gone, _said(seen, ask)),)


def broken(seen: Sight) -> tuple[ClaimOutcome, ...]:
    """The model's stream broke after the call."""
    over = next((o.t for o in seen.timeline if is_over(o)), None)
    asked = [o for o in seen.timeline if is_asked(o)]
    idle = seen.status is Status.IDLE and over is not None
    late = bool(asked) and over is not None and all(o.t > over for o in asked)
    when = f"asked {'after' if late else 'before'} the end" if asked else "no ask was made"
    why = f"session {seen.status}, {len(seen.listed)} asks listed, {when}"
    return (
        outcome(
            "asked-after-the-end",
            idle and late and bool(seen.listed) and seen.call is None,
            idle and not seen.listed,
            why,
        ),
    )


def not_reported(
    claim: str, state: str, made: Diagnosis, session: str, expected: Sequence[str]
) -> tuple[ClaimOutcome, ...]:
    """Symptom: in the state, and no W104 of doctor's. `expected` is what doctor ought to say of it."""
    codes = [f.code for f in made.findings if f.session == session]
    unread = "; ".join(gap.what for gap in made.unknown)
    ready = bool(state) and not unread
    why = f"{state or 'not in the state'}; doctor: {', '.join(codes) or 'no finding'}"
    why += f"; not read: {unread}" if unread else ""
    opinion = as_values(expected, codes) if ready else {}
    return (outcome(claim, ready and CODE not in codes, ready and CODE in codes, why, **opinion),)
