"""W101's judgement where the lines differ: what a decline's words do, and names that have two forms."""

from dataclasses import replace

import pytest
from tests.diagnose.states import session_id, window

from wedged.facts.ask import Ask, AskKind
from wedged.facts.session import MessageFacts, PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.trial import Lane, Observation, Outcome
from wedged.lab.bench import Prompted
from wedged.lab.probe import Probe
from wedged.lab.scenarios import w101_judgement as judge
from wedged.lab.scenarios import w101_look_alike_judgement as look_alikes
from wedged.lab.scenarios.w101_case_judgement import denied, waits
from wedged.lab.turns import Call, Script, Turn

CALL = Call("write", {"path": "/outside/x/a", "content": "made\n"})
PROMPTED = Prompted("ses_1", "/project", Script("x", (Turn(calls=(CALL,)),)), 0.0)
MESSAGE = "Stay inside."


def part(status: PartStatus, error: str = "") -> ToolPart:
    return ToolPart("p", "call_x_0_0", "msg_1", "ses_1", "write", status, {}, error=error)


def ask(action: str) -> Ask:
    return Ask("per_1", AskKind.PERMISSION, "ses_1", action, (), "call_x_0_0", "msg_1", "/project")


def request(t: float, words: str) -> Observation:
    return Observation(t, Lane.MODEL, "request", "ses_1", {"offers_tools": True, "new_text": words})


def scene(
    status: Status, one: ToolPart, *timeline: Observation, asks: tuple[Ask, ...] = (), made: bool = False
) -> judge.Scene:
    session = SessionFacts("ses_1", "/project", status, parts=(one,))
    return judge.Scene(PROMPTED, Probe(2.0, session, (), asks, (), (), 1, 0, ()), made, timeline)


IDLE = Observation(1.5, Lane.STATUS, "idle", "ses_1")


@pytest.mark.parametrize(("words", "read"), [
    (f"rejected with feedback: {MESSAGE}", Outcome.SYMPTOM),  # V1
    ("Unable to write /outside/x/a", Outcome.HEALED),  # V2
])  # fmt: skip
def test_a_decline_goes_on_whether_or_not_its_words_are_read(words: str, read: Outcome) -> None:
    seen = scene(Status.IDLE, part(PartStatus.ERROR, words), request(1.0, words), IDLE)
    goes_on, is_read = judge.cure(seen, judge.Cure("reject-message", 0.5, 1.0, "per_1", MESSAGE))
    assert (goes_on.outcome, is_read.outcome) == (Outcome.SYMPTOM, read)


def test_words_that_were_read_by_nobody_say_nothing_while_the_turn_waits() -> None:
    seen = scene(Status.BUSY, part(PartStatus.RUNNING), asks=(ask("external_directory"),))
    goes_on, is_read = judge.cure(seen, judge.Cure("reject-message", 0.5, None, "per_1", MESSAGE))
    assert (goes_on.outcome, is_read.outcome) == (Outcome.HEALED, Outcome.UNCLEAR)


@pytest.mark.parametrize(("action", "outcome"), [
    ("bash", Outcome.SYMPTOM),
    ("shell", Outcome.SYMPTOM),
    ("edit", Outcome.UNCLEAR),
])  # fmt: skip
def test_the_shells_rule_has_a_name_on_each_line(action: str, outcome: Outcome) -> None:
    seen = scene(Status.BUSY, part(PartStatus.RUNNING), asks=(ask(action),))
    (said,) = waits("rule-stays-busy", "bash", "shell")(seen)
    assert said.outcome is outcome


@pytest.mark.parametrize(("told", "outcome"), [
    ("Permission denied: external_directory", Outcome.SYMPTOM),
    ("done", Outcome.UNCLEAR),
])  # fmt: skip
def test_a_refusal_counts_as_told_by_the_calls_own_error(told: str, outcome: Outcome) -> None:
    error = "Permission denied: external_directory"
    (said,) = denied("deny-tells-the-model")(
        scene(Status.IDLE, part(PartStatus.ERROR, error), request(1.0, told), IDLE)
    )
    assert said.outcome is outcome


def sight(state: str, changed: SessionFacts, *timeline: Observation) -> look_alikes.Sight:
    seen = window(state).latest
    sessions = tuple(changed if s.id == changed.id else s for s in seen.sessions)
    prompted = Prompted(session_id(state), "/home/project", Script("x"), 0.0)
    return look_alikes.Sight(prompted, replace(seen, sessions=sessions), timeline)


def session(state: str) -> SessionFacts:
    found = window(state).latest.session(session_id(state))
    assert found is not None
    return found


def test_a_v2_whose_model_is_silent_has_the_prompt_as_its_newest_message() -> None:
    asked = Observation(0.1, Lane.MODEL, "request", data={"offers_tools": True})
    prompt = replace(session("silent"), newest=MessageFacts("msg_1", False, True, 1))
    assert look_alikes.model_silent(sight("silent", prompt, asked))
    assert not look_alikes.model_silent(sight("silent", prompt))
    answered = replace(prompt, newest=MessageFacts("msg_2", True, True, 1))
    assert not look_alikes.model_silent(sight("silent", answered, asked))


def test_a_v2_that_retries_says_that_it_runs() -> None:
    failed = Observation(0.2, Lane.MODEL, "end", data={"status": 429})
    running = replace(session("r429"), status=Status.BUSY)
    assert look_alikes.retries(sight("r429", running, failed))
    assert not look_alikes.retries(sight("r429", replace(running, retry=None), failed))
    assert not look_alikes.retries(sight("r429", replace(running, status=Status.IDLE), failed))
