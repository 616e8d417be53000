"""What resembles W103 and is not it: each brought about on a real server, and doctor pointed at it."""

from collections.abc import Callable
from functools import partial

from wedged.errors import LabError
from wedged.facts.recovery import Request
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import Check, ClaimOutcome, Observation
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios import w103_judgement as judge
from wedged.lab.scenarios.w103_cases import Case, bring_to_end, doctor_on, draft, gated, stored
from wedged.lab.scenarios.w103_scene import Scene, look
from wedged.lab.scenarios.w103_turns import (
    Place,
    await_asks,
    decline,
    decline_with_message,
    end_turn,
    interrupt,
)
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Script, Turn

Run = Callable[[Bench, int, Timing], Draft]


def is_interrupted(scene: Scene) -> str:
    """The turn was interrupted by a person."""
    return "interrupted by a person" if judge.is_over(scene) and scene.end == "interrupted user" else ""


def went_on(scene: Scene) -> str:
    """A call failed, and the turn went on to its end."""
    call = scene.call()
    failed = call is not None and call.status is PartStatus.ERROR
    return "declined with a message, ended as succeeded" if failed and judge.is_clean(scene) else ""


def _over(case: Case, state: Callable[[Scene], str], bench: Bench, n: int, timing: Timing) -> Draft:
    place = Place.of(bench, case.arm, n)
    prompted, ask = bring_to_end(bench, place, case, timing)
    scene = look(bench, prompted, place.made)
    outcomes = _judged(bench, case.arm, state(scene), prompted.session)
    return draft(bench, scene, case, place, ask, outcomes)


def _judged(bench: Bench, arm: str, state: str, session: str) -> tuple[ClaimOutcome, ...]:
    made = doctor_on(bench, session)
    return judge.not_reported(f"not-{arm.removeprefix('like-')}", state, made, session)


def _failed(bench: Bench, n: int, timing: Timing) -> Draft:
    """The model answers with an error that is not worth another try."""
    place = Place.of(bench, "like-failed", n)
    prompted = place.prompt(status=400)
    bench.timeline.watch(prompted.session, is_over, timing.settle_s, after=prompted.at)
    scene = look(bench, prompted, place.made)
    state = "ended as failed" if judge.is_over(scene) and scene.end == "failed" else ""
    outcomes = _judged(bench, "like-failed", state, prompted.session)
    check = Check("the model answered with the error of the script", len(scene.requests()) == 1)
    return Draft(prompted, (check,), outcomes, bench.timeline.now())


def is_settling(scene: Scene, asks: int) -> str:
    """Declined, its ask gone, its call not settled, since the other one runs."""
    calls = [scene.call(number) for number in (0, 1)]
    both = all(call is not None and call.status is PartStatus.RUNNING for call in calls)
    busy = scene.session.status is Status.BUSY
    return "declined, no ask left, both calls running" if both and busy and not asks and not scene.end else ""


def _sibling(bench: Bench, n: int, timing: Timing) -> Draft:
    """A decline beside a call that runs on; then that one ends, too."""
    place = Place.of(bench, "like-sibling", n)
    sleeper = place.sleeper()
    prompted = place.prompt(sleeper, place.gated())
    session = prompted.session
    try:
        (ask,) = await_asks(bench, session, timing.settle_s)
        bench.timeline.watch(session, _runs_call(prompted, 0), timing.settle_s)
        declined = bench.timeline.now()
        decline(bench, prompted, ask)
        bench.timeline.watch(session, is_over, timing.watch_s, after=declined)
        asks = len(bench.connection.reader.session_asks(session))
        scene = look(bench, prompted, place.made)
        state = is_settling(scene, asks)
        outcomes = _judged(bench, "like-sibling", state, session)
        place.go.touch()
        bench.timeline.watch(session, is_over, timing.settle_s, after=declined)
        after = look(bench, prompted, place.made)
        both = (stored(scene.call(0), sleeper), stored(scene.call(1), place.gated()))
        outcomes += waits_for_sibling(scene, state, after)
        return Draft(prompted, both, outcomes, bench.timeline.now())
    finally:
        place.go.touch()
        end_turn(bench, session)


def waits_for_sibling(scene: Scene, state: str, after: Scene) -> tuple[ClaimOutcome, ...]:
    """The decline was not settled beside the running call, and was when that had ended."""
    why = f"beside it: {state or scene.end or 'neither settled nor waiting'}; afterwards: {judge.said(after)}"
    settled_at_once = bool(scene.end) or any(
        call is not None and call.status is PartStatus.ERROR for call in (scene.call(1),)
    )
    return (
        judge.outcome("waits-for-sibling", bool(state) and judge.is_as_shutdown(after), settled_at_once, why),
    )


def _runs_call(prompted: Prompted, number: int) -> Callable[[Observation], bool]:
    call_id = prompted.script.call_id(0, number)
    return lambda o: o.kind == "running" and o.data.get("call") == call_id


def _fork(bench: Bench, n: int, timing: Timing) -> Draft:
    """A fork of a session whose turn was declined."""
    case = Case("like-fork", gated, decline, lambda _: ())
    place = Place.of(bench, case.arm, n)
    prompted, ask = bring_to_end(bench, place, case, timing)
    original = look(bench, prompted, place.made)
    with bench.timeline.call(prompted.session, "fork"):
        made = bench.connection.actor.send(Request("POST", f"/api/session/{prompted.session}/fork", {}))
    fork = Prompted(_id_of(made), place.directory, Script(f"{place.name}-fork", (Turn(),)), prompted.at)
    copy = look(bench, fork, place.made)
    copied = any(part.error == judge.DECLINED for part in copy.session.parts)
    state = ""
    if judge.is_as_shutdown(original) and copied and not copy.mark.is_set:
        state = f"a fork with the declined call, {copy.mark}, its original: {original.mark}"
    outcomes = _judged(bench, case.arm, state, fork.session)
    trial = draft(bench, original, case, place, ask, outcomes)
    return Draft(trial.prompted, trial.checks, outcomes, trial.observed_at, (fork.session,))


def _id_of(answer: object) -> str:
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, dict) or not isinstance(data.get("id"), str):
        raise LabError("the server's answer to a fork names no session")
    return str(data["id"])


LOOK_ALIKES: dict[str, Run] = {
    "like-interrupted": partial(
        _over, Case("like-interrupted", gated, interrupt, lambda _: (), declines=0), is_interrupted
    ),
    "like-message": partial(_over, Case("like-message", gated, decline_with_message, lambda _: ()), went_on),
    "like-failed": _failed,
    "like-sibling": _sibling,
    "like-fork": _fork,
}
