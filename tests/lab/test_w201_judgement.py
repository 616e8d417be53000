"""W201's and W203's judgements: each symptom, its opposite, and what is neither."""

from dataclasses import replace

import pytest

from wedged.facts.process import ProcessFacts
from wedged.facts.session import MessageFacts, PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.trial import ClaimOutcome, Lane, Observation, Outcome
from wedged.lab.scenarios import w201_judgement as judge
from wedged.lab.scenarios import w203_judgement as orphans
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.w103_store import Mark
from wedged.lab.scenarios.w201_judgement import Resumption, Told
from wedged.lab.scenarios.w201_sight import Sight
from wedged.lab.scenarios.w203_judgement import Traces

PART = ToolPart("prt", "call", "msg", "ses", "bash", PartStatus.RUNNING, {})
SESSION = SessionFacts("ses", "/d", Status.IDLE, parts=(PART,))
SHELL = ProcessFacts(1, 0, 0.0, "bash")
STALE = Sight(5.0, SESSION, PART, (SHELL,), 1)
SETTLED = replace(STALE, part=replace(PART, status=PartStatus.ERROR, error="interrupted"), alive=())
BUSY = replace(STALE, session=replace(SESSION, status=Status.BUSY))
GONE = replace(STALE, part=None)
AGAIN = Observation(4.5, Lane.STATUS, "busy", "ses")


def said(made: tuple[ClaimOutcome, ...]) -> dict[str, Outcome]:
    return {one.claim.partition(".")[2]: one.outcome for one in made}


def test_a_crash_that_left_the_call() -> None:
    made = said(judge.trigger(STALE, STALE, ("same", "same"), (), 4.0))
    assert set(made.values()) == {Outcome.SYMPTOM}


@pytest.mark.parametrize(
    ("after", "messages", "timeline", "expected"),
    [
        (
            SETTLED,
            ("a", "b"),
            (),
            {
                "stays-running": Outcome.HEALED,
                "listed-as-idle": Outcome.UNCLEAR,
                "looks-as-before": Outcome.HEALED,
                "command-outlives": Outcome.HEALED,
            },
        ),
        (
            BUSY,
            ("a", "a"),
            (AGAIN,),
            {
                "stays-running": Outcome.HEALED,
                "listed-as-idle": Outcome.HEALED,
                "looks-as-before": Outcome.SYMPTOM,
                "command-outlives": Outcome.SYMPTOM,
            },
        ),
        # Busy without an event: nothing is known of what works there.
        (
            BUSY,
            ("a", "a"),
            (),
            {
                "stays-running": Outcome.UNCLEAR,
                "listed-as-idle": Outcome.HEALED,
                "looks-as-before": Outcome.SYMPTOM,
                "command-outlives": Outcome.SYMPTOM,
            },
        ),
    ],
)
def test_a_crash_that_did_not(
    after: Sight,
    messages: tuple[object, object],
    timeline: tuple[Observation, ...],
    expected: dict[str, Outcome],
) -> None:
    assert said(judge.trigger(STALE, after, messages, timeline, 4.0)) == expected


def test_no_process_before_the_crash_says_nothing_of_one_after_it() -> None:
    before = replace(STALE, alive=())
    made = said(judge.trigger(before, STALE, ("a", "a"), (), 4.0))
    assert made["command-outlives"] is Outcome.UNCLEAR


def test_staying_and_ending_have_each_a_witness_of_the_opposite() -> None:
    for look, stays, ends in (
        (STALE, Outcome.SYMPTOM, Outcome.HEALED),
        (SETTLED, Outcome.HEALED, Outcome.SYMPTOM),
        (GONE, Outcome.HEALED, Outcome.UNCLEAR),
        (BUSY, Outcome.UNCLEAR, Outcome.UNCLEAR),
    ):
        assert said(judge.stays("x", look))["x"] is stays
        assert said(judge.ends("x", look))["x"] is ends
    assert said(judge.ends("x", STALE, answered=False))["x"] is Outcome.UNCLEAR
    assert said(judge.removed("x", GONE))["x"] is Outcome.SYMPTOM
    assert said(judge.removed("x", STALE))["x"] is Outcome.HEALED


def test_what_the_model_is_told() -> None:
    told = Told(True, "[wedged:w] \n[Tool execution was interrupted]")
    assert judge.tells("x", told).outcome is Outcome.SYMPTOM
    assert judge.tells("x", told, "hello").outcome is Outcome.HEALED
    assert judge.tells("x", Told()).outcome is Outcome.UNCLEAR
    assert judge.forgets("x", told, "[wedged:w]").outcome is Outcome.HEALED
    assert judge.forgets("x", Told(True, "[wedged:w] go on"), "[wedged:w]").outcome is Outcome.SYMPTOM
    assert judge.forgets("x", Told(), "[wedged:w]").outcome is Outcome.UNCLEAR


def test_the_service_resumes_or_leaves() -> None:
    woken = Resumption(SETTLED, Told(True, "The server restarted while you were working."), 2.0)
    left = Resumption(STALE, Told(), 8.0)
    assert set(said(judge.resumed(woken)).values()) == {Outcome.SYMPTOM}
    assert set(said(judge.resumed(left)).values()) == {Outcome.HEALED}
    settled_only = said(judge.resumed(Resumption(SETTLED, Told(), 8.0)))
    assert settled_only == {"service-settles-it": Outcome.SYMPTOM, "service-resumes-it": Outcome.UNCLEAR}
    assert judge.again(woken, (0, 1)).outcome is Outcome.SYMPTOM
    assert judge.again(woken, (0, 0)).outcome is Outcome.UNCLEAR, "resumed and not counted"
    assert judge.again(left, (None, None)).outcome is Outcome.HEALED


def test_a_service_gives_up_after_ten() -> None:
    woken = Resumption(SETTLED, Told(True, "The server restarted while you were working."), 2.0)
    left = Resumption(STALE, Told(), 2.0)
    names = ("tenth-is-resumed", "eleventh-is-given-up", "given-up-stays-running", "doctor-finds-given-up")
    right, silent = Word(("W201", "W203"), frozenset({"W201"}), True, ""), Word((), frozenset(), False, "")
    settled = replace(left, look=replace(SETTLED, session=replace(SESSION, parts=())))
    for first, second, mark, word, expected in (
        (woken, left, Mark(False, 10), right, "symptom symptom symptom symptom"),
        (woken, left, Mark(False, 10), silent, "symptom symptom symptom healed"),
        (woken, left, Mark(False, 10), replace(silent, unread="x"), "symptom symptom symptom unclear"),
        (woken, woken, Mark(True, 11), silent, "symptom healed unclear unclear"),
        (woken, left, Mark(True, 10), right, "symptom unclear unclear unclear"),
        (woken, settled, Mark(False, 10), silent, "symptom symptom healed unclear"),
        (left, left, Mark(False, 9), right, "healed unclear unclear unclear"),
    ):
        made = said(judge.limit(first, second, mark, word))
        assert made == dict(zip(names, map(Outcome, expected.split()), strict=True))


def test_ctrl_c_settles_or_does_not() -> None:
    settled = said(judge.sigint(SETTLED, 0, "status 130"))
    assert set(settled.values()) == {Outcome.SYMPTOM}
    crashed = said(judge.sigint(STALE, 1, "signal 2"))
    assert set(crashed.values()) == {Outcome.HEALED}
    assert set(said(judge.sigint(BUSY, 0, "status 0")).values()) == {Outcome.UNCLEAR}


def test_a_wrong_cure_is_shown_by_what_the_model_is_not_told() -> None:
    aborted, heard = Told(True, "Tool execution aborted"), Told(True, "hello end-x")
    assert said(judge.wrong_cure("x", 1, [aborted], "end-x", SETTLED))["x"] is Outcome.SYMPTOM
    assert said(judge.wrong_cure("x", 1, [heard], "end-x", SETTLED))["x"] is Outcome.HEALED
    assert said(judge.wrong_cure("x", 0, [aborted], "end-x", SETTLED))["x"] is Outcome.UNCLEAR
    assert said(judge.wrong_cure("x", 1, [], "end-x", SETTLED))["x"] is Outcome.UNCLEAR


def test_a_turn_is_over_by_its_own_message() -> None:
    done = MessageFacts("msg", True, True, 1, finish="stop")
    assert judge.moved_on(replace(STALE, session=replace(SESSION, newest=done)))
    assert not judge.moved_on(replace(STALE, session=replace(SESSION, newest=replace(done, complete=False))))
    assert not judge.moved_on(STALE)


BEFORE = Traces(1.0, shells=1, leaders=1, below=1, group=1, listed=True, call="running", idle=False)
ORPHAN = replace(BEFORE, below=0, listed=False, idle=True)
NOTHING = replace(ORPHAN, shells=0, leaders=0, group=0)


def test_orphans() -> None:
    assert set(said(orphans.trigger(BEFORE, ORPHAN, 2.0)).values()) == {Outcome.SYMPTOM}
    gone = said(orphans.trigger(BEFORE, NOTHING, 2.0))
    assert gone == {"outlives-server": Outcome.HEALED, "under-no-server": Outcome.UNCLEAR}
    assert said(orphans.not_listed(BEFORE, ORPHAN))["not-listed"] is Outcome.SYMPTOM
    never = replace(BEFORE, listed=False)
    assert said(orphans.not_listed(never, ORPHAN))["not-listed"] is Outcome.UNCLEAR
    assert orphans.ended("x", BEFORE, NOTHING).outcome is Outcome.SYMPTOM
    assert orphans.ended("x", BEFORE, replace(NOTHING, group=1)).outcome is Outcome.HEALED
    child = said(orphans.child_left(BEFORE, replace(NOTHING, group=1)))
    assert child == {"kill-shell-leaves-its-child": Outcome.SYMPTOM}
    assert said(orphans.chatty(BEFORE, NOTHING, (5, 5)))["chatty-ends"] is Outcome.SYMPTOM
    assert said(orphans.chatty(BEFORE, NOTHING, (5, 6)))["chatty-ends"] is Outcome.UNCLEAR
    assert said(orphans.chatty(BEFORE, ORPHAN, (5, 6)))["chatty-ends"] is Outcome.HEALED
