"""W101's other arms: from what was seen to what it says about the arm's one claim. Pure."""

from collections.abc import Callable

from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome, Lane
from wedged.lab.scenarios.w101_judgement import Scene, is_turn_over, outcome

# As much of an error's words as is sure to stand in the model's request as it is.
_SAID = 40

Judge = Callable[[Scene], tuple[ClaimOutcome, ...]]


def waits(claim: str, *actions: str, child: bool = False) -> Judge:
    """The turn (with `child`: its sub-agent) waits on one ask of one of these actions, and on nothing else.

    An action has one name a line: the shell's rule is ``bash`` on V1 and ``shell`` on V2.
    """

    def judged(scene: Scene) -> tuple[ClaimOutcome, ...]:
        look = scene.probe
        asks = [ask for ask in (look.child_asks if child else look.asks) if ask.action in actions]
        others = look.asks if child else look.child_asks
        waiting = look.session.unfinished
        # A doom_loop ask names no call; every other one names the call that waits.
        named = child or not asks or not asks[0].call_id or asks[0].call_id in {p.call_id for p in waiting}
        stuck = (
            look.session.status is Status.BUSY
            and bool(waiting)
            and len(asks) == 1
            and named
            and not others
            and look.in_flight == 0
            and not look.processes
            and not scene.folder_made
        )
        why = (
            f"session {look.session.status}, {len(waiting)} calls unfinished, "
            f"{len(asks)} asks of {' or '.join(actions)}, "
            f"{look.in_flight} model requests in flight, {len(look.processes)} processes"
        )
        watched = round(look.t - scene.prompted.at, 3)
        return (outcome(claim, stuck, is_turn_over(scene), why, watched_s=watched),)

    return judged


def completes(claim: str) -> Judge:
    """The call runs and the turn ends without an ask."""

    def judged(scene: Scene) -> tuple[ClaimOutcome, ...]:
        ran = scene.gated is not None and scene.gated.status is PartStatus.COMPLETED and scene.folder_made
        stuck = scene.probe.session.status is Status.BUSY and bool(scene.probe.asks)
        why = f"session {scene.probe.session.status}, folder {'made' if scene.folder_made else 'missing'}"
        return (outcome(claim, is_turn_over(scene) and ran, stuck, why, seconds=scene.over_s),)

    return judged


def denied(claim: str) -> Judge:
    """The call ends as an error without an ask, and the model is told so in a further turn."""

    def judged(scene: Scene) -> tuple[ClaimOutcome, ...]:
        part = scene.gated
        failed = part is not None and part.status is PartStatus.ERROR and not scene.folder_made
        error = part.error if part else ""
        told = bool(error) and any(
            error[:_SAID] in str(o.data.get("new_text", "")) for o in scene.timeline if o.lane is Lane.MODEL
        )
        ran = part is not None and part.status is PartStatus.COMPLETED
        stuck = scene.probe.session.status is Status.BUSY and bool(scene.probe.asks)
        why = f"part {part.status if part else 'missing'}, {scene.probe.turns} turns asked, told: {told}"
        return (outcome(claim, is_turn_over(scene) and failed and told, stuck or ran, why, error=error),)

    return judged
