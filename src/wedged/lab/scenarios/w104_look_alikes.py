"""What resembles W104 and is not it: each brought about on a real server, and doctor pointed at it."""

from wedged.lab.bench import Bench
from wedged.lab.scenarios import w104_judgement as judge
from wedged.lab.scenarios.doctor_word import doctor_on
from wedged.lab.scenarios.w102_acts import dispose, disposed
from wedged.lab.scenarios.w102_arms import child_asks
from wedged.lab.scenarios.w102_judgement import is_settled
from wedged.lab.scenarios.w102_stage import Run, begin, is_terminal
from wedged.lab.trials import Draft, Timing


def _waiting(bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin(bench, bench.project(), name)
    ask = stage.waiting(timing)
    made = doctor_on(bench, stage.session)
    seen = stage.look()
    state = "session busy, its ask listed" if seen.lists(ask) and not is_settled(seen) else ""
    stage.reply(ask)
    return stage.draft(seen, judge.not_reported("not-waiting", state, made, stage.session, ["W101"]))


def _gone(bench: Bench, name: str, timing: Timing) -> Draft:
    """Gone with its instance, and the session is left in peace."""
    stage = begin(bench, bench.project(name), name)
    ask = stage.waiting(timing)
    at = bench.timeline.now()
    dispose(stage)
    went = disposed(stage, at, timing)
    if not is_settled(stage.look()):
        stage.stop()
        bench.timeline.watch(stage.session, is_terminal, timing.bound_s, after=at)
    made = doctor_on(bench, stage.session)
    seen = stage.look()
    state = "session idle, its ask in no list" if is_settled(seen) and not seen.lists(ask) else ""
    return stage.draft(seen, judge.not_reported("not-gone", state, made, stage.session, []), went)


def _child(bench: Bench, name: str, timing: Timing) -> Draft:
    parent, child, ask = child_asks(bench, bench.project(), name, timing)
    made = doctor_on(bench, child.session)
    seen = child.look()
    state = "sub-agent busy, its ask listed" if seen.lists(ask) and not is_settled(seen) else ""
    outcomes = judge.not_reported("not-child", state, made, child.session, ["W105"])
    child.reply(ask)
    parent.stop()
    return parent.draft(parent.look(), outcomes, also=(child.session,))


LOOK_ALIKES: dict[str, Run] = {"like-waiting": _waiting, "like-gone": _gone, "like-child": _child}
