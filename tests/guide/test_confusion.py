"""What doctor said beside what it ought to have said."""

from dataclasses import replace

from wedged.facts.opinion import as_values, opinions
from wedged.facts.trial import Check, ClaimOutcome, Outcome, Trial
from wedged.guide.confusion import confusion_page, wrong_ones

NAMES = (("W101", "W101-ungated-external-ask"),)


def trial(arm: str, n: int, expected: list[str], said: list[str], *, valid: bool = True) -> Trial:
    outcome = ClaimOutcome("W101.x", Outcome.SYMPTOM, "", as_values(expected, said))
    return Trial("W101", "v1@1.17.18", arm, n, (Check("rule", valid),), (outcome,), 1.0)


RIGHT = (trial("trigger", 1, ["W101"], ["W101"]), trial("like-slow", 1, [], []))
WRONG = trial("like-slow", 2, [], ["W101"])


def test_what_is_right_stands_in_its_own_column() -> None:
    page = confusion_page(opinions(RIGHT), NAMES)
    assert wrong_ones(opinions(RIGHT)) == ()
    assert "| held state | server | expected | W101 | nothing |" in page
    assert "#raw-v1-1-17-18-like-slow) | v1@1.17.18 | nothing |  | 1 |" in page
    assert "right in 2" in page
    assert "✗" not in page


def test_what_is_wrong_is_marked_and_said_in_a_sentence() -> None:
    found = opinions((*RIGHT, WRONG))
    page = confusion_page(found, NAMES)
    sentence = "W101 like-slow 2 on v1@1.17.18: expected nothing, doctor said W101"
    assert wrong_ones(found) == (sentence,)
    assert sentence in page
    assert "| nothing | **1 ✗** | 1 |" in page


def test_an_invalid_trial_and_one_that_asked_no_doctor_have_no_opinion() -> None:
    silent = replace(RIGHT[0], outcomes=(ClaimOutcome("W101.x", Outcome.SYMPTOM, ""),))
    assert opinions((trial("trigger", 1, ["W101"], [], valid=False), silent)) == ()
    assert "no look of doctor" in confusion_page((), NAMES)
