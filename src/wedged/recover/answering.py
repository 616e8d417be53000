"""A person's answer to one ask: whether it can be given, the giving, and what came of it."""

from dataclasses import dataclass

from wedged.catalog.ask_standing import named_call
from wedged.client.protocols import Actor, Reader
from wedged.diagnose.one_ask import AskAnswer
from wedged.errors import CannotLook, Refused
from wedged.facts.ask import Ask, AskKind
from wedged.facts.recovery import Action, Step, Target
from wedged.facts.session import SessionFacts, Status
from wedged.recover.runner import run_step
from wedged.waiting import wait_until

_EFFECT_S = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the server answered, and one sentence on what the session did within a few seconds. `ended` says
    whether the call was seen to end."""

    answer: object
    sentence: str
    ended: bool


def refuse_unanswerable(became: AskAnswer, action: Action, message: str) -> Ask:
    """The ask, if this answer can be given to it.

    Raises:
        Refused: it is gone, a leftover, not known, or of a kind that has no such answer.
    """
    if became.seen is None or not became.waits:
        raise Refused(became.sentence)
    ask = became.seen.ask
    if ask.kind is not AskKind.PERMISSION:
        if action is not Action.REPLY_REJECT or message:
            raise Refused(
                f"{ask.id} is a question: it has no yes, and takes no message; `wedged asks` shows the "
                "line that answers it"
            )
    elif action is Action.REPLY_REJECT_MESSAGE and not ask.call_id:
        raise Refused(
            f"{ask.id} ({ask.action}) names no call: a message would not reach the model; leave it out"
        )
    return ask


def answer(
    ask: Ask,
    action: Action,
    message: str,
    reader: Reader,
    actor: Actor,
    *,
    read_by_a_person: bool,
    effect_s: float = _EFFECT_S,
) -> Outcome:
    """Look again, answer, and watch for up to `effect_s` seconds what comes of it.

    Raises:
        Refused: the ask no longer waits, or an approval that nobody has read. Nothing is sent.
        CannotLook: the server could not be read, or did not take the answer.
    """
    step = Step(action.value, action, "", (), "", "")
    target = Target(ask.session_id, ask.directory, ask.id, message)
    record = run_step(step, target, reader, actor, allow_approval=read_by_a_person)

    def moved() -> SessionFacts | None:
        session = reader.session(ask.session_id, ask.directory)
        return session if _moved(ask, session) else None

    try:
        session = wait_until(moved, effect_s)
        if session is None:
            session = reader.session(ask.session_id, ask.directory)
            return Outcome(record.answer, f"{_state(ask, session)}; not ended after {effect_s:g} s", False)
    except CannotLook as error:
        return Outcome(record.answer, f"the answer was taken; what came of it can't be seen: {error}", False)
    return Outcome(record.answer, _state(ask, session), True)


def _moved(ask: Ask, session: SessionFacts) -> bool:
    part = named_call(ask, session)
    return part.status.terminal if part else session.status is Status.IDLE


def _state(ask: Ask, session: SessionFacts) -> str:
    part = named_call(ask, session)
    call = ""
    if part is not None:
        said = f" ({part.error})" if part.error else ""
        call = f"its call ({part.tool}) is {part.status}{said}; "
    return f"{call}the session is {session.status}"
