"""W103's arms that need no restart: one prompt, one deed, and the look afterwards."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from wedged.diagnose import Diagnosis, diagnose
from wedged.facts.ask import Ask
from wedged.facts.recovery import Action, Target
from wedged.facts.session import ToolPart
from wedged.facts.snapshot import Window
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation
from wedged.lab.bench import Bench, Prompted
from wedged.lab.one_session import OneSession
from wedged.lab.scenarios import w103_judgement as judge
from wedged.lab.scenarios.w103_scene import Scene, look
from wedged.lab.scenarios.w103_turns import (
    QUESTION,
    Deed,
    Place,
    answer,
    approve,
    await_asks,
    decline,
    decline_with_message,
    interrupt,
    is_request,
)
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call, Script, Turn
from wedged.observe import look as look_at_server
from wedged.observe import server_tree

Calls = Callable[[Place], tuple[Call, ...]]


def gated(place: Place) -> tuple[Call, ...]:
    """One command that is asked for."""
    return (place.gated(),)


def asks_a_question(place: Place) -> tuple[Call, ...]:
    """One question."""
    del place
    return (Call("question", QUESTION),)


@dataclass(frozen=True, slots=True)
class Case:
    """One arm: what the model calls, what is done to the turn once it asks, and what is made of it.

    `asks`: how many asks to wait for. `declines`: how often the first one is declined. `quiet`: whether to
    watch for a request to the model afterwards.
    """

    arm: str
    calls: Calls
    deed: Deed
    judged: judge.Judge
    asks: int = 1
    declines: int = 1
    quiet: bool = False


CASES = (
    Case("control", gated, approve, judge.control, declines=0),
    Case("question", asks_a_question, decline, judge.question),
    Case("reject-message", gated, decline_with_message, judge.with_message),
    Case("interrupt", gated, interrupt, judge.interrupted, declines=0),
    Case("answer", asks_a_question, answer, judge.answered, declines=0),
    Case("two-asks", lambda p: (p.gated("one"), p.gated("two")), decline, judge.two_asks, asks=2),
)


def bring_to_end(bench: Bench, place: Place, case: Case, timing: Timing) -> tuple[Prompted, Ask]:
    """Prompt, wait until the server asks, do the deed, and wait until the turn is over (or the time is)."""
    prompted = place.prompt(*case.calls(place))
    asks = await_asks(bench, prompted.session, timing.settle_s, case.asks)
    acted = bench.timeline.now()
    case.deed(bench, prompted, asks[0])
    over = bench.timeline.watch(prompted.session, is_over, timing.settle_s, after=acted)
    if over and case.quiet:
        bench.timeline.watch(prompted.session, is_request, timing.watch_s, after=over.t)
    return prompted, asks[0]


def run_case(case: Case, bench: Bench, n: int, timing: Timing) -> Draft:
    """One trial of one of `CASES`."""
    place = Place.of(bench, case.arm, n)
    prompted, ask = bring_to_end(bench, place, case, timing)
    scene = look(bench, prompted, place.made)
    return draft(bench, scene, case, place, ask, case.judged(scene))


def trigger(fault: Deed = decline) -> Case:
    """The report's case: one command, declined without a word."""
    return Case("trigger", gated, fault, lambda _: (), quiet=True)


def run_trigger(fault: Deed, bench: Bench, n: int, timing: Timing) -> Draft:
    """One trial of the trigger, with doctor's look at it."""
    case = trigger(fault)
    place = Place.of(bench, case.arm, n)
    prompted, ask = bring_to_end(bench, place, case, timing)
    scene = look(bench, prompted, place.made)
    made = doctor_on(bench, prompted.session)
    return draft(bench, scene, case, place, ask, judge.trigger(scene, made))


def draft(
    bench: Bench, scene: Scene, case: Case, place: Place, ask: Ask, outcomes: tuple[ClaimOutcome, ...]
) -> Draft:
    """The trial, with its own checks."""
    return Draft(scene.prompted, checks(scene, case, place, ask), outcomes, bench.timeline.now())


def checks(scene: Scene, case: Case, place: Place, ask: Ask) -> tuple[Check, ...]:
    """The calls are stored as made, one of them asked, and the fault happened as often as the case says."""
    calls = case.calls(place)
    parts = [scene.call(number) for number in range(len(calls))]
    asked = ask.call_id in {part.call_id for part in parts if part}
    declined = sum(_declines(o, ask.id) for o in scene.timeline)
    often = "once" if case.declines else "never"
    return (
        *(stored(part, call) for part, call in zip(parts, calls, strict=True)),
        Check("the ask that was acted on belongs to a call of this turn", asked),
        Check(f"it was declined {often}, before the look", declined == case.declines, f"{declined} declines"),
    )


def _declines(o: Observation, ask_id: str) -> bool:
    if o.lane is not Lane.ASK or o.data.get("ask") != ask_id:
        return False
    return o.kind == "form.cancelled" or (o.kind == "permission.replied" and o.data.get("reply") == "reject")


def stored(part: ToolPart | None, wanted: Call) -> Check:
    """The server stores the call that the model made."""
    rule = "the call is stored by the server with exactly this input"
    if part is None:
        return Check(rule, False, "no such call is stored")
    same = part.tool == wanted.tool and all(part.input.get(k) == v for k, v in wanted.input.items())
    return Check(rule, same, "" if same else f"stored: {part.tool}")


def doctor_on(bench: Bench, session: str) -> Diagnosis:
    """What doctor makes of this session, were it alone on the server."""
    seen = look_at_server(
        OneSession(bench.connection.reader, session),
        sessions=(session,),
        tree=lambda: server_tree(bench.server.url),
        source=bench.server.url,
    )
    return diagnose(Window(seen), 0, request=bench.connection.actor.request)


def run_background(bench: Bench, n: int, timing: Timing) -> Draft:
    """A background shell beside a declined call, and one beside an interrupted call."""
    place = Place.of(bench, "background-shell", n)
    case = Case("background-shell", _with_background_shell, decline, lambda _: ())
    declined, ask = bring_to_end(bench, place, case, timing)
    scene, runs = look(bench, declined, place.made), _runs(bench, place)
    beside = Place.of(bench, "background-shell-user", n)
    other, _ = bring_to_end(bench, beside, replace(case, deed=interrupt, declines=0), timing)
    as_user, runs_too = look(bench, other, beside.made), _runs(bench, beside)
    for each in (place, beside):
        each.go.touch()
    ready = judge.is_as_shutdown(scene) and as_user.end == "interrupted user"
    made = draft(bench, scene, case, place, ask, judge.background(runs, runs_too, ready))
    return replace(made, also=(other.session,))


def _with_background_shell(place: Place) -> tuple[Call, ...]:
    return place.sleeper(background=True), place.gated()


def _runs(bench: Bench, place: Place) -> bool:
    return any(place.sleeper_mark in " ".join(p.argv) for p in bench.server.tree())


def run_sub_agent(bench: Bench, n: int, timing: Timing) -> Draft:
    """A sub-agent's ask, declined; its parent goes on."""
    place = Place.of(bench, "sub-agent", n)
    parent, child = decline_sub_agent(bench, place, timing)
    bench.timeline.watch(parent.session, is_over, timing.settle_s, after=parent.at)
    below, above = look(bench, child, place.made), look(bench, parent, place.made)
    both = (stored(above.call(), _sub_agent_call(child.script)), stored(below.call(), place.gated()))
    return Draft(parent, both, judge.sub_agent(below, above), bench.timeline.now(), (child.session,))


def _sub_agent_call(script: Script) -> Call:
    wanted = {"description": "does it", "prompt": f"Do it. {script.mark}", "agent": "general"}
    return Call("subagent", wanted)


def decline_sub_agent(bench: Bench, place: Place, timing: Timing) -> tuple[Prompted, Prompted]:
    """A parent whose sub-agent asked and was declined; the parent's and the sub-agent's prompt.

    Raises:
        DeadlinePassed: the sub-agent did not ask in time.
    """
    script = bench.model.learn(Script(f"{place.name}-sub", (Turn(calls=(place.gated(),)),)))
    parent = place.prompt(_sub_agent_call(script))
    asked = bench.timeline.watch_all(
        lambda o: o.kind == "permission.asked" and place.made.name in str(o.data.get("resources")),
        timing.settle_s,
        after=parent.at,
    )
    session = asked.subject if asked else ""
    child = Prompted(session, place.directory, script, parent.at)
    (ask,) = await_asks(bench, session, timing.settle_s)
    acted = bench.timeline.now()
    actor = bench.connection.actor
    with bench.timeline.call(session, Action.REPLY_REJECT.value):
        actor.send(actor.request(Action.REPLY_REJECT, Target(session, place.directory, ask.id)))
    bench.timeline.watch(session, is_over, timing.settle_s, after=acted)
    return parent, child
