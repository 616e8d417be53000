"""Several reads under way at once, their results in order."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn, TypeVar

S = TypeVar("S")
T = TypeVar("T")

# A server answers this many in less than half the time that it takes for one after another.
AT_ONCE = 8


def read_at_once(read: Callable[[S], T], of: Sequence[S]) -> list[Callable[[], T]]:
    """Read of each, at most `AT_ONCE` at a time; what comes back, called, gives what was read, or raises what
    that read raised."""
    if len(of) < 2:
        return [partial(read, one) for one in of]
    found: dict[int, Callable[[], T]] = {}
    left = iter(range(len(of)))
    turn = threading.Lock()

    def work() -> None:
        while True:
            with turn:
                at = next(left, None)
            if at is None:
                return
            found[at] = _kept(read, of[at])

    # Daemons: after Ctrl-C nobody waits for what is still under way.
    workers = [threading.Thread(target=work, daemon=True) for _ in range(min(AT_ONCE, len(of)))]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            worker.join()
    except BaseException:
        with turn:
            left = iter(())
        raise
    return [found[at] for at in range(len(of))]


def _kept(read: Callable[[S], T], one: S) -> Callable[[], T]:
    try:
        got = read(one)
    except Exception as error:
        return partial(_raise, error)
    return lambda: got


def _raise(error: Exception) -> NoReturn:
    raise error
