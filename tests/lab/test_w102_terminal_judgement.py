"""W102 on a terminal that was told to reload: the ghost on its screen, and the port that is left alone."""

from dataclasses import replace

import pytest

from wedged.catalog import by_code
from wedged.facts.ask import Ask, AskKind
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.trial import Outcome
from wedged.lab.bench import Prompted
from wedged.lab.scenarios import w102_terminal_judgement as judge
from wedged.lab.scenarios.w102_stage import Sight
from wedged.lab.scenarios.w102_terminal_judgement import Screen
from wedged.lab.turns import Script

CALL = ToolPart("prt", "call_t_0_0", "msg", "ses", "write", PartStatus.RUNNING, {})
ABORTED = replace(CALL, status=PartStatus.ERROR, error="Tool execution aborted")
ASK = Ask("per", AskKind.PERMISSION, "ses", "write", (), "call_t_0_0", "msg", "/d")
BUSY = SessionFacts("ses", "/d", Status.BUSY, parts=(CALL,))
WAITS = Sight(2.0, Prompted("ses", "/d", Script("t"), 0.0), BUSY, Status.BUSY, (ASK,), False, ())


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (Screen(ABORTED, shown=True, ran=False, still_shown=True), Outcome.SYMPTOM),
        (Screen(ABORTED, shown=False, ran=False, still_shown=False), Outcome.HEALED),
        (Screen(CALL, shown=True, ran=True, still_shown=False), Outcome.HEALED),
        (Screen(CALL, shown=True, ran=False, still_shown=True), Outcome.UNCLEAR),
        (Screen(None, shown=True, ran=False, still_shown=True), Outcome.UNCLEAR),
        (Screen(ABORTED, shown=True, ran=False, still_shown=False), Outcome.UNCLEAR),
    ],
)
def test_a_dialog_on_a_screen(seen: Screen, expected: Outcome) -> None:
    (made,) = judge.on_screen(seen)
    assert made.outcome is expected
    assert by_code("W102").claim(made.claim).arm == "sigusr2"


def test_a_terminal_that_listens() -> None:
    gone = replace(WAITS, listed=())
    for seen, reply, expected in (
        (WAITS, 200, Outcome.SYMPTOM),
        (WAITS, 404, Outcome.UNCLEAR),
        (gone, 404, Outcome.HEALED),
    ):
        (made,) = judge.listening(seen, ASK, 1.0, reply, "ran to its end")
        assert made.outcome is expected
        assert (made.values["reply"], made.values["bystander"]) == (reply, "ran to its end")
    assert by_code("W102").claim(made.claim).arm == "sigusr2-port"
