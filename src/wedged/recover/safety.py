"""What forbids a step although its finding stands. Pure: by the look that the finding rests on.

Editing data means writing into a server's database, and that is never done: every step is a request that the
server itself serves. V1's PATCH of a part is such a request, and the catalogue has it as W201's first step
(its loss measured), so it is taken, under the rules below.
"""

from wedged.catalog.ask_standing import Standing, standing
from wedged.errors import Refused
from wedged.facts.finding import Confidence, Finding
from wedged.facts.process import ProcessFacts
from wedged.facts.recovery import Action, Step
from wedged.facts.session import SessionFacts, ToolPart
from wedged.facts.snapshot import Snapshot
from wedged.recover.plan import Plan, Planned

# What changes what is stored of a session, or begins a turn in it: another server may be at work on the same.
_OF_THE_STORE = (
    Action.SETTLE_PART,
    Action.DELETE_PART,
    Action.DELETE_MESSAGE,
    Action.PROMPT,
    Action.END_SHELL,
)
_ENDS_TURN = (Action.ABORT, Action.REPLY_REJECT)
READS = (Action.ASK_STATUS, Action.LIST_ASKS)


def costs(step: Step) -> bool:
    """Whether somebody has to agree to a step: unless it only reads, or its class marks it safe."""
    return step.action not in READS and not step.safe_to_automate


def refuse_plan(plan: Plan) -> None:
    """Refuse what no step of this plan could put right from here.

    Raises:
        Refused: it needs another server, a person's approval, or more certainty.
    """
    finding = plan.finding
    if plan.steps and all(one.step.elsewhere for one in plan.steps):
        raise Refused(
            f"{finding.code}: nothing is stuck here, and nothing may be done here: {_seen(finding)}. "
            "Ask that other server, or the one who uses it"
        )
    if finding.confidence is not Confidence.HIGH:
        raise Refused(
            f"{finding.id} is of {finding.confidence} confidence, and only high is acted on: it does not "
            f"hold if {finding.unless}. Rule that out, and look again on the server's own machine"
        )
    if not plan.steps:
        raise Refused(
            f"{finding.code} has no step that this server takes: see `wedged explain {finding.code}`"
        )
    if not plan.ours:
        raise Refused(
            f"{finding.code} has no step here but an approval, and that is a person's: "
            f"`wedged answer {finding.subject.id}`"
        )


def pick(plan: Plan, step_id: str) -> tuple[Planned, ...]:
    """The steps to take: all that a program may, or the one of this id.

    Raises:
        Refused: there is no such step, or it is an approval, or another server's.
    """
    if not step_id:
        return plan.ours
    chosen = next((one for one in plan.steps if one.step.id == step_id), None)
    if chosen is None:
        raise Refused(f"{plan.finding.code} has no step {step_id} here; its steps: {_ids(plan)}")
    if chosen.step.action.approves:
        ask = plan.finding.subject.id
        raise Refused(f"{step_id} approves a command; read it and answer it: `wedged answer {ask} --once`")
    if chosen.offer is None:
        raise Refused(f"{step_id} is not done through this server: {chosen.step.sentence}")
    return (chosen,)


def refuse_unsafe(step: Step, finding: Finding, look: Snapshot) -> None:
    """Refuse a step that would reach a live turn, here or on another server.

    Raises:
        Refused: another process has the database open or may have, or another call of the session is alive.
    """
    if step.action in _OF_THE_STORE:
        _refuse_other_opener(step, look)
    session = look.session(finding.session)
    if session is not None and step.action in _ENDS_TURN:
        alive = _alive(session, finding, look)
        if alive:
            raise Refused(
                f"{step.id} would end {_calls(alive)} too, which may be at work: wait for that to end, "
                "or take a step that ends the ask alone"
            )


def _alive(session: SessionFacts, finding: Finding, look: Snapshot) -> tuple[ToolPart, ...]:
    """The session's calls that have not ended and that no pending ask holds: something else may run them.

    A call that hangs is the finding's own subject.
    """
    asks = [standing(ask, look) for ask in look.asks if ask.session_id == session.id]
    held = {part.id for seen in asks if seen.standing is Standing.LIVE for part in seen.parts}
    held.add(finding.subject.id)
    return tuple(part for part in session.unfinished if part.id not in held)


def _refuse_other_opener(step: Step, look: Snapshot) -> None:
    if look.holders is None or look.processes is None:
        raise Refused(
            f"{step.id} needs to know who else has the server's database open, and that can't be seen from "
            "here: run it on the server's own machine, as the server's user"
        )
    server = look.processes.server.pid
    others = [one for one in look.holders.seen if one.pid != server]
    if others:
        raise Refused(
            f"{_named(others)} has the server's database open too: a turn of it may be live. End that first, "
            "or recover through that server"
        )
    if not look.holders.complete:
        raise Refused(
            f"{step.id} needs to know who else has the server's database open, and a process can't be looked "
            "into: run it as a user who may"
        )


def _named(processes: list[ProcessFacts]) -> str:
    return " and ".join(f"{one.name} (process {one.pid})" for one in processes)


def _calls(parts: tuple[ToolPart, ...]) -> str:
    return " and ".join(f"the call {part.call_id} ({part.tool})" for part in parts)


def _ids(plan: Plan) -> str:
    return ", ".join(one.step.id for one in plan.steps)


def _seen(finding: Finding) -> str:
    """The evidence that names the other process, or all of it."""
    named = [line for line in finding.evidence if "process" in line]
    return "; ".join(named or finding.evidence)
