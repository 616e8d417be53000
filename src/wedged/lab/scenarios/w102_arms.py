"""W102's arms that reach one session or one directory only: each disposal has a directory of its own.

On V1 an instance that is disposed of with several asks pending may answer 503 for good, so each directory
holds one ask, but where that is what the arm is about.
"""

from functools import partial

from wedged.catalog.w102_disposal_without_revocation import CLASS
from wedged.facts.ask import Ask
from wedged.facts.recovery import Action, Target
from wedged.lab import gated
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios import w102_judgement as judge
from wedged.lab.scenarios.doctor_word import doctor_on
from wedged.lab.scenarios.w101_cases import QUESTION
from wedged.lab.scenarios.w102_acts import Act, dispose, disposed
from wedged.lab.scenarios.w102_neighbour import beside
from wedged.lab.scenarios.w102_stage import (
    Run,
    Stage,
    begin,
    begin_with,
    is_request,
    is_terminal,
    only_child,
    writes,
)
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call, Script, Turn
from wedged.recover import run_step


def _control(bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin(bench, bench.project(), name)
    ask = stage.waiting(timing)
    at = bench.timeline.now()
    stage.reply(ask, "once")
    bench.timeline.watch(stage.session, is_over, timing.settle_s, after=at)
    seen = stage.look()
    return stage.draft(seen, judge.control(seen, ask, at))


def _trigger(act: Act, bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin(bench, bench.project(name), name)
    ask = stage.waiting(timing)
    at = bench.timeline.now()
    act(stage)
    went = disposed(stage, at, timing)
    seen = stage.look()
    replies = (stage.reply(ask), stage.reply(ask))
    return stage.draft(seen, judge.trigger(seen, ask, at, replies), went)


def _placebo(bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin(bench, bench.project(), name)
    ask = stage.waiting(timing)
    at = bench.timeline.now()
    bench.timeline.watch(stage.session, is_terminal, timing.bound_s, after=at)
    seen = stage.look()
    return stage.draft(seen, judge.placebo(seen, ask, seen.t - at))


def _question(bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin_with(bench, bench.project(name), name, Call("question", QUESTION))
    ask = stage.waiting(timing)
    at = bench.timeline.now()
    dispose(stage)
    went = disposed(stage, at, timing)
    seen = stage.look()
    return stage.draft(seen, judge.question(seen, ask, at, stage.reply(ask)), went)


def _free(bench: Bench, name: str, timing: Timing) -> Draft:
    """Disposed of, looked at by doctor, looked up in the list, interrupted where it hangs, prompted again."""
    alive = begin(bench, bench.project(), f"{name}-alive")
    kept = alive.waiting(timing)
    stage = begin(bench, bench.project(name), name)
    ask = stage.waiting(timing)
    at = bench.timeline.now()
    dispose(stage)
    went = disposed(stage, at, timing)
    # Before our own look: a question about the location makes the server load it again.
    first = doctor_on(bench, stage.session)
    lists = [str(_step(one, Action.LIST_ASKS)) for one in (stage, alive)]
    alive.reply(kept)
    before = stage.look()
    at = bench.timeline.now()
    if judge.hangs(before):
        _step(stage, Action.ABORT)
        bench.timeline.watch(stage.session, is_over, timing.settle_s, after=at)
    after = stage.look()
    second = doctor_on(bench, stage.session)
    prompted = prompt_again(stage, "next")
    bench.timeline.watch(stage.session, is_over, timing.settle_s, after=prompted)
    last = stage.look()
    outcomes = (
        *judge.list_tells(ask.id in lists[0], kept.id in lists[1]),
        judge.doctor("doctor-names-it", before, first),
        judge.doctor("doctor-confirms-it", after, second),
        *judge.freed(before, after, at, last, prompted),
    )
    return stage.draft(last, outcomes, went, also=(alive.session,))


def _step(stage: Stage, action: Action) -> object:
    """Carry out the class's step of that action on this session; the server's answer."""
    step, connection = next(s for s in CLASS.recovery if s.action is action), stage.bench.connection
    target = Target(stage.session, stage.directory)
    with stage.bench.timeline.call(stage.session, step.id):
        return run_step(step, target, connection.reader, connection.actor).answer


def prompt_again(stage: Stage, suffix: str) -> float:
    """A further prompt to the session; when, in seconds on the timeline."""
    bench = stage.bench
    script = bench.model.learn(Script(f"{stage.prompted.script.name}-{suffix}"))
    bench.model.attribute(script, stage.session)
    at = bench.timeline.now()
    with bench.timeline.call(stage.session, "prompt"):
        bench.connection.actor.prompt(stage.session, f"Go on. {script.mark}", stage.directory)
    return at


def _order(bench: Bench, name: str, timing: Timing) -> Draft:
    """A prompt first and the interrupt after it: the wrong order."""
    stage = begin(bench, bench.project(name), name)
    ask = stage.waiting(timing)
    at = bench.timeline.now()
    dispose(stage)
    went = disposed(stage, at, timing)
    before = stage.look()
    prompted = prompt_again(stage, "first")
    # Where the turn is over the model is asked, however late; an abort before that would hide it.
    patience = timing.watch_s if judge.hangs(before) else timing.settle_s
    bench.timeline.watch(stage.session, is_request, patience, after=prompted)
    stopped = stage.stop()
    bench.timeline.watch(stage.session, is_request, timing.watch_s / 2, after=stopped)
    seen = stage.look()
    again = prompt_again(stage, "second")
    asked = bench.timeline.watch(stage.session, is_request, timing.settle_s, after=again)
    bench.timeline.watch(stage.session, is_over, timing.settle_s, after=asked.t if asked else again)
    then = stage.look()
    found = judge.facts(seen, ask, at)
    return stage.draft(then, judge.order(before, seen, prompted, then, again, found), went)


def _bystander(bench: Bench, name: str, timing: Timing) -> Draft:
    """A shell of another session of the directory, and an ask of another directory."""
    directory = bench.project(name)
    neighbour = beside(bench, directory, f"{name}-shell", timing)
    elsewhere = begin(bench, bench.project(), f"{name}-elsewhere")
    kept = elsewhere.waiting(timing)
    stage = begin(bench, directory, name)
    stage.waiting(timing)
    at = bench.timeline.now()
    dispose(stage)
    went = disposed(stage, at, timing)
    bench.timeline.watch(neighbour.stage.session, is_terminal, timing.watch_s, after=at)
    left = neighbour.left(at, timing)
    outcomes = judge.cut_off(left, neighbour.last_words, elsewhere.look(), kept)
    elsewhere.stop()
    also = (neighbour.stage.session, elsewhere.session)
    return Draft(stage.prompted, (went,), outcomes, bench.timeline.now(), also)


def _sub_agent(bench: Bench, name: str, timing: Timing) -> Draft:
    parent, child, ask = child_asks(bench, bench.project(name), name, timing)
    at = bench.timeline.now()
    dispose(child)
    went = disposed(child, at, timing)
    seen, above = child.look(), parent.look()
    return parent.draft(
        above, judge.sub_agent(seen, above, ask, at, child.reply(ask)), went, also=(child.session,)
    )


def child_asks(bench: Bench, directory: str, name: str, timing: Timing) -> tuple[Stage, Stage, Ask]:
    """A sub-agent that waits for a person: the parent's stage, the sub-agent's, and the ask."""
    call, made = writes(bench, f"{name}-sub")
    script = bench.model.learn(Script(f"{name}-sub", (Turn(calls=(call,)),)))
    line = bench.identity.line
    parent = begin_with(bench, directory, name, gated.sub_agent(line, f"Do it. {script.mark}"))
    session = only_child(bench, parent, timing.settle_s)
    bench.model.attribute(script, session)
    child = Stage(bench, Prompted(session, directory, script, parent.prompted.at), (call,), made)
    return parent, child, child.waiting(timing)


def disposals(act: Act) -> dict[str, Run]:
    """The arms by name; `act` is what the trigger does to its instance."""
    return {
        "control": _control,
        "trigger": partial(_trigger, act),
        "placebo": _placebo,
        "free": _free,
        "order": _order,
        "question": _question,
        "bystander": _bystander,
        "sub-agent": _sub_agent,
    }
