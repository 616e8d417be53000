"""The one runner of recovery steps: look again, act, look once more."""

from dataclasses import dataclass

from wedged.client.protocols import Actor, Reader
from wedged.errors import Refused
from wedged.facts.ask import Ask
from wedged.facts.recovery import Action, Request, Step, Target
from wedged.facts.session import SessionFacts, Status


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
    _refuse_if_moved(step, target, session, asks)
    answer = actor.send(request)
    return StepRecord(step.id, request, answer, _seen(session, asks), _seen(*_look(reader, target)))


def _look(reader: Reader, target: Target) -> tuple[SessionFacts, tuple[Ask, ...]]:
    asks = tuple(ask for ask in reader.asks(target.directory) if ask.session_id == target.session_id)
    return reader.session(target.session_id, target.directory), asks


def _seen(session: SessionFacts, asks: tuple[Ask, ...]) -> Seen:
    return Seen(session.status, tuple(part.call_id for part in session.unfinished), tuple(a.id for a in asks))


def _refuse_if_moved(step: Step, target: Target, session: SessionFacts, asks: tuple[Ask, ...]) -> None:
    if step.action is Action.ABORT:
        if session.status not in (Status.BUSY, Status.RETRY):
            raise Refused(f"session {session.id} is {session.status}: there is no turn to end")
        return
    ask = next((one for one in asks if one.id == target.ask_id), None)
    if ask is None:
        raise Refused(
            f"{target.ask_id} is not pending in {target.directory or 'the directory of the server itself'}; "
            "it was answered, or it belongs to another directory"
        )
    waits = not ask.call_id or any(part.call_id == ask.call_id for part in session.unfinished)
    if session.status is Status.IDLE or not waits:
        raise Refused(f"{target.ask_id} is a leftover: the call it belonged to no longer waits")
