"""The one place that waits: a condition, a deadline, and a sentence of what was awaited."""

import time
from collections.abc import Callable
from typing import TypeVar

from wedged.errors import DeadlinePassed

T = TypeVar("T")


def wait_for(condition: Callable[[], T | None], awaited: str, seconds: float, every: float = 0.02) -> T:
    """The first truthy answer of `condition`, asked at once and then each `every` seconds.

    It is asked one last time when the deadline has passed, so that a machine that slept through the
    deadline does not fail a condition that holds.

    Raises:
        DeadlinePassed: `seconds` went by without one; `awaited` is the sentence it carries.
    """
    deadline = time.monotonic() + seconds
    while True:
        late = time.monotonic() >= deadline
        if answer := condition():
            return answer
        if late:
            raise DeadlinePassed(awaited, seconds)
        time.sleep(min(every, max(deadline - time.monotonic(), 0.0)))


def pause(seconds: float) -> None:
    """Let others run. For loops that have their own end condition and cannot be written as `wait_for`."""
    time.sleep(seconds)
