"""W104 on a real server: a turn is aborted while its ask is pending, and the ask stays listed.

`cause` and `hold` bring a session into the state and leave it there; `Scenario` measures it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from wedged.catalog.w104_leftover_ask import CLASS
from wedged.errors import Refused
from wedged.evidence import AbsentProbe
from wedged.facts.ask import Ask
from wedged.facts.recovery import Target
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios import w104_judgement as judge
from wedged.lab.scenarios.doctor_word import doctor_on
from wedged.lab.scenarios.w101_cases import QUESTION
from wedged.lab.scenarios.w102_acts import nothing
from wedged.lab.scenarios.w102_judgement import is_settled
from wedged.lab.scenarios.w102_stage import (
    Run,
    Stage,
    begin,
    begin_with,
    is_asked,
    pending,
    writes,
)
from wedged.lab.scenarios.w104_look_alikes import LOOK_ALIKES
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Group, Timing, share_out
from wedged.lab.turns import Call, Script, Turn
from wedged.recover import run_step
from wedged.waiting import wait_until

CODE = "W104"
_EVERY_S = 0.1
# Arms that get every trial; the others get a fifth.
_MAIN = ("control", "trigger", "placebo")

Fault = Callable[[Stage], object]


def abort(stage: Stage) -> object:
    """The fault: the turn is aborted."""
    return stage.stop()


def cause(
    bench: Bench, directory: str, name: str, timing: Timing, fault: Fault = abort
) -> tuple[Stage, Ask, float]:
    """Have a session ask, and abort it; the stage, its ask, and when."""
    stage = begin(bench, directory, name)
    ask = stage.waiting(timing)
    at = bench.timeline.now()
    fault(stage)
    stage.settle(at, timing.settle_s, timing)
    return stage, ask, at


def hold(bench: Bench, directory: str = "", name: str = "held") -> Prompted:
    """Bring a session into the state and leave it there.

    Raises:
        DeadlinePassed: the server did not ask.
    """
    return cause(bench, directory or bench.project(), name, Timing())[0].prompted


def _control(bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin(bench, bench.project(), name)
    ask = stage.waiting(timing)
    at = bench.timeline.now()
    stage.reply(ask, "once")
    bench.timeline.watch(stage.session, is_over, timing.bound_s, after=at)
    seen = stage.look()
    return stage.draft(seen, judge.control(seen, ask))


def _trigger(fault: Fault, bench: Bench, name: str, timing: Timing) -> Draft:
    stage, ask, _ = cause(bench, bench.project(), name, timing, fault)
    bench.timeline.watch(stage.session, is_asked, timing.watch_s, after=bench.timeline.now())
    made = doctor_on(bench, stage.session)
    seen = stage.look()
    outcomes = judge.trigger(seen, ask, made)
    _clear(stage)
    return stage.draft(seen, outcomes)


def _placebo(bench: Bench, name: str, timing: Timing) -> Draft:
    stage, ask, at = cause(bench, bench.project(), name, timing)
    bench.timeline.watch(stage.session, is_asked, timing.bound_s, after=bench.timeline.now())
    seen = stage.look()
    outcomes = judge.placebo(seen, ask, seen.t - at)
    _clear(stage)
    return stage.draft(seen, outcomes)


def _reject(bench: Bench, name: str, timing: Timing) -> Draft:
    stage, ask, _ = cause(bench, bench.project(), name, timing)
    before, at, replies = stage.look(), bench.timeline.now(), list[int]()
    if judge.is_leftover(before, ask):
        connection = bench.connection
        target = Target(stage.session, stage.directory, ask.id)
        with bench.timeline.call(stage.session, CLASS.recovery[0].id):
            run_step(CLASS.recovery[0], target, connection.reader, connection.actor)
        replies = [200, stage.reply(ask)]
    bench.timeline.watch(stage.session, lambda o: o.data.get("ask") == ask.id, timing.watch_s, after=at)
    seen = stage.look()
    return stage.draft(seen, judge.rejected(before, seen, ask, at, replies))


def _once(bench: Bench, name: str, timing: Timing) -> Draft:
    stage, ask, _ = cause(bench, bench.project(), name, timing)
    before, at = stage.look(), bench.timeline.now()
    stage.reply(ask, "once")
    wait_until(stage.made.exists, timing.watch_s, every=_EVERY_S)
    seen = stage.look()
    return stage.draft(seen, judge.approved(before, seen, ask, at))


def _always(bench: Bench, name: str, timing: Timing) -> Draft:
    directory = bench.project(name)
    stage, ask, _ = cause(bench, directory, name, timing)
    before = stage.look()
    stage.reply(ask, "always")
    following = begin(bench, directory, f"{name}-next")
    bench.timeline.watch(
        following.session, lambda o: is_asked(o) or is_over(o), timing.settle_s, after=following.prompted.at
    )
    after = following.look()
    asked = bool(after.listed)
    outcomes = judge.always(judge.is_leftover(before, ask), is_settled(before), asked, after.made)
    following.stop()
    return stage.draft(before, outcomes, also=(following.session,))


def _next_turn(bench: Bench, name: str, timing: Timing) -> Draft:
    stage, ask, _ = cause(bench, bench.project(), name, timing)
    before = stage.look()
    call, _ = writes(bench, f"{name}-next")
    script = bench.model.learn(Script(f"{name}-next", (Turn(calls=(call,)),)))
    bench.model.attribute(script, stage.session)
    at = bench.timeline.now()
    bench.connection.actor.prompt(stage.session, f"Go on. {script.mark}", stage.directory)
    asked = bench.timeline.wait_for(
        stage.session, is_asked, "the next turn to ask", timing.settle_s, after=at
    )
    new = str(asked.data["ask"])

    def fresh() -> tuple[Ask, ...]:
        found = pending(bench, stage.session, stage.directory)
        return found if any(one.id == new for one in found) else ()

    listed = wait_until(fresh, timing.bound_s, every=_EVERY_S) or ()
    at = bench.timeline.now()
    for one in listed:
        if one.id == new:
            stage.reply(one)
    bench.timeline.watch(stage.session, is_over, timing.bound_s, after=at)
    after = pending(bench, stage.session, stage.directory)
    was, settled = judge.is_leftover(before, ask), is_settled(before)
    return stage.draft(before, judge.next_turn(was, settled, listed, ask, after))


def _question(bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin_with(bench, bench.project(), name, Call("question", QUESTION))
    ask = stage.waiting(timing)
    at = stage.stop()
    stage.settle(at, timing.settle_s, timing)
    seen = stage.look()
    outcomes = judge.question(seen, ask)
    _clear(stage)
    return stage.draft(seen, outcomes)


def _broken_stream(bench: Bench, name: str, timing: Timing) -> Draft:
    """One chunk after the call is no JSON."""
    call, made = writes(bench, name)
    script = Script(name, (Turn(calls=(call,), malformed=True),))
    stage = Stage(bench, bench.prompt(script, bench.project()), (), made)
    bench.timeline.watch(stage.session, is_over, timing.settle_s, after=stage.prompted.at)
    bench.timeline.watch(stage.session, is_asked, timing.watch_s, after=stage.prompted.at)
    wait_until(lambda: pending(bench, stage.session, stage.directory), timing.watch_s, every=_EVERY_S)
    seen = stage.look()
    outcomes = judge.broken(seen)
    _clear(stage)
    return stage.draft(seen, outcomes)


def _clear(stage: Stage) -> None:
    """No other trial is to meet what this one leaves."""
    for ask in pending(stage.bench, stage.session, stage.directory):
        try:
            target = Target(stage.session, stage.directory, ask.id)
            connection = stage.bench.connection
            run_step(CLASS.recovery[0], target, connection.reader, connection.actor)
        except Refused:
            stage.stop()


@dataclass(frozen=True, slots=True)
class Scenario:
    """The arms of W104. `fault` is what the trigger does to the turn."""

    fault: Fault = abort
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
            "reject": _reject,
            "once": _once,
            "always": _always,
            "next-turn": _next_turn,
            "question": _question,
            "broken-stream": _broken_stream,
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
        """None: an abort reaches one session only."""
        del trials
        return ()

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """Every server has asks and an abort."""
        del bench
        return {}

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """One trial of one arm."""
        del directory
        return self._runs[arm](bench, f"w104-{arm}-{n}", timing)


NO_FAULT: Fault = nothing
