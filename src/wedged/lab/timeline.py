"""One clock, one list: every observation of a lab run, in the order in which it was made."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from wedged.errors import DeadlinePassed
from wedged.facts.trial import Lane, Observation


class Timeline:
    """Thread-safe and append-only. Times are seconds on one monotonic clock that starts with the timeline.

    Whoever waits is woken by the observation itself, not by a timer.
    """

    def __init__(self) -> None:
        self._origin = time.monotonic()
        self._changed = threading.Condition()
        self._all: list[Observation] = []
        self._by_subject: defaultdict[str, list[Observation]] = defaultdict(list)

    def now(self) -> float:
        """Seconds since the timeline began."""
        return time.monotonic() - self._origin

    def add(self, lane: Lane, kind: str, subject: str = "", **data: object) -> Observation:
        """Record one fact, timed now."""
        with self._changed:
            observation = Observation(self.now(), lane, kind, subject, data)
            self._all.append(observation)
            self._by_subject[subject].append(observation)
            self._changed.notify_all()
            return observation

    def of(self, subject: str) -> tuple[Observation, ...]:
        """Everything recorded about one session so far, oldest first."""
        with self._changed:
            return tuple(self._by_subject.get(subject, ()))

    def everything(self) -> tuple[Observation, ...]:
        """Every observation so far, oldest first."""
        with self._changed:
            return tuple(self._all)

    def count(self) -> int:
        """How many observations there are."""
        with self._changed:
            return len(self._all)

    def find(
        self, subject: str, matches: Callable[[Observation], bool], after: float = 0.0
    ) -> Observation | None:
        """The first observation of `subject` later than `after` seconds that matches, if there is one yet."""
        with self._changed:
            seen = self._by_subject.get(subject, ())
            return next((o for o in seen if o.t > after and matches(o)), None)

    def watch(
        self, subject: str, matches: Callable[[Observation], bool], seconds: float, after: float = 0.0
    ) -> Observation | None:
        """Wait up to `seconds` for a matching observation. None: the whole time passed without one."""
        return self._watch(lambda: self._by_subject[subject], matches, seconds, after)

    def watch_all(
        self, matches: Callable[[Observation], bool], seconds: float, after: float = 0.0
    ) -> Observation | None:
        """Like `watch`, whatever the subject: for sessions whose ids are not known beforehand."""
        return self._watch(lambda: self._all, matches, seconds, after)

    def _watch(
        self,
        observations: Callable[[], list[Observation]],
        matches: Callable[[Observation], bool],
        seconds: float,
        after: float,
    ) -> Observation | None:
        """Each observation is looked at once, however often others wake who waits."""
        deadline = time.monotonic() + seconds
        looked = 0
        with self._changed:
            while True:
                so_far = observations()
                for observation in so_far[looked:]:
                    if observation.t > after and matches(observation):
                        return observation
                looked = len(so_far)
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                self._changed.wait(left)

    def wait_for(
        self,
        subject: str,
        matches: Callable[[Observation], bool],
        awaited: str,
        seconds: float,
        after: float = 0.0,
    ) -> Observation:
        """Like `watch`, where going without is an error.

        Raises:
            DeadlinePassed: no matching observation came; `awaited` says of what.
        """
        found = self.watch(subject, matches, seconds, after)
        if found is None:
            raise DeadlinePassed(awaited, seconds)
        return found

    @contextmanager
    def call(self, subject: str, what: str) -> Iterator[None]:
        """Put a request of ours on the client lane, with how it ended."""
        self.add(Lane.CLIENT, what, subject)
        try:
            yield
        except Exception as error:
            self.add(Lane.CLIENT, f"{what} failed", subject, error=type(error).__name__)
            raise


def since(observations: tuple[Observation, ...], origin: float) -> tuple[Observation, ...]:
    """The same observations by time, counted from `origin` (seconds on the same clock)."""
    moved = (replace(o, t=round(o.t - origin, 6)) for o in observations)
    return tuple(sorted(moved, key=lambda o: o.t))


def is_over(o: Observation) -> bool:
    """The server says that the turn is over."""
    return o.lane is Lane.STATUS and o.kind == "idle"
