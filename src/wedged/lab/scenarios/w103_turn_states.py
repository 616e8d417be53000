"""The turns that a restart finds: one for each arm, brought to where the server may be ended."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from wedged.catalog.w103_variants import PROMPT
from wedged.facts.recovery import Target
from wedged.facts.trial import Check, Observation
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios.w103_cases import (
    Case,
    asks_a_question,
    bring_to_end,
    checks,
    decline_sub_agent,
    gated,
    stored,
)
from wedged.lab.scenarios.w103_scene import Scene, look
from wedged.lab.scenarios.w103_turns import (
    Deed,
    Place,
    decline,
    decline_with_message,
    end_turn,
    interrupt,
    is_request,
)
from wedged.lab.timeline import is_over
from wedged.lab.trials import Timing
from wedged.lab.turns import Call, Script, Turn
from wedged.recover import run_step

# A model's answer that nobody waits for.
_NEVER_S = 60.0


@dataclass(frozen=True, slots=True)
class State:
    """A turn as the restart finds it. `also` are further sessions that belong to it.

    `marked` says whether it had its mark once it was declined, `cured_s` how long a cure took to clear that,
    None where it cleared none.
    """

    place: Place
    prompted: Prompted
    before: Scene
    checks: tuple[Check, ...]
    also: tuple[str, ...] = ()
    marked: bool = True
    cured_s: float | None = None


Reach = Callable[[Bench, Place, Timing], State]


def ended(case: Case, bench: Bench, place: Place, timing: Timing) -> State:
    """A turn that asked and was then dealt with."""
    prompted, ask = bring_to_end(bench, place, case, timing)
    scene = look(bench, prompted, place.made)
    return State(place, prompted, scene, checks(scene, case, place, ask))


def reach_by(deed: Deed, calls: Callable[[Place], tuple[Call, ...]] = gated, *, declines: int = 1) -> Reach:
    """A turn that asked, and to which `deed` was done."""
    return partial(ended, Case("", calls, deed, lambda _: (), declines=declines))


declined = reach_by(decline)


def prompted_again(bench: Bench, place: Place, timing: Timing) -> State:
    """Declined, then cured: the recovery step itself, with words that the model answers."""
    state = declined(bench, place, timing)
    script = bench.model.learn(Script(f"{place.name}-cure"))
    session = state.prompted.session
    target = Target(session, place.directory, message=f"{PROMPT.message} {script.mark}")
    acted = bench.timeline.now()
    with bench.timeline.call(session, PROMPT.id):
        run_step(PROMPT, target, bench.connection.reader, bench.connection.actor)
    over = bench.timeline.watch(session, is_over, timing.settle_s, after=acted)
    return _later(bench, state, "the cure's prompt was answered", over, acted)


def prompted_and_interrupted(bench: Bench, place: Place, timing: Timing) -> State:
    """Declined, then prompted, and interrupted before the model had answered."""
    state = declined(bench, place, timing)
    script = bench.model.learn(Script(f"{place.name}-more", (Turn(text="Late.", first_byte_s=_NEVER_S),)))
    session, acted = state.prompted.session, bench.timeline.now()
    with bench.timeline.call(session, "prompt"):
        bench.connection.actor.prompt(session, f"One moment. {script.mark}")
    bench.timeline.watch(session, is_request, timing.settle_s, after=acted)
    end_turn(bench, session)
    over = bench.timeline.watch(session, is_over, timing.settle_s, after=acted)
    return _later(bench, state, "the prompt was interrupted before its answer", over, acted)


def interrupted_late(bench: Bench, place: Place, timing: Timing) -> State:
    """Declined, and interrupted afterwards: there is no turn any more that this could end."""
    state = declined(bench, place, timing)
    end_turn(bench, state.prompted.session)
    over = bench.timeline.find(state.prompted.session, is_over)
    return _later(bench, state, "the interrupt was taken after the decline", over, bench.timeline.now())


def _later(bench: Bench, state: State, rule: str, over: Observation | None, acted: float) -> State:
    """The state after something more was done to the turn, which `over` shows to have come to its end."""
    scene = look(bench, state.prompted, state.place.made)
    marked = state.before.mark.is_set
    cleared = over is not None and marked and not scene.mark.is_set
    cured_s = round(over.t - acted, 3) if over is not None and cleared else None
    checked = (*state.checks, Check(rule, over is not None))
    return replace(state, before=scene, checks=checked, marked=marked, cured_s=cured_s)


def sub_agent_declined(bench: Bench, place: Place, timing: Timing) -> State:
    """A sub-agent's turn, declined, and its parent's, which has gone on to its end."""
    parent, child = decline_sub_agent(bench, place, timing)
    bench.timeline.watch(parent.session, is_over, timing.settle_s, after=parent.at)
    scene = look(bench, child, place.made)
    return State(place, child, scene, (stored(scene.call(), place.gated()),), (parent.session,))


def at_work(bench: Bench, place: Place, timing: Timing) -> State:
    """A turn whose call runs, so that whatever ends the server cuts it off."""
    call = place.sleeper()
    prompted = place.prompt(call)
    running = bench.timeline.watch(prompted.session, lambda o: o.kind == "shell.created", timing.settle_s)
    scene = look(bench, prompted, place.made)
    ran = Check("its shell ran before the end", running is not None)
    return State(place, prompted, scene, (stored(scene.call(), call), ran))


STATES: dict[str, Reach] = {
    "restart": declined,
    "restart-question": reach_by(decline, asks_a_question),
    "restart-message": reach_by(decline_with_message),
    "restart-interrupt": reach_by(interrupt, declines=0),
    "restart-sub-agent": sub_agent_declined,
    "cut-off": at_work,
    "prompt": prompted_again,
    "prompt-interrupt": prompted_and_interrupted,
    "late-interrupt": interrupted_late,
    "crash": declined,
    "plain-restart": declined,
    "command-line": declined,
    "like-shutdown": at_work,
}
