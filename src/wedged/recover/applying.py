"""Taking the steps of one finding: a fresh look before each, then whether it worked; no more than needed."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from wedged.client.protocols import Actor, Reader
from wedged.diagnose import Diagnosis
from wedged.diagnose.readiness import Readiness
from wedged.errors import CannotLook, Refused
from wedged.facts.finding import Finding
from wedged.facts.recovery import Action
from wedged.facts.snapshot import Snapshot
from wedged.recover.confirming import Afterwards, missing
from wedged.recover.inner_servers import refuse_if_it_serves
from wedged.recover.orphans import end_process
from wedged.recover.plan import Plan, Planned, choose, left, plans, still, unwell
from wedged.recover.result import Applied, Result, Taken
from wedged.recover.runner import run_step
from wedged.recover.safety import READS, pick, refuse_plan, refuse_unsafe
from wedged.waiting import wait_until

_EVERY_S = 0.3


@dataclass(frozen=True, slots=True)
class Which:
    """What is to be recovered: a session, and where that is not enough a class's code, a subject's id, and a
    single step's id."""

    session: str
    code: str = ""
    subject: str = ""
    step: str = ""


@dataclass(frozen=True, slots=True)
class Means:
    """What the steps are taken with.

    `diagnose` makes a fresh look and judges it, beside the look that it is given. `agree` is asked before
    each step, with the class's code, once nothing forbids it; it is False where a person says no, and may
    raise `Refused` itself. `ready` says of another server's address what its end would
    end. `waiting` is entered with a sentence while something takes its time. `effect_s` is how long the
    effect of a step is waited for.
    """

    reader: Reader
    actor: Actor
    diagnose: Callable[[Snapshot], Diagnosis]
    agree: Callable[[str, Planned], bool]
    ready: Callable[[str], Readiness]
    waiting: Callable[[str], AbstractContextManager[None]]
    effect_s: float


def apply(diagnosis: Diagnosis, which: Which, means: Means) -> Applied:
    """Take the steps of the one finding that is meant, in order, until the session is well.

    Never an approval, and never a step that `safety` forbids. What is refused is in the answer, with the
    steps that were taken before.

    Raises:
        CannotLook: the server could not be read, or did not take a request.
    """
    found = plans(diagnosis, which.session, which.code, which.subject)
    if not found:
        return Applied(Result.NOTHING, "nothing to recover", diagnosis)
    taken: list[Taken] = []
    try:
        plan = choose(found)
        refuse_plan(plan)
        for planned in pick(plan, which.step):
            diagnosis = _take(plan, planned, diagnosis, means, taken)
            if still(diagnosis, plan.finding) is None or taken[-1].step.action in READS:
                break
    except Refused as error:
        return Applied(Result.REFUSED, str(error), diagnosis, tuple(taken), left(diagnosis, which.session))
    return _judge(plan, diagnosis, which.session, tuple(taken))


def _take(plan: Plan, planned: Planned, before: Diagnosis, means: Means, taken: list[Taken]) -> Diagnosis:
    """One step; the diagnosis after it."""
    refuse_unsafe(planned.step, plan.finding, before.latest)
    if not means.agree(plan.finding.code, planned):
        raise Refused(f"{planned.step.id} was declined, and nothing was sent for it")
    # Whoever was asked may have taken a while, and others act meanwhile.
    with means.waiting("looking again"):
        now = means.diagnose(before.latest)
    planned = _again(plan, planned, now)
    refuse_unsafe(planned.step, plan.finding, now.latest)
    try:
        taken.append(_act(plan.finding, planned, now.latest, means))
    except Refused as error:
        raise Refused(f"{error}. {_LOOK_AGAIN}") from None
    try:
        with means.waiting(f"{planned.step.id} was taken, looking at what came of it"):
            return means.diagnose(now.latest)
    except CannotLook as error:
        raise CannotLook(f"{planned.step.id} was taken; what came of it can't be seen: {error}") from None


_LOOK_AGAIN = "Look again: `wedged recover` without --apply shows how it stands"


def _again(plan: Plan, planned: Planned, now: Diagnosis) -> Planned:
    """The same step by the newest look."""
    finding = plan.finding
    fresh = [one for one in plans(now, finding.session) if one.finding.id == finding.id]
    if not fresh:
        raise Refused(f"the state has moved: {finding.id} is gone since the look. {_LOOK_AGAIN}")
    refuse_plan(fresh[0])
    return pick(fresh[0], planned.step.id)[0]


def _act(finding: Finding, planned: Planned, look: Snapshot, means: Means) -> Taken:
    step, target = planned.step, planned.target
    if step.action is Action.END_PROCESS:
        strays = (one.process for one in look.strays or ())
        process = next((one for one in strays if str(one.pid) == finding.subject.id), None)
        if process is None:
            raise Refused(f"process {finding.subject.id} is gone")
        refuse_if_it_serves(process, means.ready)
        ended = end_process(process)
        said = f"process {process.pid}{' and its group' if ended.group else ''} ended"
        return Taken(step, f"{said} by {'SIGKILL' if ended.forced else 'SIGTERM'}", "")
    sent = run_step(step, target, means.reader, means.actor).request

    def seen() -> Afterwards:
        session = means.reader.session(target.session_id, target.directory)
        asks, shells = means.reader.asks(target.directory), means.reader.shells(target.directory)
        return Afterwards(session, asks, shells)

    def lacks() -> str:
        return missing(step.action, target, seen())

    try:
        with means.waiting(f"{step.id} is sent, waiting for its effect"):
            done = wait_until(lambda: not lacks(), means.effect_s, _EVERY_S)
            return Taken(step, f"{sent.method} {sent.path}", "" if done else lacks())
    except CannotLook as error:
        raise CannotLook(f"{step.id} was taken; what came of it can't be seen: {error}") from None


def _judge(plan: Plan, after: Diagnosis, session: str, taken: tuple[Taken, ...]) -> Applied:
    finding, last = plan.finding, taken[-1]
    reads = last.step.action in READS and not last.missing
    remains = tuple(one for one in left(after, session) if one.id != finding.id or not reads)
    gone = still(after, finding) is None
    if not gone and reads:
        return Applied(Result.WELL, f"nothing is stuck: {last.step.confirms}", after, taken, remains)
    if not gone:
        why = f"{finding.code} is there still" + (f": {last.missing}" if last.missing else "")
        return Applied(Result.NOT_WELL, why, after, taken, remains)
    if last.missing:
        why = f"{finding.code} is gone, but not all is as it should be yet: {last.missing}"
        return Applied(Result.NOT_WELL, why, after, taken, remains)
    if any(unwell(one) for one in remains):
        codes = " and ".join(dict.fromkeys(one.code for one in remains if unwell(one)))
        return Applied(Result.NOT_WELL, f"{finding.code} is gone, and {codes} is left", after, taken, remains)
    return Applied(Result.WELL, f"{finding.code} is gone, and the session is well", after, taken, remains)
