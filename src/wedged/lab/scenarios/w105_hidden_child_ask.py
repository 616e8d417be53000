"""W105 on a real server: a sub-agent asks, and its parent shows nothing of it.

`cause` and `hold` bring a session into the state and leave it there; `Scenario` measures it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from wedged.catalog.w105_hidden_child_ask import CLASS
from wedged.evidence import AbsentProbe
from wedged.facts.ask import Ask
from wedged.facts.recovery import Target
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios import w105_judgement as judge
from wedged.lab.scenarios.w102_stage import Run, Stage, is_request, is_terminal
from wedged.lab.scenarios.w105_family import Family, Fault, cause, clear, inside, order, outside
from wedged.lab.scenarios.w105_look_alikes import LOOK_ALIKES
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Group, Timing, share_out
from wedged.recover import run_step

CODE = "W105"
FEEDBACK = "Stay inside the project: write the file there instead."
# Which recovery step each answering arm runs.
CURES = {"reject": "child-reject", "reject-message": "child-reject-message", "once": "child-once"}
# Arms that get every trial; the others get a fifth.
_MAIN = ("control", "trigger", "placebo")


def hold(bench: Bench, directory: str = "", name: str = "held") -> Prompted:
    """Bring a session into the state and leave it there; the parent's.

    Raises:
        DeadlinePassed: the sub-agent did not ask.
    """
    family = cause(bench, directory or bench.project(), name, Timing())
    family.child.waiting(Timing())
    return family.parent.prompted


def _control(bench: Bench, name: str, timing: Timing) -> Draft:
    family = cause(bench, bench.project(), name, timing, inside)
    bench.timeline.watch(family.parent.session, is_over, timing.settle_s, after=family.parent.prompted.at)
    seen = family.look()
    return family.draft(seen, judge.control(seen.parent, seen.child))


def _trigger(fault: Fault, bench: Bench, name: str, timing: Timing) -> Draft:
    family = cause(bench, bench.project(), name, timing, fault)
    ask = family.child.waiting(timing)
    bench.timeline.watch(family.parent.session, is_terminal, timing.watch_s, after=bench.timeline.now())
    made = family.doctor()
    seen = family.look()
    return family.draft(seen, judge.trigger(seen, ask, made))


def _placebo(bench: Bench, name: str, timing: Timing) -> Draft:
    family = cause(bench, bench.project(), name, timing)
    ask = family.child.waiting(timing)
    at = bench.timeline.now()
    bench.timeline.watch(family.parent.session, is_terminal, timing.bound_s, after=at)
    seen = family.look()
    return family.draft(seen, judge.placebo(seen, ask, seen.parent.t - at))


def _run_step(family: Family, step_id: str, ask: Ask, message: str = "") -> float:
    """Carry out one of the class's steps on the sub-agent; when, in seconds on the timeline."""
    child, connection = family.child, family.child.bench.connection
    step = next(step for step in CLASS.recovery if step.id == step_id)
    at = child.bench.timeline.now()
    target = Target(child.session, child.directory, ask.id, message)
    with child.bench.timeline.call(child.session, step.id):
        run_step(step, target, connection.reader, connection.actor, allow_approval=True)
    return at


def _answer(arm: str, bench: Bench, name: str, timing: Timing) -> Draft:
    family = cause(bench, bench.project(), name, timing)
    ask = family.child.waiting(timing)
    at = _run_step(family, CURES[arm], ask, FEEDBACK if arm == "reject-message" else "")
    bench.timeline.watch(family.parent.session, is_over, timing.bound_s, after=at)
    seen = family.look()
    return family.draft(seen, judge.answered(arm, seen, ask, at))


def _interrupt(bench: Bench, name: str, timing: Timing) -> Draft:
    family = cause(bench, bench.project(), name, timing)
    ask = family.child.waiting(timing)
    at = _run_step(family, "child-interrupt", ask)
    bench.timeline.watch(family.parent.session, is_over, timing.bound_s, after=at)
    seen = family.look()
    outcomes = judge.interrupted(seen, ask, at)
    clear(family)
    return family.draft(seen, outcomes)


def _interrupt_parent(bench: Bench, name: str, timing: Timing) -> Draft:
    family = cause(bench, bench.project(), name, timing)
    ask = family.child.waiting(timing)
    at = family.parent.stop()
    bench.timeline.watch(family.parent.session, is_over, timing.bound_s, after=at)
    bench.timeline.watch(family.child.session, is_over, timing.bound_s, after=at)
    # V1 has the parent's model asked once more before it ends.
    bench.timeline.watch(family.parent.session, is_request, timing.watch_s / 2, after=at)
    seen = family.look()
    outcomes = judge.parent_interrupted(seen, ask)
    clear(family)
    return family.draft(seen, outcomes)


def _background(bench: Bench, name: str, timing: Timing) -> Draft:
    """The order says `background: true`, which V1's `task` does not take."""
    parent, script, call, made = order(bench, bench.project(), name, outside, background=True)
    reader, timeline = bench.connection.reader, bench.timeline
    timeline.watch(parent.session, is_over, timing.settle_s, after=parent.prompted.at)
    children = reader.children(parent.session, parent.directory)
    if not children:
        return parent.draft(parent.look(), (judge.no_background(parent.look()),))
    bench.model.attribute(script, children[0].id)
    prompted = Prompted(children[0].id, parent.directory, script, parent.prompted.at)
    family = Family(parent, Stage(bench, prompted, (call,), made))
    ask = family.child.waiting(timing)
    seen = family.look()
    outcomes = judge.background(seen, ask)
    family.child.reply(ask)
    return family.draft(seen, outcomes)


@dataclass(frozen=True, slots=True)
class Scenario:
    """The arms of W105. `fault` makes the call of the trigger's sub-agent."""

    fault: Fault = outside
    code: str = CODE

    @property
    def arms(self) -> tuple[str, ...]:
        """Every arm, in the order of the page."""
        return tuple(self._runs)

    @property
    def _runs(self) -> dict[str, Run]:
        return {
            "control": _control,
            "trigger": partial(_trigger, self.fault),
            "placebo": _placebo,
            **{arm: partial(_answer, arm) for arm in CURES},
            "interrupt": _interrupt,
            "interrupt-parent": _interrupt_parent,
            "background": _background,
            **LOOK_ALIKES,
        }

    @property
    def main(self) -> tuple[str, ...]:
        """The arms that every server of a run gets."""
        return _MAIN

    def plan(self, trials: int) -> dict[str, int]:
        """Control, trigger and placebo get all trials, each further arm a fifth."""
        return share_out(self.arms, _MAIN, trials)

    def groups(self, trials: int) -> tuple[Group, ...]:
        """None: all of it reaches one family of sessions only."""
        del trials
        return ()

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """Every server has sub-agents."""
        del bench
        return {}

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """One trial of one arm."""
        del directory
        return self._runs[arm](bench, f"w105-{arm}-{n}", timing)
