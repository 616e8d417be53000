"""The one runner of recovery steps: look again, act, look once more."""

from dataclasses import dataclass, replace

from wedged.client.protocols import Actor, Reader
from wedged.errors import Refused
from wedged.facts.ask import Ask
from wedged.facts.recovery import Action, Request, Step, Target
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart


@dataclass(frozen=True, slots=True)
class Seen:
    """The session at one moment. `asks` are the ids of its pending asks, `unfinished` its calls' ids."""

    status: Status
    unfinished: tuple[str, ...]
    asks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What was done, what the server answered, and the session just before and just after.

    `after` is one look at once: a turn that winds down may still be busy in it.
    """

    step: str
    request: Request
    answer: object
    before: Seen
    after: Seen


def run_step(
    step: Step, target: Target, reader: Reader, actor: Actor, *, allow_approval: bool = False
) -> StepRecord:
    """Carry out one step on one target.

    An approval lets a command run, so it is refused unless the caller says that a person has read it.

    Raises:
        Refused: an approval without leave, or the session is no longer as the step needs it. Nothing is sent.
        CannotLook: the server could not be read, or did not take the request.
    """
    if step.action.approves and not allow_approval:
        raise Refused(f"{step.id} approves a command; read it and answer it yourself")
    request = actor.request(step.action, target)
    session, asks = _look(reader, target)
    _refuse_if_moved(step, target, session, asks, reader)
    if target.part is not None:
        # What is sent back is the call as it is now.
        request = actor.request(step.action, replace(target, part=_again(target.part, session)))
    answer = actor.send(request)
    return StepRecord(step.id, request, answer, _seen(session, asks), _seen(*_look(reader, target)))


def _look(reader: Reader, target: Target) -> tuple[SessionFacts, tuple[Ask, ...]]:
    asks = tuple(ask for ask in reader.asks(target.directory) if ask.session_id == target.session_id)
    return reader.session(target.session_id, target.directory), asks


def _seen(session: SessionFacts, asks: tuple[Ask, ...]) -> Seen:
    return Seen(session.status, tuple(part.call_id for part in session.unfinished), tuple(a.id for a in asks))


def _refuse_if_moved(
    step: Step, target: Target, session: SessionFacts, asks: tuple[Ask, ...], reader: Reader
) -> None:
    if step.action in (Action.ASK_STATUS, Action.LIST_ASKS):
        return
    if step.action is Action.ABORT:
        if not session.works:
            raise Refused(f"session {session.id} is {session.status}: there is no turn to end")
    elif step.action is Action.PROMPT:
        if session.status is not Status.IDLE:
            raise Refused(f"session {session.id} is {session.status}: a prompt would join the turn that runs")
        if asks:
            raise Refused(f"{asks[0].id} is pending in session {session.id}: answer it first")
    elif step.action in (Action.SETTLE_PART, Action.DELETE_PART, Action.DELETE_MESSAGE):
        if session.status is not Status.IDLE:
            raise Refused(f"session {session.id} is {session.status}: its calls may be live")
        if target.part is None or _again(target.part, session).status.terminal:
            raise Refused(f"session {session.id} has no such unfinished call any more")
    elif step.action is Action.END_SHELL:
        # A server may answer 204 for a shell that it does not have, so what it lists is what counts.
        if all(shell.id != target.shell_id for shell in reader.shells(target.directory)):
            raise Refused(f"{target.shell_id} is not running in {_where(target)}")
    elif step.action is Action.DISMISS_LEFTOVER:
        if _waits(_pending(target, asks), session):
            raise Refused(f"a turn waits for {target.ask_id}: it is no leftover")
    else:
        _refuse_unless_waiting(target, session, asks)


def _again(part: ToolPart, session: SessionFacts) -> ToolPart:
    """The same call as the session has it now; with the status ERROR where it has it no more."""
    gone = replace(part, status=PartStatus.ERROR)
    return next((one for one in session.parts if one.id == part.id), gone)


def _refuse_unless_waiting(target: Target, session: SessionFacts, asks: tuple[Ask, ...]) -> None:
    if not _waits(_pending(target, asks), session):
        raise Refused(f"{target.ask_id} is a leftover: the call it belonged to no longer waits")


def _pending(target: Target, asks: tuple[Ask, ...]) -> Ask:
    ask = next((one for one in asks if one.id == target.ask_id), None)
    if ask is None:
        raise Refused(
            f"{target.ask_id} is not pending in {_where(target)}; "
            "it was answered, or it belongs to another directory"
        )
    return ask


def _waits(ask: Ask, session: SessionFacts) -> bool:
    named = not ask.call_id or any(part.call_id == ask.call_id for part in session.unfinished)
    return named and session.status is not Status.IDLE


def _where(target: Target) -> str:
    return target.directory or "the directory of the server itself"
