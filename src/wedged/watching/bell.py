"""What a watch waits on: rung by events, or by time going by. A test brings its own."""

import threading
import time
from dataclasses import dataclass
from typing import Protocol

# How many directories are kept between two looks; more would be named only by a server that wants harm.
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Heard:
    """What was heard since the last time: the `directories` that spoke and those that were `disposed` of,
    whether a look is called for (`rung`), and whether the stream has ended (`over`)."""

    directories: frozenset[str] = frozenset()
    disposed: frozenset[str] = frozenset()
    rung: bool = False
    over: bool = False


class Bell(Protocol):
    """Time and events, for the one who waits."""

    def now(self) -> float:
        """Seconds on a clock that never goes back."""

    def wait(self, seconds: float) -> Heard:
        """Until a look is called for or the stream has ended, at most `seconds`. Empties what was heard."""

    def pause(self, seconds: float) -> None:
        """Let `seconds` go by, whatever is heard; it is kept for `wait`."""


class DoorBell:
    """A `Bell` that another thread rings."""

    def __init__(self) -> None:
        self._ring = threading.Condition()
        self._directories: set[str] = set()
        self._disposed: set[str] = set()
        self._rung = self._over = False

    def now(self) -> float:
        """See `Bell.now`."""
        return time.monotonic()

    def wait(self, seconds: float) -> Heard:
        """See `Bell.wait`."""
        with self._ring:
            self._ring.wait_for(lambda: self._rung or self._over, max(seconds, 0.0))
            heard = Heard(frozenset(self._directories), frozenset(self._disposed), self._rung, self._over)
            self._directories.clear()
            self._disposed.clear()
            self._rung = self._over = False
        return heard

    def pause(self, seconds: float) -> None:
        """See `Bell.pause`."""
        deadline = self.now() + seconds
        with self._ring:
            self._ring.wait_for(lambda: self.now() >= deadline, max(seconds, 0.0))

    def ring(self, directory: str = "", *, disposed: str = "", look: bool = True) -> None:
        """Something was heard of `directory`; `disposed` was unloaded. `look`: it calls for a look."""
        with self._ring:
            if directory and len(self._directories) < _MOST:
                self._directories.add(directory)
            if disposed and len(self._disposed) < _MOST:
                self._disposed.add(disposed)
            self._rung |= look
            if look:
                self._ring.notify_all()

    def end(self) -> None:
        """The stream has ended."""
        with self._ring:
            self._over = True
            self._ring.notify_all()
