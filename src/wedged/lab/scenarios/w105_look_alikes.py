"""What resembles W105 and is not it: each brought about on a real server, and doctor pointed at it."""

from pathlib import Path

from wedged.facts.session import PartStatus, Status
from wedged.lab import gated
from wedged.lab.bench import Bench
from wedged.lab.scenarios import w105_judgement as judge
from wedged.lab.scenarios.doctor_word import doctor_on
from wedged.lab.scenarios.w102_judgement import is_settled
from wedged.lab.scenarios.w102_neighbour import call_runs
from wedged.lab.scenarios.w102_stage import Run, begin
from wedged.lab.scenarios.w105_family import cause, clear
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call


def _own_ask(bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin(bench, bench.project(), name)
    ask = stage.waiting(timing)
    made = doctor_on(bench, stage.session)
    seen = stage.look()
    state = "session busy, its own ask listed" if seen.lists(ask) and seen.status is Status.BUSY else ""
    stage.reply(ask)
    outcomes = judge.not_reported("not-own-ask", state, made, (stage.session,), ["W101"])
    return stage.draft(seen, outcomes)


def _sleeps(bench: Bench, name: str) -> tuple[Call, Path]:
    call = gated.shell_call(bench.identity.line, f"sleep 590; : {name}")
    return Call(call.tool, {**call.input, "timeout": 600_000}), bench.home.outside / f"{name}.none"


def _working(bench: Bench, name: str, timing: Timing) -> Draft:
    family = cause(bench, bench.project(), name, timing, _sleeps)
    bench.timeline.watch(family.child.session, call_runs, timing.settle_s)
    made = family.doctor()
    seen = family.look()
    call = seen.child.call
    works = call is not None and call.status is PartStatus.RUNNING and not seen.child.listed
    state = "sub-agent busy, its shell runs" if works and seen.child.status is Status.BUSY else ""
    outcomes = judge.not_reported("not-working", state, made, family.sessions, [])
    family.child.stop()
    family.parent.stop()
    return family.draft(seen, outcomes)


def _leftover(bench: Bench, name: str, timing: Timing) -> Draft:
    """Interrupted while it asked: V1 has a leftover then, V2 nothing."""
    family = cause(bench, bench.project(), name, timing)
    ask = family.child.waiting(timing)
    at = family.child.stop()
    bench.timeline.watch(family.parent.session, is_over, timing.bound_s, after=at)
    made = family.doctor()
    seen = family.look()
    left = seen.child.lists(ask)
    settled = is_settled(seen.child)
    state = f"sub-agent idle, its ask {'listed' if left else 'gone'}" if settled else ""
    outcomes = judge.not_reported("not-leftover", state, made, family.sessions, ["W104"] if left else [])
    clear(family)
    return family.draft(seen, outcomes)


LOOK_ALIKES: dict[str, Run] = {
    "like-own-ask": _own_ask,
    "like-working": _working,
    "like-leftover": _leftover,
}
