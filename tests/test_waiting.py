"""Waiting is a condition with a deadline that says what it waited for."""

import pytest

from wedged.errors import DeadlinePassed
from wedged.waiting import wait_for


def test_the_first_truthy_answer_is_returned() -> None:
    answers = iter([None, 0, "", "there"])
    assert wait_for(lambda: next(answers), "an answer", 5.0, every=0.001) == "there"


def test_a_passed_deadline_says_what_was_awaited() -> None:
    with pytest.raises(DeadlinePassed, match=r"waited 0.02 s for the moon to rise"):
        wait_for(lambda: None, "the moon to rise", 0.02)


def test_a_condition_that_holds_is_found_even_after_the_deadline() -> None:
    answers = iter([False, True])
    assert wait_for(lambda: next(answers), "a second look", 0.01, every=60.0)
