"""Ending processes until none is left, however fast they fork."""

import math
import signal
import time
from collections.abc import Callable, Iterable

from wedged.lab import process_table
from wedged.lab.process_table import Key, Running


def end(
    members: Callable[[], Iterable[Running]],
    *,
    grace: float,
    pause: Callable[[bool], object],
    none_left: Callable[[], bool] = lambda: True,
    give_up: float = math.inf,
) -> set[Key]:
    """End whatever `members` names, asking it again until it names nothing alive. Returns who was signalled.

    Each process gets SIGTERM once; what is left after `grace` seconds (or is born then) gets SIGKILL.
    Processes of another user that may not be signalled are left alone. `pause` is called between looks, with
    True once SIGKILL is in use; it is where a parent reaps. A look can miss what forks and exits meanwhile:
    an empty one counts only when `none_left` agrees.

    Raises:
        OSError: something still lives `give_up` seconds after the grace.
    """
    told: set[Key] = set()
    untouchable: set[Key] = set()
    deadline = time.monotonic() + grace
    while True:
        found = [process for process in members() if not process.dead]
        left = [process for process in found if process.key not in untouchable]
        if not left and (found or none_left()):
            return told - untouchable
        late = time.monotonic() >= deadline
        if time.monotonic() >= deadline + give_up:
            raise OSError(f"{len(left)} processes can't be ended")
        for process in left:
            if late or process.key not in told:
                told.add(process.key)
                try:
                    process_table.send(process, signal.SIGKILL if late else signal.SIGTERM)
                except PermissionError:
                    untouchable.add(process.key)
        pause(late)
