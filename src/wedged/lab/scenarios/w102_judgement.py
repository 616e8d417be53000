"""W102 with one session: from what was seen in one trial to what it says about each claim. Pure.

Each function looks for the symptom and for the positive witness of its opposite; where it finds neither, the
outcome is unclear.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from wedged.diagnose import Diagnosis
from wedged.facts.ask import Ask
from wedged.facts.opinion import as_values
from wedged.facts.session import PartStatus, Status, ToolPart
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.outcomes import outcome_of
from wedged.lab.scenarios.w102_stage import Sight, is_revoked
from wedged.lab.timeline import is_over

CODE = "W102"
NOT_FOUND = 404
# Words that would tell a reader of the call what became of it.
_NAMES_IT = ("shut down", "disposed", "evicted", "reload")
BLAME = "The user rejected permission"


outcome = partial(outcome_of, CODE)


def said_of(part: ToolPart | None) -> str:
    """A call's state in a word or two."""
    return "missing" if part is None else f"{part.status} {part.error}".strip()


def is_settled(seen: Sight) -> bool:
    """The turn is over by the server's word, and no call of it is unfinished."""
    return (
        seen.session is not None
        and seen.status is Status.IDLE
        and bool(seen.session.parts)
        and not seen.session.unfinished
    )


def hangs(seen: Sight) -> bool:
    """Named as working, its call running, and no ask that anybody could answer."""
    call = seen.call
    running = call is not None and call.status is PartStatus.RUNNING
    return seen.status is Status.BUSY and running and not seen.listed


def facts(seen: Sight, ask: Ask, at: float, reply: int | None = None) -> dict[str, object]:
    """What every way of losing an ask is compared by: event, call, list, status, and a late reply (where one
    was sent)."""
    told = seen.revoked(ask, at)
    found: dict[str, object] = {
        "event": f"{told.kind} {told.data.get('reply', '')}".strip() if told else "none",
        "call": said_of(seen.call) if seen.session else "deleted with its session",
        "listed": "yes" if seen.lists(ask) else "no",
        "status": status_of(seen),
    }
    return found if reply is None else found | {"reply": reply}


def status_of(seen: Sight) -> str:
    """The server's word about the session, and what is not so about it."""
    if seen.session is None and seen.status is not Status.IDLE:
        return f"{seen.status}, of a session that is gone"
    if hangs(seen):
        return f"{seen.status}, on a call that nobody can answer"
    if seen.status is Status.IDLE and seen.session is not None and seen.session.unfinished:
        return f"{seen.status}, and its call is not over"
    return seen.status.value


def fate_of(part: ToolPart | None, last_words: str) -> str:
    """What became of a neighbour's shell, in a word or two; `last_words` is what it prints at its own end."""
    if part is None or not part.status.terminal:
        return f"its call is {part.status if part else 'gone'}"
    if last_words in f"{part.output}{part.error}":
        return "ran to its end"
    return f"cut off: {part.status} {(part.error or part.output).strip()[-60:]}".strip()


def without_event(
    claim: str, seen: Sight, ask: Ask, at: float, reply: int | None = None, *, may_stay: bool = False
) -> ClaimOutcome:
    """The ask is gone from its list, and no event has said so. Its opposite: an event that names it; where it
    `may_stay`, also the ask as it was before."""
    told, listed, found = seen.revoked(ask, at), seen.lists(ask), facts(seen, ask, at, reply)
    why = f"the ask is {'listed' if listed else 'not listed'}; event: {found['event']}"
    opposite = told is not None or (may_stay and listed)
    return outcome(claim, not listed and told is None, opposite, why, **found)


def control(seen: Sight, ask: Ask, at: float) -> tuple[ClaimOutcome, ...]:
    """Answered by a person: announced, off the list, run, over."""
    told, call = seen.revoked(ask, at), seen.call
    ran = call is not None and call.status is PartStatus.COMPLETED and seen.made
    healthy = is_settled(seen) and ran and told is not None and not seen.lists(ask)
    why = f"{told.kind if told else 'no event'}, call {said_of(call)}, session {seen.status}"
    return (outcome("control-answered", healthy, seen.lists(ask) or hangs(seen), why),)


def trigger(seen: Sight, ask: Ask, at: float, replies: Sequence[int]) -> tuple[ClaimOutcome, ...]:
    """Disposed of while the ask was pending, and replied to twice afterwards."""
    call, later = seen.call, seen.requests(at)
    terminal = call is not None and call.status.terminal
    gone = not seen.lists(ask)
    words = call.error if call else ""
    named = any(word in words for word in _NAMES_IT)
    return (
        without_event("no-event", seen, ask, at, replies[0] if replies else None),
        outcome(
            "reply-404",
            gone and list(replies) == [NOT_FOUND] * len(replies),
            any(status < 400 for status in replies),
            f"answered {', '.join(map(str, replies))}",
        ),
        outcome(
            "never-ran", gone and not seen.made, seen.made, f"file {'made' if seen.made else 'never made'}"
        ),
        outcome(
            "part-stays-running",
            gone and call is not None and call.status is PartStatus.RUNNING,
            terminal,
            f"call {said_of(call)}",
        ),
        outcome("turn-hangs", hangs(seen), is_settled(seen), f"session {seen.status}, call {said_of(call)}"),
        outcome(
            "words-name-no-disposal", gone and call is not None and not named, named, f"call {said_of(call)}"
        ),
        outcome(
            "model-not-told",
            gone and not later,
            bool(later),
            f"{len(later)} further model requests",
            requests=len(later),
        ),
    )


def placebo(seen: Sight, ask: Ask, watched: float) -> tuple[ClaimOutcome, ...]:
    """Nothing was done for as long as a disposal was given to work."""
    why = f"the ask is {'listed' if seen.lists(ask) else 'not listed'}, session {seen.status}"
    stays = seen.lists(ask) and seen.status is Status.BUSY
    return (outcome("placebo-stays", stays, is_settled(seen), why, watched_s=round(watched, 3)),)


def list_tells(dead: bool, alive: bool) -> tuple[ClaimOutcome, ...]:
    """Whether the list had the ask that was disposed of, and the one that was not."""
    why = f"the list {'has' if dead else 'lacks'} the dead ask and {'has' if alive else 'lacks'} the live one"
    return (outcome("list-tells", alive and not dead, dead, why),)


def question(seen: Sight, ask: Ask, at: float, reply: int) -> tuple[ClaimOutcome, ...]:
    """A question, disposed of."""
    return (without_event("question-no-event", seen, ask, at, reply),)


def doctor(claim: str, seen: Sight, made: Diagnosis) -> ClaimOutcome:
    """Doctor names the turn that hangs, and nothing where the server has settled it."""
    codes = [f.code for f in made.findings if f.session == seen.prompted.session]
    unread = "; ".join(gap.what for gap in made.unknown)
    expected = [CODE] if hangs(seen) else []
    known = (hangs(seen) or is_settled(seen)) and not unread
    why = f"session {seen.status}, call {said_of(seen.call)}; doctor: {', '.join(codes) or 'no finding'}"
    why += f"; not read: {unread}" if unread else ""
    opinion = as_values(expected, codes) if known else {}
    return outcome(claim, known and codes == expected, known and codes != expected, why, **opinion)


def freed(before: Sight, after: Sight, at: float, last: Sight, prompted: float) -> tuple[ClaimOutcome, ...]:
    """What an interrupt did to a turn that hung, and what the next prompt found."""
    over = next((o.t for o in after.timeline if is_over(o) and o.t > at), None)
    healed = None if over is None else round(over - at, 3)
    # A released V2 asks the model at once; elsewhere it learns of its call with the next prompt.
    told = "".join(str(o.data.get("new_text", "")) for o in last.requests()[1:])
    answered = is_settled(last) and bool(last.requests(prompted))
    error = after.call.error if after.call else ""
    return (
        outcome(
            "interrupt-frees",
            hangs(before) and is_settled(after),
            is_settled(before) or hangs(after),
            f"before: session {before.status}, call {said_of(before.call)}; "
            f"after: session {after.status}, call {said_of(after.call)}",
            healed_s=healed if hangs(before) else None,
        ),
        outcome(
            "prompt-after-goes-on",
            answered and bool(error) and error in told,
            hangs(last),
            f"{len(last.requests(prompted))} model requests after the prompt; the model was told of its "
            f"call: {bool(error) and error in told}",
        ),
    )


def order(
    before: Sight, seen: Sight, prompted: float, then: Sight, again: float, found: Mapping[str, object]
) -> tuple[ClaimOutcome, ...]:
    """A prompt into a turn that hung (`before`), and the interrupt after it (`seen`, its facts are `found`);
    `then` was seen after a second prompt, sent at `again`."""
    between = [o for o in seen.requests(prompted) if o.t < again]
    late = then.requests(again)
    told = "".join(str(o.data.get("new_text", "")) for o in late)
    marks = told.count("[wedged:")
    stranded = hangs(before) and seen.status is Status.IDLE and not between
    return (
        outcome(
            "prompt-before-interrupt-strands",
            stranded and marks >= 2,
            bool(between),
            f"{len(between)} model requests before the second prompt, {len(late)} after it, which brought "
            f"{marks} prompts",
            **found,
        ),
    )


def cut_off(part: ToolPart | None, last_words: str, elsewhere: Sight, ask: Ask) -> tuple[ClaimOutcome, ...]:
    """A neighbour's shell in the same directory, and an ask in another one."""
    output = f"{part.output}{part.error}" if part else ""
    ended = part is not None and part.status.terminal
    whole = last_words in output
    kept = elsewhere.lists(ask) and elsewhere.status is Status.BUSY
    return (
        outcome(
            "bystander-shell-ends",
            ended and not whole,
            ended and whole,
            f"the neighbour's shell: {part.status if part else 'gone'}, {output.strip()[-60:] or 'silent'}",
            bystander=fate_of(part, last_words),
        ),
        outcome(
            "elsewhere-untouched",
            kept,
            elsewhere.revoked(ask) is not None or is_settled(elsewhere),
            f"the other directory's ask is {'listed' if elsewhere.lists(ask) else 'not listed'}",
        ),
    )


def sub_agent(child: Sight, parent: Sight, ask: Ask, at: float, reply: int) -> tuple[ClaimOutcome, ...]:
    """A sub-agent's ask, disposed of; the event may be sent to either session."""
    told = [o for o in (*child.timeline, *parent.timeline) if o.t > at and is_revoked(o, ask.id)]
    gone = not child.lists(ask)
    why = (
        f"{told[0].kind if told else 'no event'}; sub-agent {child.status}, its call {said_of(child.call)}; "
        f"parent {parent.status}, its call {said_of(parent.call)}"
    )
    found = facts(child, ask, at, reply)
    return (outcome("sub-agent-no-event", gone and not told, bool(told), why, **found),)


def together(errors: Sequence[str], ended: int, status: int) -> tuple[ClaimOutcome, ...]:
    """Several asks of one directory. `errors` are their calls' words, `ended` how many calls have ended,
    `status` is what the directory answers afterwards."""
    blamed = sum(BLAME in error for error in errors)
    count = len(errors)
    return (
        outcome(
            "blames-the-user",
            blamed == count - 1,
            blamed == 0,
            f"{blamed} of {count} calls say that the user rejected them; {ended} have ended",
            blamed=blamed,
        ),
        outcome(
            "directory-answers",
            status == 200,
            status >= 500,
            f"the directory answers {status}",
            status=status,
        ),
    )


def interrupted(seen: Sight, ask: Ask, at: float, reply: int) -> tuple[ClaimOutcome, ...]:
    """Interrupted while the ask was pending. Whether it stays listed is W104's."""
    told = seen.revoked(ask, at)
    why = f"session {seen.status}, call {said_of(seen.call)}, {told.kind if told else 'no event'}"
    found = facts(seen, ask, at, reply)
    return (outcome("interrupt-no-event", is_settled(seen) and told is None, told is not None, why, **found),)


def deleted(seen: Sight, ask: Ask, at: float, reply: int, ran: bool) -> tuple[ClaimOutcome, ...]:
    """Deleted while the ask was pending; `ran` says whether an approval then ran the call."""
    told = seen.revoked(ask, at)
    gone = seen.session is None
    works = seen.status is not Status.IDLE
    why = (
        f"session {'not there' if gone else 'still there'}, status {seen.status}, the ask is "
        f"{'listed' if seen.lists(ask) else 'not listed'}, {told.kind if told else 'no event'}"
    )
    return (
        outcome(
            "delete-no-event",
            gone and told is None,
            told is not None,
            why,
            **facts(seen, ask, at, reply),
        ),
        outcome(
            "delete-leaves-the-turn", gone and works and seen.lists(ask), gone and not seen.lists(ask), why
        ),
        outcome(
            "deleted-ask-still-runs",
            gone and ran,
            gone and not seen.lists(ask) and not ran,
            f"approved afterwards, the call has {'' if ran else 'not '}run",
        ),
    )


def provider_error(
    status: int, refused: bool, seen: Sight, over: bool, found: Mapping[str, object]
) -> tuple[ClaimOutcome, ...]:
    """A neighbour's model request failed with `status`; the ask was answered once afterwards. `found` are the
    facts of just before that."""
    call = seen.call
    ran = over and call is not None and call.status is PartStatus.COMPLETED and seen.made
    why = f"the neighbour's request was answered {status}: {refused}; call {said_of(call)}"
    return (outcome("provider-error-leaves-it", refused and ran, refused and not ran, why, **found),)


def run(returncode: int | None, printed: str, later: int, seen: Sight) -> tuple[ClaimOutcome, ...]:
    """`opencode run` under a disposal, while its shell ran; `later` model requests came after it."""
    aborted = "Aborted" in printed
    last = " ".join(printed.split())[-80:]
    why = f"exit status {returncode}, {later} model requests after the disposal, printed: {last}"
    return (
        outcome(
            "run-ends-as-aborted",
            returncode == 0 and aborted and not later,
            returncode is not None and bool(later) and not aborted,
            why,
            returncode=returncode,
            event="no request: its shell ran",
            call=said_of(seen.call),
            status=status_of(seen),
        ),
    )
