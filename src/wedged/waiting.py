"""The one place that waits: a condition, a deadline, and a sentence of what was awaited."""

import time
from collections.abc import Callable
from typing import TypeVar

from wedged.errors import DeadlinePassed

T = TypeVar("T")

# A look often reads the table of processes or asks a server. The longer it has been waited, the less does it
# matter to learn of the end at once: a twentieth of the wait later, half a second at most.
_LATER, _LATEST_S = 1 / 20, 0.5


def wait_for(condition: Callable[[], T | None], awaited: str, seconds: float, every: float = 0.02) -> T:
    """The first truthy answer of `condition`, asked at once and then each `every` seconds, in a longer wait
    less often: each twentieth of the time so far, up to half a second.

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
    began = time.monotonic()
    deadline = began + seconds
    while True:
        late = time.monotonic() >= deadline
        if answer := condition():
            return answer
        if late:
            return None
        now = time.monotonic()
        interval = max(every, min((now - began) * _LATER, _LATEST_S))
        time.sleep(min(interval, max(deadline - now, 0.0)))


def pause(seconds: float) -> None:
    """Let others run, or time go by between two looks. For what cannot be written as a condition."""
    time.sleep(seconds)
