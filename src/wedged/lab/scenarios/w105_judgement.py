"""W105: from what was seen of a sub-agent and its parent to what that says about each claim. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from wedged.diagnose import Diagnosis
from wedged.facts.ask import Ask
from wedged.facts.opinion import as_values
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.outcomes import outcome_of
from wedged.lab.scenarios.w102_judgement import is_settled, said_of
from wedged.lab.scenarios.w102_stage import Sight, is_revoked
from wedged.lab.timeline import is_over

CODE = "W105"


@dataclass(frozen=True, slots=True)
class Pair:
    """Both sessions at one moment. `parents` are the asks that the server lists for the parent's id."""

    parent: Sight
    child: Sight
    parents: tuple[Ask, ...]

    def hidden(self, ask: Ask) -> bool:
        """The sub-agent waits, and only its own session has the ask."""
        call = self.child.call
        waits = call is not None and call.status is PartStatus.RUNNING
        return self.child.status is Status.BUSY and waits and self.child.lists(ask) and not self.parents

    @property
    def over(self) -> bool:
        """Both turns have ended."""
        return is_settled(self.child) and is_settled(self.parent)

    def why(self, ask: Ask) -> str:
        """What was seen, in one sentence."""
        listed = "listed" if self.child.lists(ask) else "not listed"
        return (
            f"sub-agent {self.child.status}, its call {said_of(self.child.call)}, its ask {listed}; "
            f"parent {self.parent.status}, its call {said_of(self.parent.call)}, {len(self.parents)} asks"
        )


outcome = partial(outcome_of, CODE)


def control(parent: Sight, child: Sight) -> tuple[ClaimOutcome, ...]:
    """A sub-agent that asks nobody."""
    call = child.call
    ran = call is not None and call.status is PartStatus.COMPLETED
    over = is_settled(parent) and is_settled(child)
    why = f"sub-agent {child.status}, its call {said_of(call)}; parent {parent.status}"
    return (outcome("control-completes", over and ran, bool(child.listed), why),)


def _stays(seen: Pair, ask: Ask) -> bool:
    call = seen.parent.call
    held = call is not None and call.status is PartStatus.RUNNING
    return seen.hidden(ask) and seen.parent.status is Status.BUSY and held


def trigger(seen: Pair, ask: Ask, made: Diagnosis) -> tuple[ClaimOutcome, ...]:
    """A sub-agent asks, and nobody answers."""
    why = seen.why(ask)
    statuses = (seen.parent.status, seen.child.status)
    asked = len(seen.parent.requests())
    return (
        outcome("parent-lists-nothing", seen.hidden(ask), bool(seen.parents) or seen.over, why),
        outcome(
            "status-says-working",
            seen.hidden(ask) and statuses == (Status.BUSY, Status.BUSY),
            Status.IDLE in statuses,
            why,
        ),
        outcome("parent-waits", _stays(seen, ask) and asked == 1, asked > 1 or is_settled(seen.parent), why),
        doctor(seen, ask, made),
    )


def doctor(seen: Pair, ask: Ask, made: Diagnosis) -> ClaimOutcome:
    """Doctor finds the ask, in the sub-agent's session, and says whose it is."""
    family = (seen.child.prompted.session, seen.parent.prompted.session)
    found = [f for f in made.findings if f.session in family]
    unread = "; ".join(gap.what for gap in made.unknown)
    codes = [f.code for f in found]
    right = codes == [CODE] and found[0].subject.id == ask.id
    right = right and any(family[1] in line for line in found[0].evidence)
    known = seen.hidden(ask) and not unread
    why = f"{seen.why(ask)}; doctor: {', '.join(codes) or 'no finding'}"
    why += f"; not read: {unread}" if unread else ""
    opinion = as_values([CODE], codes) if known else {}
    return outcome("doctor-names-it", known and right, known and not right, why, **opinion)


def placebo(seen: Pair, ask: Ask, watched: float) -> tuple[ClaimOutcome, ...]:
    """Nothing sent."""
    gone = seen.over or is_settled(seen.child)
    why = seen.why(ask)
    return (outcome("placebo-stays", _stays(seen, ask), gone, why, watched_s=round(watched, 3)),)


def answered(arm: str, seen: Pair, ask: Ask, at: float) -> tuple[ClaimOutcome, ...]:
    """What one answer to the sub-agent's ask did, at `at`."""
    call, stayed = seen.child.call, seen.hidden(ask)
    over = next((o.t for o in seen.parent.timeline if is_over(o) and o.t > at), None)
    failed = call is not None and call.status is PartStatus.ERROR and not seen.child.made
    ran = call is not None and call.status is PartStatus.COMPLETED and seen.child.made
    further = bool(seen.child.requests(at))
    healed = None if over is None else round(over - at, 3)
    why = f"{seen.why(ask)}; {len(seen.child.requests(at))} further requests of the sub-agent's model"
    done = {
        "reject": ("reject-ends-it", failed and not further),
        "reject-message": ("reject-message-goes-on", failed and further),
        "once": ("once-runs-it", ran and further),
    }
    claim, as_said = done[arm]
    return (outcome(claim, seen.over and as_said, stayed, why, healed_s=healed),)


def interrupted(seen: Pair, ask: Ask, at: float) -> tuple[ClaimOutcome, ...]:
    """The sub-agent was interrupted at `at`."""
    above = seen.parent.call
    cancelled = above is not None and above.status is PartStatus.ERROR and "ancelled" in above.error
    told = [str(o.data.get("new_text", "")) for o in seen.parent.requests(at)]
    said = any("ancelled" in text for text in told)
    revoked = next((o for o in seen.child.timeline if o.t > at and is_revoked(o, ask.id)), None)
    over = next((o.t for o in seen.parent.timeline if is_over(o) and o.t > at), None)
    healed = None if over is None else round(over - at, 3)
    return (
        outcome(
            "parent-is-told-cancelled",
            seen.over and cancelled and said,
            seen.hidden(ask) or (seen.over and not told),
            f"{seen.why(ask)}; the parent's model is told {'so' if said else 'nothing of it'}",
            healed_s=healed,
        ),
        outcome(
            "interrupt-no-event",
            is_settled(seen.child) and revoked is None,
            revoked is not None,
            f"{revoked.kind if revoked else 'no event'} after the interrupt",
        ),
    )


def parent_interrupted(seen: Pair, ask: Ask) -> tuple[ClaimOutcome, ...]:
    """The parent was interrupted."""
    call, above = seen.child.call, seen.parent.call
    both = all(part is not None and part.status is PartStatus.ERROR for part in (call, above))
    return (outcome("parent-takes-both-down", seen.over and both, seen.hidden(ask), seen.why(ask)),)


def background(seen: Pair, ask: Ask) -> tuple[ClaimOutcome, ...]:
    """The sub-agent was started in the background."""
    idle = seen.parent.status is Status.IDLE and is_settled(seen.parent)
    busy = seen.parent.status is Status.BUSY
    why = seen.why(ask)
    return (outcome("background-parent-is-idle", seen.hidden(ask) and idle, seen.hidden(ask) and busy, why),)


def no_background(parent: Sight) -> ClaimOutcome:
    """No sub-agent was started for an order that said `background`."""
    call = parent.call
    refused = call is not None and call.status is PartStatus.ERROR
    why = f"no sub-agent: parent {parent.status}, its call {said_of(call)}"
    return outcome("background-parent-is-idle", False, refused and is_settled(parent), why)


def not_reported(
    claim: str, state: str, made: Diagnosis, sessions: Sequence[str], expected: Sequence[str]
) -> tuple[ClaimOutcome, ...]:
    """Symptom: in the state, and no W105 of doctor's. `expected` is what doctor ought to say of it."""
    codes = [f.code for f in made.findings if f.session in sessions]
    unread = "; ".join(gap.what for gap in made.unknown)
    ready = bool(state) and not unread
    why = f"{state or 'not in the state'}; doctor: {', '.join(codes) or 'no finding'}"
    why += f"; not read: {unread}" if unread else ""
    opinion = as_values(expected, codes) if ready else {}
    return (outcome(claim, ready and CODE not in codes, ready and CODE in codes, why, **opinion),)
