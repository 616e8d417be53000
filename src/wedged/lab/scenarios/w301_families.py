"""W301's arms with a sub-agent, and those about what no list of shells has."""

from collections.abc import Sequence

from wedged.diagnose.readiness import BlockerKind, readiness
from wedged.errors import LabError
from wedged.facts.trial import Check, ClaimOutcome, Observation
from wedged.lab.bench import Bench
from wedged.lab.one_session import look_at
from wedged.lab.scenarios import w301_family_judgement as judge
from wedged.lab.scenarios.w301_arms import Run, draft, end_shell, faults, listed, quiet, settled, until_gone
from wedged.lab.scenarios.w301_judgement import Rosters
from wedged.lab.scenarios.w301_sight import Sight, carries
from wedged.lab.scenarios.w301_states import (
    Stage,
    SubAgent,
    background,
    begin,
    foreground,
    is_request,
    sub_agent,
    words_of,
)
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.roster import RightClient, sample

_RUNNER = """import { spawn } from "node:child_process"
spawn("bash", ["-c", "sleep 590; : w301-runner"], { stdio: "ignore" })
export default { id: "runner", setup: async () => {} }
export const Runner = async () => ({})
"""
_RUNNER_NAME = "w301-runner"
_EVICT = "/api/debug/location"


def kid_id(stage: Stage, look: Sight, name: str) -> str:
    """The session of the sub-agent with the shell of this name.

    Raises:
        LabError: there is no such shell, or it is not a child's.
    """
    shell = look.shell(name)
    if shell is None or shell.session_id not in {child.id for child in look.children}:
        raise LabError(f"no sub-agent of {stage.name} has the shell {name}")
    return shell.session_id


def _with(kid: SubAgent, bench: Bench, directory: str, name: str, timing: Timing) -> Stage:
    stage = begin(bench, directory, name, kid=kid)
    stage.must_settle(timing.settle_s)
    return stage


def _draft(stage: Stage, look: Sight, session: str, outcomes: Sequence[ClaimOutcome]) -> Draft:
    """As `draft`, with the sub-agent's observations; its call is the one that went to the background."""
    calls = [o for o in stage.bench.timeline.of(session) if o.data.get("tool") == "shell"]
    rule = "the fault happened once, before the observation"
    counted = Check(rule, len(calls) == 1 and calls[0].t <= look.t, f"{len(calls)} calls of the sub-agent")
    made = draft(stage, look, tuple(outcomes), counted)
    return Draft(made.prompted, made.checks, made.outcomes, made.observed_at, also=(session,))


def _sub_agent(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = _with(sub_agent(name), bench, directory, name, timing)
    kid = stage.kids[0]
    rosters = Rosters.of(stage.session, *sample(bench.connection.reader, (directory,)))
    look = stage.look()
    with bench.timeline.call(stage.session, "interrupt"):
        bench.connection.actor.abort(stage.session, directory)
    bench.timeline.watch(stage.session, is_request, timing.watch_s, after=bench.timeline.now())
    later = stage.look()
    judged = judge.sub_agent(look, kid, stage.prompted.script.call_id(0, 0), rosters, later)
    return _draft(stage, look, kid_id(stage, look, kid), judged)


def _sub_agent_end(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = _with(sub_agent(name), bench, directory, name, timing)
    kid = stage.kids[0]
    before = stage.look()
    session = kid_id(stage, before, kid)
    at = end_shell(stage, listed(stage, kid))
    until_gone(stage, kid, timing.bound_s)
    below = bench.timeline.watch(session, is_request, timing.settle_s, after=at)
    if below:
        bench.timeline.watch(session, is_over, timing.settle_s, after=below.t)
    above = quiet(stage, after=at)
    look = stage.look()
    new = _messages(look) - _messages(before)
    judged = judge.sub_agent_end(look, kid, words_of(below), above, new)
    return _draft(stage, before, session, judged)


def _messages(look: Sight) -> int:
    return look.session.message_count if look.session else 0


def _background_sub_agent(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    """The parent's first turn ends at once; the sub-agent's end wakes it for a second one."""
    kid = sub_agent(name, in_background=True)
    stage = begin(bench, directory, name, kid=kid)

    def is_told(o: Observation) -> bool:
        return is_request(o) and "<subagent" in words_of(o) and o.data["last_role"] == "user"

    told = bench.timeline.watch(stage.session, is_told, timing.settle_s)
    if told:
        bench.timeline.watch(stage.session, is_over, timing.settle_s, after=told.t)
    look = stage.look()
    judged = judge.background_sub_agent(look, stage.kids[0], words_of(told))
    return _draft(stage, look, kid_id(stage, look, stage.kids[0]), judged)


def _right_stop(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    kid = sub_agent(name)
    stage = begin(bench, directory, name, background(name), kid=kid)
    settled(stage, timing)
    before = stage.look()
    session = kid_id(stage, before, kid.name)
    client = RightClient(bench.connection, bench.home.root / f"{name}.roster", (directory,))
    with bench.timeline.call(stage.session, "stop"):
        stopped = client.stop(stage.session, timing.bound_s)
    look = stage.look()
    judged = judge.stopped(look, kid.name, len(stopped.shells), len(stopped.left))
    made = draft(stage, before, judged, faults(stage, before))
    return Draft(made.prompted, made.checks, made.outcomes, made.observed_at, also=(session,))


def _nohup(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    left = f"{name}-left"
    call = foreground(name, f"nohup bash -c 'sleep 590; : {left}' >/dev/null 2>&1 & echo started")
    stage = begin(bench, directory, name, call).knowing(left)
    stage.must_settle(timing.settle_s)
    look = stage.look()
    return draft(stage, look, judge.nohup(look, left), faults(stage, look, 0))


def _runner(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    """One process for all trials of the arm: it comes with the directory's location."""
    del directory
    stage = begin(bench, bench.project("runner", plugin=_RUNNER), name, words="Nothing to do.")
    stage.must_settle(timing.settle_s)
    window = look_at(bench, stage.session, sample_s=0)
    below = any(p.argv and carries(_RUNNER_NAME, p.argv[-1]) for p in bench.server.tree())
    reader = bench.connection.reader
    shells = tuple(shell for where in reader.loaded() or () for shell in reader.shells(where))
    strange = [b for b in readiness(window).blockers if b.kind is BlockerKind.PROCESS]
    named = any(carries(_RUNNER_NAME, blocker.about) for blocker in strange)
    look = stage.look()
    judged = judge.runner(_RUNNER_NAME, below, shells, named)
    return draft(stage, look, judged, Check("the plugin's process is there", below))


def _evict(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    del directory
    where = bench.project(name)
    stage = begin(bench, where, name, background(name))
    settled(stage, timing)
    before = stage.look()
    at = bench.timeline.now()
    stage.request("evict", "DELETE", f"{_EVICT}?location%5Bdirectory%5D={where}")
    until_gone(stage, name, timing.bound_s)
    look = stage.look()
    told = quiet(stage, after=at)
    words = "" if told else next_words(stage, timing)
    judged = judge.location_gone(look, told, words, ended="eviction-ends-it", silent="eviction-is-not-told")
    return draft(stage, before, judged, faults(stage, before))


def next_words(stage: Stage, timing: Timing) -> str:
    """Prompt the session again, and return what the model is told anew."""
    at = stage.bench.timeline.now()
    with stage.bench.timeline.call(stage.session, "next prompt"):
        words = f"Go on. {stage.prompted.script.mark}"
        stage.bench.connection.actor.prompt(stage.session, words, stage.prompted.directory)
    asked = stage.asked_after(at, timing.settle_s)
    if asked:
        stage.bench.timeline.watch(stage.session, is_over, timing.settle_s, after=asked.t)
    return words_of(asked)


FAMILIES: dict[str, Run] = {
    "sub-agent": _sub_agent,
    "sub-agent-end": _sub_agent_end,
    "background-sub-agent": _background_sub_agent,
    "right-stop": _right_stop,
    "nohup": _nohup,
    "runner": _runner,
    "evict": _evict,
}
