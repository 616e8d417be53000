"""The one place that waits: a condition, a deadline, and a sentence of what was awaited."""

import time
from collections.abc import Callable
from typing import TypeVar

from wedged.errors import DeadlinePassed

T = TypeVar("T")


def wait_for(condition: Callable[[], T | None], awaited: str, seconds: float, every: float = 0.02) -> T:
    """The first truthy answer of `condition`, asked at once and then each `every` seconds.

    Raises:
        DeadlinePassed: `seconds` went by without one; `awaited` is the sentence it carries.
    """
    answer = wait_until(condition, seconds, every)
    if answer is None:
        raise DeadlinePassed(awaited, seconds)
    return answer


def wait_until(condition: Callable[[], T | None], seconds: float, every: float = 0.2) -> T | None:
    """Like `wait_for`, and None after the deadline. For what may rightly take longer than anybody waits.

    It is asked one last time when the deadline has passed, so that a machine that slept through the
    deadline does not fail a condition that holds.
    """
    deadline = time.monotonic() + seconds
    while True:
        late = time.monotonic() >= deadline
        if answer := condition():
            return answer
        if late:
            return None
        time.sleep(min(every, max(deadline - time.monotonic(), 0.0)))


def pause(seconds: float) -> None:
    """Let others run, or time go by between two looks. For what cannot be written as a condition."""
    time.sleep(seconds)
