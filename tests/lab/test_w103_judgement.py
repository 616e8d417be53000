"""W103's judgement: the symptom, the witness of its opposite, and unclear where there is neither."""

from dataclasses import replace

import pytest

from wedged.catalog.w103_decline_as_shutdown import CLASS
from wedged.diagnose import Diagnosis, diagnose
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import MessageFacts, PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Gap, Snapshot, Window
from wedged.facts.trial import ClaimOutcome, Lane, Observation, Outcome
from wedged.lab.bench import Prompted
from wedged.lab.scenarios import w103_judgement as judge
from wedged.lab.scenarios import w103_restart_judgement as over_restart
from wedged.lab.scenarios.w103_look_alikes import waits_for_sibling
from wedged.lab.scenarios.w103_restart_judgement import Restarted
from wedged.lab.scenarios.w103_scene import RESTART_WORDS, Scene, failures, word
from wedged.lab.scenarios.w103_store import Mark
from wedged.lab.scenarios.w103_turns import FEEDBACK
from wedged.lab.turns import Script

PROMPTED = Prompted("ses_1", "/project", Script("t"), 0.0)
MARKED, UNMARKED = Mark(True, 0), Mark(False, 0)


def at(t: float, lane: Lane, kind: str, **data: object) -> Observation:
    return Observation(t, lane, kind, "ses_1", data)


def asked(t: float, text: str = "Do it.") -> Observation:
    return at(t, Lane.MODEL, "request", offers_tools=True, new_text=text)


def ended(t: float, how: str, reason: str = "") -> Observation:
    more = {"reason": reason} if reason else {}
    return at(t, Lane.STATUS, "idle", event=f"session.execution.{how}", **more)


def failed(t: float, event: str, text: str) -> Observation:
    lane, kind = (Lane.PART, "error") if "tool" in event else (Lane.EVENT, event)
    return at(t, lane, kind, event=event, error={"type": "aborted", "message": text})


DECLINE = (
    asked(0.1),
    failed(1.0, "session.tool.failed", "The user declined this tool call"),
    failed(1.1, "session.step.failed", "Step interrupted"),
    ended(1.2, "interrupted", "shutdown"),
)
CALL = ToolPart(
    "call_t_0_0", "call_t_0_0", "msg_2", "ses_1", "shell", PartStatus.ERROR, {}, error=judge.DECLINED
)
SESSION = SessionFacts(
    id="ses_1",
    directory="/project",
    status=Status.IDLE,
    parts=(CALL,),
    newest=MessageFacts("msg_2", from_model=True, complete=True, pieces=1, finish="error", error="aborted"),
)
DECLINED = Scene(PROMPTED, SESSION, MARKED, ("user", "assistant error"), False, DECLINE)
GOOD = Scene(
    PROMPTED,
    replace(SESSION, parts=(replace(CALL, status=PartStatus.COMPLETED, error=""),), outcome="succeeded"),
    UNMARKED,
    ("user", "assistant tool-calls", "assistant stop", "idle succeeded"),
    True,
    (asked(0.1), asked(1.0, "done"), ended(1.2, "succeeded")),
)
NO_FINDING = diagnose(Window(Snapshot(0, "x", ServerIdentity(Line.V2_RELEASED, "2.0.15"))), classes=(CLASS,))


def doctor(scene: Scene, line: Line = Line.V2_RELEASED) -> Diagnosis:
    look = Snapshot(0, "x", ServerIdentity(line, "x"), sessions=(scene.session,))
    return diagnose(Window(look), classes=(CLASS,))


def of(outcomes: tuple[ClaimOutcome, ...]) -> dict[str, str]:
    return {one.claim.removeprefix("W103."): one.outcome.value for one in outcomes}


def test_a_declined_turn_shows_every_claim() -> None:
    assert set(of(judge.trigger(DECLINED, doctor(DECLINED))).values()) == {Outcome.SYMPTOM}
    assert of(judge.control(DECLINED)) == {"control-completes": Outcome.HEALED}


def test_a_deliberate_stop_heals_the_class() -> None:
    fixed = replace(
        DECLINED,
        session=replace(SESSION, outcome="interrupted"),
        mark=UNMARKED,
        history=(*DECLINED.history, "idle interrupted"),
        timeline=(*DECLINE[:-1], ended(1.2, "interrupted", "user")),
    )
    assert of(judge.trigger(fixed, doctor(fixed))) == {
        "recorded-as-shutdown": "healed",
        "words-in-order": "healed",
        "mark-stays": "healed",
        "no-idle-mark": "healed",
        "asked-once": "symptom",
        "doctor-names-it": "unclear",
    }


@pytest.mark.parametrize(
    "scene",
    [
        replace(DECLINED, timeline=DECLINE[:-1]),
        replace(DECLINED, session=replace(SESSION, status=Status.BUSY)),
        replace(DECLINED, session=replace(SESSION, status=Status.UNKNOWN)),
    ],
)
def test_a_turn_whose_end_was_not_seen_says_nothing(scene: Scene) -> None:
    assert set(of(judge.trigger(scene, doctor(scene))).values()) == {Outcome.UNCLEAR}


def test_other_words_or_another_order_are_another_story() -> None:
    turned = (DECLINE[0], DECLINE[2], DECLINE[1], DECLINE[3])
    assert of(judge.trigger(replace(DECLINED, timeline=turned), NO_FINDING))["words-in-order"] == "healed"
    assert [text for _, text in failures(turned)] == ["Step interrupted", judge.DECLINED, "shutdown"]


def test_doctor_is_judged_by_the_mark() -> None:
    preview = replace(DECLINED, mark=UNMARKED)
    assert of((judge.named(preview, doctor(preview, Line.V2_PREVIEW)),))["doctor-names-it"] == "symptom"
    assert of((judge.named(preview, doctor(preview)),))["doctor-names-it"] == "healed", "latent, no mark"
    assert of((judge.named(DECLINED, NO_FINDING),))["doctor-names-it"] == "healed"
    unread = replace(NO_FINDING, unknown=(Gap("session ses_1", "503"),))
    assert of((judge.named(DECLINED, unread),))["doctor-names-it"] == "unclear"


def test_what_a_client_can_do_instead() -> None:
    told = (asked(0.1), asked(1.0, "Unable to execute command"), ended(1.2, "succeeded"))
    message = replace(GOOD, timeline=told)
    assert of(judge.with_message(message)) == {
        "message-goes-on": "symptom",
        "message-is-not-passed-on": "symptom",
    }
    heard = replace(GOOD, timeline=(asked(0.1), asked(1.0, FEEDBACK), ended(1.2, "succeeded")))
    assert of(judge.with_message(heard))["message-is-not-passed-on"] == "healed"
    assert of(judge.with_message(DECLINED)) == {
        "message-goes-on": "healed",
        "message-is-not-passed-on": "unclear",
    }
    by_user = replace(DECLINED, mark=UNMARKED, timeline=(asked(0.1), ended(1.0, "interrupted", "user")))
    assert set(of(judge.interrupted(by_user)).values()) == {"symptom"}
    still_marked = replace(
        by_user, mark=MARKED, timeline=(*by_user.timeline, at(1.1, Lane.ASK, "permission.replied"))
    )
    assert set(of(judge.interrupted(still_marked)).values()) == {"healed"}
    assert of(judge.answered(GOOD)) == {"answer-completes": "symptom"}
    assert of(judge.answered(replace(GOOD, mark=MARKED))) == {"answer-completes": "healed"}


def test_background_shells() -> None:
    assert of(judge.background(True, True, True)) == {"background-shell-runs-on": "symptom"}
    assert of(judge.background(True, False, True)) == {"background-shell-runs-on": "healed"}
    assert of(judge.background(True, True, False)) == {"background-shell-runs-on": "unclear"}


def test_a_look_alike_counts_only_in_its_state() -> None:
    assert of(judge.not_reported("not-x", "there", NO_FINDING, "ses_1")) == {"not-x": "symptom"}
    assert of(judge.not_reported("not-x", "", NO_FINDING, "ses_1")) == {"not-x": "unclear"}
    assert of(judge.not_reported("not-x", "there", doctor(DECLINED), "ses_1")) == {"not-x": "healed"}
    assert of(judge.not_reported("not-x", "there", doctor(DECLINED), "ses_2")) == {"not-x": "symptom"}


def test_a_decline_beside_a_sibling() -> None:
    running = replace(CALL, status=PartStatus.RUNNING, error="")
    open_ = replace(DECLINED, session=replace(SESSION, status=Status.BUSY, parts=(running,)), timeline=())
    assert of(waits_for_sibling(open_, "open", DECLINED)) == {"waits-for-sibling": "symptom"}
    assert of(waits_for_sibling(DECLINED, "", DECLINED)) == {"waits-for-sibling": "healed"}
    assert of(waits_for_sibling(open_, "", DECLINED)) == {"waits-for-sibling": "unclear"}


RESUMED = replace(
    DECLINED,
    mark=UNMARKED,
    history=("user", "assistant error", "restart message", "assistant stop", "idle succeeded"),
    timeline=(*DECLINE, asked(9.0, f"{judge.DECLINED}\n{RESTART_WORDS} Continue."), ended(9.5, "succeeded")),
)
QUIET = replace(DECLINED, mark=UNMARKED)
IN_FILE = ClaimOutcome("W103.file-shows-the-mark", Outcome.SYMPTOM, "")


def test_over_a_restart() -> None:
    came_back = Restarted(DECLINED, RESUMED, 5.0, True)
    assert (came_back.requests, came_back.resumed_s) == (1, 4.0)
    assert set(of(over_restart.restart(came_back, IN_FILE)).values()) == {Outcome.SYMPTOM}
    assert of((over_restart.not_resumed("x", came_back),)) == {"x": "healed"}

    stayed = Restarted(QUIET, QUIET, 5.0, True)
    assert of(over_restart.restart(stayed, IN_FILE)) == {
        "resumed-after-restart": "healed",
        "ends-as-succeeded": "healed",
        "file-shows-the-mark": "symptom",
        "resumed-only-once": "symptom",
    }
    assert of((over_restart.not_resumed("x", stayed),)) == {"x": "symptom"}


def test_a_cure_counts_where_there_was_a_mark_to_clear() -> None:
    cured = Restarted(QUIET, QUIET, 5.0, True, marked=True, cured_s=0.4)
    assert of((over_restart.cleared("x", cured),)) == {"x": "symptom"}
    assert of((over_restart.cleared("x", replace(cured, cured_s=None)),)) == {"x": "unclear"}
    assert of((over_restart.cleared("x", replace(cured, marked=False, cured_s=None)),)) == {"x": "healed"}
    assert of((over_restart.cleared("x", replace(cured, after=RESUMED)),)) == {"x": "healed"}


@pytest.mark.parametrize(
    "one",
    [
        Restarted(DECLINED, DECLINED, 5.0, True),  # the mark is still there: it may come yet
        Restarted(DECLINED, QUIET, 5.0, False),  # a server that answers nothing shows nothing
        Restarted(DECLINED, replace(QUIET, session=replace(SESSION, status=Status.BUSY)), 5.0, True),
    ],
)
def test_silence_alone_does_not_show_that_nothing_is_resumed(one: Restarted) -> None:
    assert of((over_restart.resumed("x", one), over_restart.not_resumed("y", one))) == {
        "x": "unclear",
        "y": "unclear",
    }


def test_a_second_resumption_counts() -> None:
    again = Restarted(DECLINED, RESUMED, 5.0, True, again=1)
    assert of(over_restart.restart(again, IN_FILE))["resumed-only-once"] == "healed"


def test_of_the_file() -> None:
    latent = doctor(DECLINED)
    assert over_restart.in_file(DECLINED, latent, ["ses_1"]).outcome is Outcome.SYMPTOM
    assert over_restart.in_file(DECLINED, latent, []).outcome is Outcome.HEALED, "another's turn"
    assert over_restart.in_file(DECLINED, NO_FINDING, ["ses_1"]).outcome is Outcome.HEALED
    assert over_restart.in_file(DECLINED, "locked", ["ses_1"]).outcome is Outcome.UNCLEAR


def test_a_turn_that_was_cut_off() -> None:
    call = replace(CALL, error="Tool execution interrupted")
    cut = replace(RESUMED, session=replace(SESSION, parts=(call,)), timeline=(asked(0.1), asked(9.0)))
    before = replace(cut, timeline=(asked(0.1),))
    assert set(of(over_restart.cut_off(Restarted(before, cut, 5.0, True))).values()) == {Outcome.SYMPTOM}
    heard = replace(cut, timeline=(asked(0.1), ended(4.0, "interrupted", "shutdown"), asked(9.0)))
    made = of(over_restart.cut_off(Restarted(before, heard, 5.0, True)))
    assert made["cut-off-in-other-words"] == "healed"
    assert over_restart.is_cut_off(cut)
    assert not over_restart.is_cut_off(DECLINED)


def test_a_late_interrupt_a_plain_restart_and_a_command() -> None:
    came_back, stayed = Restarted(DECLINED, RESUMED, 5.0, True), Restarted(QUIET, QUIET, 5.0, True)
    same = Restarted(DECLINED, DECLINED, 5.0, True)
    assert of(over_restart.late_interrupt(came_back)) == {"late-interrupt-changes-nothing": "symptom"}
    assert of(over_restart.late_interrupt(stayed)) == {"late-interrupt-changes-nothing": "healed"}
    assert of(over_restart.plain(same)) == {"plain-resumes-nothing": "symptom"}
    assert of(over_restart.plain(came_back)) == {"plain-resumes-nothing": "healed"}
    assert of(over_restart.plain(replace(same, answered=False))) == {"plain-resumes-nothing": "unclear"}
    for one, started, expected in (
        (came_back, True, "symptom"),
        (stayed, True, "healed"),
        (came_back, False, "unclear"),
        (stayed, False, "unclear"),
    ):
        assert of(over_restart.command_line(one, started, "it")) == {"command-line-resumes-it": expected}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"type": "user"}, "user"),
        ({"type": "assistant", "finish": "stop"}, "assistant stop"),
        ({"type": "assistant"}, "assistant unfinished"),
        ({"type": "idle", "outcome": "failed"}, "idle failed"),
        ({"type": "synthetic", "text": f"{RESTART_WORDS} Continue."}, "restart message"),
        ({"type": "synthetic", "text": "<shell>"}, "synthetic"),
    ],
)
def test_a_message_in_a_word(message: dict[str, object], words: str) -> None:
    assert word(message) == words
