"""W102, W104 and W105: the symptom, the witness of its opposite, and unclear where there is neither."""

from dataclasses import replace

import pytest

from wedged.catalog import by_code
from wedged.diagnose import Diagnosis, diagnose
from wedged.facts.ask import Ask, AskKind
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Gap, Snapshot, Window
from wedged.facts.trial import ClaimOutcome, Lane, Observation, Outcome
from wedged.lab.bench import Prompted
from wedged.lab.scenarios import w102_everybody_judgement as everybody
from wedged.lab.scenarios import w102_judgement as judge
from wedged.lab.scenarios import w104_judgement as leftover
from wedged.lab.scenarios import w105_judgement as child
from wedged.lab.scenarios.w102_stage import Sight
from wedged.lab.turns import Script

AT = 1.0
PROMPTED = Prompted("ses", "/d", Script("t"), 0.0)
ASK = Ask("per", AskKind.PERMISSION, "ses", "write", (), "call_t_0_0", "msg", "/d")
CALL = ToolPart("prt", "call_t_0_0", "msg", "ses", "write", PartStatus.RUNNING, {})
BUSY = SessionFacts("ses", "/d", Status.BUSY, parts=(CALL,))
ABORTED = replace(CALL, status=PartStatus.ERROR, error="Tool execution aborted")
CLOSED = replace(ABORTED, error="Interaction cancelled because the location shut down")
IDLE = replace(BUSY, status=Status.IDLE, parts=(ABORTED,))


def at(t: float, lane: Lane, kind: str, **data: object) -> Observation:
    return Observation(t, lane, kind, "ses", data)


ASKED = at(0.5, Lane.ASK, "permission.asked", ask="per")
TOLD = at(1.1, Lane.ASK, "permission.replied", ask="per", reply="reject")
FIRST = at(0.1, Lane.MODEL, "request", offers_tools=True, new_text="Do it. [wedged:t]")
AGAIN = at(1.3, Lane.MODEL, "request", offers_tools=True, new_text="Tool execution aborted [wedged:t-next]")
OVER = at(1.2, Lane.STATUS, "idle")


def sight(
    session: SessionFacts | None = BUSY, *more: Observation, listed: bool = False, made: bool = False
) -> Sight:
    status = session.status if session else Status.IDLE
    return Sight(2.0, PROMPTED, session, status, (ASK,) if listed else (), made, (FIRST, ASKED, *more))


GHOST, DETACHED = sight(IDLE, OVER), sight()
WAITS = sight(listed=True)
CARRIED_ON = sight(replace(IDLE, parts=(CLOSED,)), TOLD, AGAIN, OVER)


def kinds(outcomes: tuple[ClaimOutcome, ...]) -> dict[str, Outcome]:
    return {outcome.claim.partition(".")[2]: outcome.outcome for outcome in outcomes}


def test_every_outcome_is_of_a_claim_of_its_class() -> None:
    known = {claim.id for code in ("W102", "W104", "W105") for claim in by_code(code).claims}
    made = (
        *judge.trigger(GHOST, ASK, AT, (404,)),
        *judge.deleted(sight(None), ASK, AT, 404, False),
        *judge.together(["", ""], 2, 200),
        *everybody.config(WAITS, GHOST, ASK, AT, 404),
        *leftover.trigger(GHOST, ASK, nothing_found()),
    )
    assert {outcome.claim for outcome in made} <= known


@pytest.mark.parametrize(
    ("seen", "replies", "expected"),
    [
        (GHOST, (404, 404), "symptom symptom symptom healed healed symptom symptom"),
        (DETACHED, (404, 404), "symptom symptom symptom symptom symptom symptom symptom"),
        (CARRIED_ON, (404, 404), "healed symptom symptom healed healed healed healed"),
        (GHOST, (200, 200), "symptom healed symptom healed healed symptom symptom"),
        (WAITS, (200, 404), "unclear healed unclear unclear unclear unclear unclear"),
        (sight(IDLE, OVER, made=True), (404, 404), "symptom symptom healed healed healed symptom symptom"),
    ],
)
def test_a_disposal(seen: Sight, replies: tuple[int, ...], expected: str) -> None:
    names = ["no-event", "reply-404", "never-ran", "part-stays-running", "turn-hangs"]
    names += ["words-name-no-disposal", "model-not-told"]
    found = kinds(judge.trigger(seen, ASK, AT, replies))
    assert found == dict(zip(names, map(Outcome, expected.split()), strict=True))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [(GHOST, Outcome.SYMPTOM), (WAITS, Outcome.HEALED), (CARRIED_ON, Outcome.HEALED)],
    ids=["gone without an event", "still there", "told"],
)
def test_an_hour(seen: Sight, expected: Outcome) -> None:
    assert judge.without_event("idle-no-event", seen, ASK, AT, 404, may_stay=True).outcome is expected


def test_an_event_before_the_disposal_does_not_count() -> None:
    early = replace(TOLD, t=0.9)
    assert kinds(judge.trigger(sight(IDLE, early, OVER), ASK, AT, (404,)))["no-event"] is Outcome.SYMPTOM
    other = replace(TOLD, data={"ask": "per_2"})
    assert kinds(judge.trigger(sight(IDLE, other, OVER), ASK, AT, (404,)))["no-event"] is Outcome.SYMPTOM


def test_the_facts_that_ways_are_compared_by() -> None:
    assert judge.facts(CARRIED_ON, ASK, AT, 404) == {
        "event": "permission.replied reject",
        "call": "error Interaction cancelled because the location shut down",
        "listed": "no",
        "status": "idle",
        "reply": 404,
    }
    assert judge.facts(sight(None), ASK, AT)["call"] == "deleted with its session"


def nothing_found(*gaps: Gap) -> Diagnosis:
    look = Snapshot(0, "", ServerIdentity(Line.V2_PREVIEW, "x"), gaps=gaps)
    return diagnose(Window(look), 0)


def test_doctor_is_right_where_it_says_what_is_so() -> None:
    silent = nothing_found()
    assert judge.doctor("doctor-names-it", GHOST, silent).outcome is Outcome.SYMPTOM
    missed = judge.doctor("doctor-names-it", DETACHED, silent)
    assert missed.outcome is Outcome.HEALED
    assert (missed.values["doctor_ought"], missed.values["doctor_said"]) == (["W102"], [])
    assert judge.doctor("doctor-names-it", WAITS, silent).outcome is Outcome.UNCLEAR
    unread = judge.doctor("doctor-names-it", GHOST, nothing_found(Gap("asks", "503")))
    assert (unread.outcome, unread.values) == (Outcome.UNCLEAR, {})


def test_freed_needs_a_turn_that_hung() -> None:
    last = sight(IDLE, OVER, AGAIN)
    assert kinds(judge.freed(DETACHED, GHOST, AT, last, 1.2)) == {
        "interrupt-frees": Outcome.SYMPTOM,
        "prompt-after-goes-on": Outcome.SYMPTOM,
    }
    assert kinds(judge.freed(GHOST, GHOST, AT, last, 1.2))["interrupt-frees"] is Outcome.HEALED
    assert kinds(judge.freed(DETACHED, DETACHED, AT, DETACHED, 1.2)) == {
        "interrupt-frees": Outcome.HEALED,
        "prompt-after-goes-on": Outcome.HEALED,
    }


def test_a_stranded_prompt_comes_with_the_next_one() -> None:
    both = replace(AGAIN, data={"offers_tools": True, "new_text": "[wedged:t-first] [wedged:t-second]"})
    second = sight(IDLE, both)
    stranded = judge.order(DETACHED, GHOST, AT, second, 1.2, {})
    assert kinds(stranded)["prompt-before-interrupt-strands"] is Outcome.SYMPTOM
    answered = judge.order(GHOST, sight(IDLE, replace(AGAIN, t=1.05)), AT, second, 1.2, {})
    assert kinds(answered)["prompt-before-interrupt-strands"] is Outcome.HEALED
    aborted_early = judge.order(GHOST, GHOST, AT, second, 1.2, {})
    assert kinds(aborted_early)["prompt-before-interrupt-strands"] is Outcome.UNCLEAR


@pytest.mark.parametrize(
    ("errors", "status", "blames", "answers"),
    [
        ([judge.BLAME, judge.BLAME, "Tool execution aborted"], 200, "symptom", "symptom"),
        (["Tool execution aborted"] * 3, 503, "healed", "healed"),
        ([judge.BLAME, "Tool execution aborted", "Tool execution aborted"], 404, "unclear", "unclear"),
    ],
)
def test_several_asks_of_one_directory(errors: list[str], status: int, blames: str, answers: str) -> None:
    found = kinds(judge.together(errors, 3, status))
    assert found == {"blames-the-user": Outcome(blames), "directory-answers": Outcome(answers)}


def test_a_deleted_session_whose_turn_goes_on() -> None:
    on = replace(sight(None, listed=True), status=Status.BUSY)
    assert set(kinds(judge.deleted(on, ASK, AT, 200, True)).values()) == {Outcome.SYMPTOM}
    gone = kinds(judge.deleted(sight(None), ASK, AT, 404, False))
    assert gone["delete-no-event"] is Outcome.SYMPTOM
    assert gone["delete-leaves-the-turn"] is gone["deleted-ask-still-runs"] is Outcome.HEALED


def test_a_shell_next_door_is_cut_off_or_comes_to_its_end() -> None:
    done = replace(CALL, status=PartStatus.COMPLETED, output="through-x\n")
    cut = replace(done, output="User aborted the command")
    for part, expected in ((cut, Outcome.SYMPTOM), (done, Outcome.HEALED), (CALL, Outcome.UNCLEAR)):
        assert kinds(judge.cut_off(part, "through-x", WAITS, ASK))["bystander-shell-ends"] is expected
    assert kinds(judge.cut_off(None, "x", GHOST, ASK))["elsewhere-untouched"] is Outcome.HEALED


def test_a_restart_and_a_reload() -> None:
    stale = replace(sight(replace(BUSY, status=Status.IDLE)), status=Status.IDLE)
    assert set(kinds(everybody.restarted("sigterm", stale, ASK, AT, 404, "")).values()) == {Outcome.SYMPTOM}
    settled = kinds(everybody.restarted("sigterm", GHOST, ASK, AT, 404, ""))
    assert settled["sigterm-part-stays-running"] is Outcome.HEALED
    assert kinds(everybody.reload(CARRIED_ON, ASK, AT, 404))["reload-tells"] is Outcome.SYMPTOM
    assert kinds(everybody.reload(DETACHED, ASK, AT, 404))["reload-tells"] is Outcome.HEALED


def test_what_a_restart_leaves_of_an_ask_that_went() -> None:
    left = sight(IDLE, OVER, listed=True)
    assert everybody.after_restart(left, GHOST, ASK, "x") == {"restart": "listed no more", "bystander": "x"}
    freed = everybody.after_restart(DETACHED, GHOST, ASK, "")["restart"]
    assert freed == "call error Tool execution aborted, session idle"
    assert everybody.after_restart(GHOST, GHOST, ASK, "")["restart"] == "as before"
    stale = sight(replace(BUSY, status=Status.IDLE))
    found = {**judge.facts(left, ASK, AT), "restart": ""}
    for later, expected in (
        (GHOST, Outcome.SYMPTOM),
        (sight(None), Outcome.SYMPTOM),
        (left, Outcome.HEALED),
        (stale, Outcome.HEALED),
        (sight(replace(IDLE, parts=())), Outcome.UNCLEAR),
    ):
        (made,) = everybody.then_restarted("dispose-then-restart", found, later, ASK)
        assert (made.claim, made.outcome) == ("W102.dispose-then-restart-leaves-nothing", expected)
    row, other = judge.trigger(GHOST, ASK, AT, (404,))[:2]
    with_row = everybody.with_more((row, other), {"restart": "as before"})
    assert [one.values.get("restart") for one in with_row] == ["as before", None]


def test_a_status_that_is_not_the_whole_truth_says_so() -> None:
    assert judge.status_of(GHOST) == "idle"
    assert judge.status_of(WAITS) == "busy"
    assert judge.status_of(DETACHED) == "busy, on a call that nobody can answer"
    assert judge.status_of(sight(replace(BUSY, status=Status.IDLE))) == "idle, and its call is not over"
    gone = replace(sight(None, listed=True), status=Status.BUSY)
    assert judge.status_of(gone) == "busy, of a session that is gone"


def test_what_became_of_a_shell_next_door() -> None:
    done = replace(CALL, status=PartStatus.COMPLETED, output="through-x\n")
    assert judge.fate_of(done, "through-x") == "ran to its end"
    cut = replace(done, output="User aborted the command")
    assert judge.fate_of(cut, "through-x") == "cut off: completed User aborted the command"
    assert judge.fate_of(CALL, "through-x") == "its call is running"
    assert judge.fate_of(None, "through-x") == "its call is gone"


def test_a_leftover_and_what_an_approval_does() -> None:
    left = sight(IDLE, OVER, listed=True)
    assert kinds(leftover.trigger(left, ASK, nothing_found()))["stays-listed"] is Outcome.SYMPTOM
    assert kinds(leftover.trigger(GHOST, ASK, nothing_found()))["stays-listed"] is Outcome.HEALED
    assert kinds(leftover.trigger(WAITS, ASK, nothing_found()))["stays-listed"] is Outcome.UNCLEAR
    ran = sight(IDLE, OVER, made=True)
    assert set(kinds(leftover.approved(left, ran, ASK, AT)).values()) == {Outcome.SYMPTOM}
    assert kinds(leftover.approved(left, GHOST, ASK, AT))["approving-runs-it"] is Outcome.HEALED
    cleared = sight(IDLE, OVER, TOLD)
    assert set(kinds(leftover.rejected(left, cleared, ASK, AT, [200, 404])).values()) == {Outcome.SYMPTOM}
    assert kinds(leftover.rejected(left, left, ASK, AT, [200, 200]))["reject-clears-it"] is Outcome.HEALED
    ran_anyway = replace(cleared, made=True)
    assert (
        kinds(leftover.rejected(left, ran_anyway, ASK, AT, [200, 404]))["reject-clears-it"] is Outcome.UNCLEAR
    )


def test_an_ask_that_is_made_after_the_end() -> None:
    early = Observation(0.2, Lane.STATUS, "idle", "ses")
    late = replace(sight(replace(IDLE, parts=()), early, listed=True))
    assert kinds(leftover.broken(late))["asked-after-the-end"] is Outcome.SYMPTOM
    assert (
        kinds(leftover.broken(sight(replace(IDLE, parts=()), OVER)))["asked-after-the-end"] is Outcome.HEALED
    )
    assert kinds(leftover.broken(sight(IDLE, OVER, listed=True)))["asked-after-the-end"] is Outcome.UNCLEAR


ORDER = replace(CALL, tool="task")
PARENT = Sight(
    2.0,
    Prompted("above", "/d", Script("t"), 0.0),
    SessionFacts("above", "/d", Status.BUSY, parts=(ORDER,)),
    Status.BUSY,
    (),
    False,
    (FIRST,),
)
HIDDEN = child.Pair(PARENT, WAITS, ())


def test_a_sub_agents_ask_is_hidden_from_its_parent() -> None:
    found = kinds(child.trigger(HIDDEN, ASK, nothing_found()))
    assert [found[name] for name in ("parent-lists-nothing", "status-says-working", "parent-waits")] == [
        Outcome.SYMPTOM
    ] * 3
    assert found["doctor-names-it"] is Outcome.HEALED, "doctor said nothing of it"
    shown = kinds(child.trigger(replace(HIDDEN, parents=(ASK,)), ASK, nothing_found()))
    assert shown["parent-lists-nothing"] is Outcome.HEALED


def test_an_answer_to_a_sub_agent_ends_both() -> None:
    done = replace(PARENT.session, status=Status.IDLE, parts=(replace(ORDER, status=PartStatus.ERROR),))  # type: ignore[type-var]
    above = replace(PARENT, session=done, status=Status.IDLE)
    both = child.Pair(above, GHOST, ())
    assert kinds(child.answered("reject", both, ASK, AT))["reject-ends-it"] is Outcome.SYMPTOM
    assert kinds(child.answered("reject", HIDDEN, ASK, AT))["reject-ends-it"] is Outcome.HEALED
    assert kinds(child.answered("once", both, ASK, AT))["once-runs-it"] is Outcome.UNCLEAR
    assert kinds(child.parent_interrupted(both, ASK))["parent-takes-both-down"] is Outcome.SYMPTOM
    untold = kinds(child.interrupted(both, ASK, AT))
    assert untold["parent-is-told-cancelled"] is Outcome.HEALED
