"""What resembles W102 and is not it: each brought about on a real server, and doctor pointed at it."""

from collections.abc import Sequence

from wedged.diagnose import Diagnosis
from wedged.facts.opinion import as_values
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome
from wedged.lab import gated
from wedged.lab.bench import Bench, shell
from wedged.lab.scenarios.doctor_word import doctor_on
from wedged.lab.scenarios.w102_judgement import CODE, is_settled, outcome
from wedged.lab.scenarios.w102_neighbour import call_runs
from wedged.lab.scenarios.w102_stage import Run, Stage, begin, begin_with, only_child
from wedged.lab.slow_page import slow_page
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call, Script, Turn


def judged(
    claim: str, stage: Stage, state: str, made: Diagnosis, expected: Sequence[str] = ()
) -> tuple[ClaimOutcome, ...]:
    """Symptom: in the state, and no W102 of doctor's. Its opposite: in the state, and one.

    `state` is the witness in words, "" where the session was not in it; `expected` is what else doctor ought
    to say of it.
    """
    codes = [f.code for f in made.findings if f.session == stage.session]
    unread = "; ".join(gap.what for gap in made.unknown)
    ready = bool(state) and not unread
    why = f"{state or 'not in the state'}; doctor: {', '.join(codes) or 'no finding'}"
    why += f"; not read: {unread}" if unread else ""
    opinion = as_values(expected, codes) if ready else {}
    return (outcome(claim, ready and CODE not in codes, ready and CODE in codes, why, **opinion),)


def _long_shell(bench: Bench, name: str, timing: Timing) -> Draft:
    line = f"sleep 590; : {name}"
    call = Call(bench.shell_tool, shell(line) | {"timeout": 600_000})
    stage = begin_with(bench, bench.project(), name, call)
    bench.timeline.watch(stage.session, call_runs, timing.settle_s)
    made = doctor_on(bench, stage.session)
    seen = stage.look()
    runs = any(name in word for process in bench.server.tree() for word in process.argv)
    state = "session busy, its shell's process runs" if runs and seen.status is Status.BUSY else ""
    stage.stop()
    return stage.draft(seen, judged("not-long-shell", stage, state, made))


def _webfetch(bench: Bench, name: str, timing: Timing) -> Draft:
    with slow_page() as page:
        call = Call("webfetch", {"url": page.url, "format": "text", "timeout": 120})
        stage = begin_with(bench, bench.project(), name, call)
        bench.timeline.watch(stage.session, call_runs, timing.settle_s)
        page.asked.wait(timing.settle_s)
        made = doctor_on(bench, stage.session)
        seen = stage.look()
        asked = page.asked.is_set() and seen.status is Status.BUSY
        state = "session busy, its page asked for and not sent" if asked else ""
        stage.stop()
        return stage.draft(seen, judged("not-webfetch", stage, state, made))


def _waiting(bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin(bench, bench.project(), name)
    ask = stage.waiting(timing)
    made = doctor_on(bench, stage.session)
    seen = stage.look()
    state = "session busy, its ask listed" if seen.lists(ask) and seen.status is Status.BUSY else ""
    stage.reply(ask)
    return stage.draft(seen, judged("not-waiting", stage, state, made, ["W101"]))


def _interrupted(bench: Bench, name: str, timing: Timing) -> Draft:
    """Settled: only a client that saw the ask and no event could still show it."""
    stage = begin(bench, bench.project(), name)
    ask = stage.waiting(timing)
    at = stage.stop()
    stage.settle(at, timing.settle_s, timing)
    stage.reply(ask)
    made = doctor_on(bench, stage.session)
    seen = stage.look()
    state = "session idle, its ask gone" if is_settled(seen) and not seen.lists(ask) else ""
    return stage.draft(seen, judged("not-interrupted", stage, state, made))


def _working_child(bench: Bench, name: str, timing: Timing) -> Draft:
    """A parent whose sub-agent works: its call runs, and no ask is pending."""
    line = f"sleep 590; : {name}"
    call = Call(bench.shell_tool, shell(line) | {"timeout": 600_000})
    script = bench.model.learn(Script(f"{name}-sub", (Turn(calls=(call,)),)))
    order = gated.sub_agent(bench.identity.line, f"Do it. {script.mark}")
    stage = begin_with(bench, bench.project(), name, order)
    child = only_child(bench, stage, timing.settle_s)
    bench.model.attribute(script, child)
    bench.timeline.watch(child, call_runs, timing.settle_s)
    made = doctor_on(bench, stage.session)
    seen = stage.look()
    running = seen.call is not None and seen.call.status is PartStatus.RUNNING
    works = child in bench.connection.reader.statuses(stage.directory)
    state = "session busy on its sub-agent, which works" if running and works else ""
    bench.connection.actor.abort(child, stage.directory)
    stage.stop()
    return stage.draft(seen, judged("not-working-child", stage, state, made), also=(child,))


LOOK_ALIKES: dict[str, Run] = {
    "like-long-shell": _long_shell,
    "like-webfetch": _webfetch,
    "like-waiting": _waiting,
    "like-interrupted": _interrupted,
    "like-working-child": _working_child,
}
