"""W301's arms with one session and one shell each."""

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx

from wedged.catalog.w301_invisible_background_shell import CLASS
from wedged.diagnose import diagnose
from wedged.diagnose.readiness import BlockerKind, readiness
from wedged.errors import LabError
from wedged.facts.process import Shell
from wedged.facts.trial import Check, ClaimOutcome, Lane
from wedged.lab.bench import Bench
from wedged.lab.one_session import look_at
from wedged.lab.process_tree import is_running
from wedged.lab.scenarios import w301_judgement as judge
from wedged.lab.scenarios.w301_sight import Sight, target
from wedged.lab.scenarios.w301_states import (
    LONG,
    Stage,
    background,
    begin,
    foreground,
    is_request,
    words_of,
)
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call
from wedged.recover import run_step
from wedged.roster import sample
from wedged.waiting import wait_until

Run = Callable[[Bench, str, str, Timing], Draft]

# The session's wait, by the names that the preview and the release give it.
_WAITS = ("/api/session/{}/wait", "/api/experimental/session/{}/wait")
# A model that is asked at all is asked within milliseconds of what wakes it. Silence is watched this long.
_SILENCE_S = 1.0


def settled(stage: Stage, timing: Timing) -> Shell:
    """The trial's shell, its turn over.

    Raises:
        DeadlinePassed: the turn did not end.
        LabError: the list of its location does not have the shell.
    """
    stage.must_settle(timing.settle_s)
    return listed(stage, stage.name)


def listed(stage: Stage, name: str) -> Shell:
    """The shell of this name, as its location lists it.

    Raises:
        LabError: it does not.
    """
    if (found := stage.look().shell(name)) is None:
        raise LabError(f"no shell of {name} is listed")
    return found


def draft(stage: Stage, look: Sight, outcomes: tuple[ClaimOutcome, ...], *checks: Check) -> Draft:
    """What the trial hands over. `look` is the one that the stored calls are checked in."""
    return Draft(stage.prompted, (stage.stored(look), *checks), outcomes, stage.bench.timeline.now())


def faults(stage: Stage, look: Sight, expected: int = 1) -> Check:
    """How many stored calls really went to the background, and that this came before the look."""
    parts = look.session.parts if look.session else ()
    counted = sum(part.input.get("background") is True for part in parts)
    first = stage.bench.timeline.find(stage.session, lambda o: o.lane is Lane.PART)
    in_time = not expected or (first is not None and first.t <= look.t)
    rule = f"the fault happened {'once' if expected else 'never'}, before the observation"
    return Check(rule, counted == expected and in_time, f"{counted} calls went to the background")


def end_shell(stage: Stage, shell: Shell) -> float:
    """Run the class's recovery step on this shell; when, in seconds on the timeline."""
    at = stage.bench.timeline.now()
    connection = stage.bench.connection
    with stage.bench.timeline.call(stage.session, "end-shell"):
        run_step(CLASS.recovery[0], target(shell), connection.reader, connection.actor)
    return at


def until_gone(stage: Stage, name: str, seconds: float) -> bool:
    """Whether no process of this shell is left within `seconds`. One that is gone by now never comes back."""
    known = stage.look_at_processes(name)
    return bool(wait_until(lambda: not any(map(is_running, known)), seconds, every=0.05))


def quiet(stage: Stage, session: str = "", after: float | None = None, seconds: float = _SILENCE_S) -> str:
    """What the model was told within `seconds`, "" where it was not asked."""
    at = stage.bench.timeline.now() if after is None else after
    return words_of(stage.bench.timeline.watch(session or stage.session, is_request, seconds, after=at))


def _control(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, foreground(name, "sleep 1"))
    stage.started(timing.settle_s)
    stage.note_process()
    over = stage.settle(timing.settle_s)
    until_gone(stage, name, timing.watch_s)
    stage.note_process()
    look = stage.look()
    over_s = round(over.t - stage.prompted.at, 3) if over else None
    judged = judge.control(look, stage.prompted.script.call_id(0, 0), over_s)
    return draft(stage, look, judged, faults(stage, look, 0))


def _trigger(call: Callable[[str], Call], bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, call(name))
    stage = stage.expecting(background(name))
    stage.started(timing.settle_s)
    stage.note_process()
    over = stage.settle(timing.settle_s)
    # Nothing is sent: whatever ended the shell would be the server's own doing.
    bench.timeline.watch(stage.session, is_request, timing.watch_s, after=over.t if over else 0.0)
    waited = _wait_answers(stage, timing.bound_s)
    rosters = judge.Rosters.of(stage.session, *sample(bench.connection.reader, (directory,)))
    window = look_at(bench, stage.session, sample_s=0)
    made = diagnose(window, request=bench.connection.actor.request)
    blockers = tuple(b.id for b in readiness(window).blockers if b.kind is BlockerKind.SHELL)
    look = stage.look()
    beside = judge.Beside(rosters, waited, made, blockers)
    watched = round(look.t - (over.t if over else stage.prompted.at), 3)
    judged = judge.trigger(look, stage.prompted.script.call_id(0, 0), watched, beside)
    return draft(stage, look, judged, faults(stage, look))


def _wait_answers(stage: Stage, seconds: float) -> float | None:
    """How long the server's own wait for the session takes; None where it does not answer in time.

    Raises:
        LabError: the server has no such route.
    """
    timeline = stage.bench.timeline
    with stage.bench.server.raw_client(seconds) as client:
        for route in _WAITS:
            asked = timeline.now()
            try:
                with timeline.call(stage.session, "wait"):
                    answer = client.post(route.format(stage.session))
            except httpx.TimeoutException:
                return None
            if answer.status_code == httpx.codes.NO_CONTENT:
                return round(timeline.now() - asked, 3)
    raise LabError("the server has no route that waits for a session")


def _placebo(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, background(name))
    over = stage.must_settle(timing.settle_s)
    bench.timeline.watch(stage.session, is_request, timing.bound_s, after=over.t)
    look = stage.look()
    watched = round(look.t - over.t, 3)
    judged = (judge.stays("placebo-runs-on", look, watched_s=watched),)
    return draft(stage, look, judged, faults(stage, look))


def _interrupt(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, background(name))
    settled(stage, timing)
    with bench.timeline.call(stage.session, "interrupt"):
        bench.connection.actor.abort(stage.session, directory)
    bench.timeline.watch(stage.session, is_request, timing.watch_s, after=bench.timeline.now())
    look = stage.look()
    return draft(stage, look, (judge.stays("interrupt-leaves-it", look),), faults(stage, look))


def _end_shell(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, background(name))
    shell = settled(stage, timing)
    at = end_shell(stage, shell)
    went = until_gone(stage, name, timing.bound_s)
    healed = round(bench.timeline.now() - at, 3) if went else None
    told = stage.asked_after(at, timing.settle_s)
    if told:
        bench.timeline.watch(stage.session, is_over, timing.settle_s, after=told.t)
    look = stage.look()
    return draft(stage, look, judge.end_shell(look, words_of(told), healed), faults(stage, look))


def _finish(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    go = Path(directory, f"{name}.go")
    command = f"until [ -e {go.name} ]; do sleep 0.05; done; echo output-of-{name}"
    stage = begin(bench, directory, name, background(name, command))
    settled(stage, timing)
    at = bench.timeline.now()
    go.touch()
    told = stage.asked_after(at, timing.settle_s)
    look = stage.look()
    words = ('state="completed"', f"output-of-{name}\n")
    return draft(
        stage, look, judge.told_of_end("end-is-told", look, words_of(told), *words), faults(stage, look)
    )


def _timeout(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, background(name, timeout=2000))
    stage.must_settle(timing.settle_s)
    told = stage.told_after(stage.prompted.at, timing.settle_s)
    look = stage.look()
    return draft(
        stage,
        look,
        judge.told_of_end("timeout-is-told", look, words_of(told), "timeout"),
        faults(stage, look),
    )


def _killed(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, background(name))
    shell = settled(stage, timing)
    at = bench.timeline.now()
    # Its group, as the server itself would: what is left of a shell can hold its output open.
    for process in stage.look_at_processes(name):
        os.killpg(process.pid, signal.SIGKILL)
    told = words_of(stage.asked_after(at, timing.bound_s))
    look = stage.look()
    seen = judge.Killed(told)
    if look.shell(name) is not None:
        at = end_shell(stage, shell)
        told_after = words_of(stage.asked_after(at, timing.bound_s))
        seen = judge.Killed(told, stage.look(), told_after)
    return draft(stage, look, judge.killed(look, seen), faults(stage, look))


def _moved(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, foreground(name, LONG))
    stage.started(timing.settle_s)
    stage.request("background", "POST", f"/api/session/{stage.session}/background")
    stage.must_settle(timing.settle_s)
    look = stage.look()
    return draft(stage, look, (judge.stays("moved-shell-runs-on", look),), faults(stage, look, 0))


def _deleted(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, background(name))
    shell = settled(stage, timing)
    before = stage.look()
    stage.request("delete", "DELETE", f"/api/session/{stage.session}")
    look = stage.look()
    at = bench.timeline.now()
    stage.request("end-shell", "DELETE", _path_of(bench, shell))
    until_gone(stage, name, timing.bound_s)
    woken = bool(quiet(stage, after=at))
    return draft(stage, before, judge.deleted(look, stage.look(), woken), faults(stage, before))


def _path_of(bench: Bench, shell: Shell) -> str:
    return bench.connection.actor.request(CLASS.recovery[0].action, target(shell)).path


def arms(fault: Callable[[str], Call]) -> dict[str, Run]:
    """The arms by name; `fault` is what the trigger's shell is started by."""
    return {
        "control": _control,
        "trigger": partial(_trigger, fault),
        "placebo": _placebo,
        "interrupt": _interrupt,
        "end-shell": _end_shell,
        "finish": _finish,
        "timeout": _timeout,
        "killed": _killed,
        "moved": _moved,
        "deleted": _deleted,
    }
