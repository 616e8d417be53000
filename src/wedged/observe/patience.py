"""How long all the reads of one kind may take together: a slow list must not keep a look from the others."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

# Beside each request's own deadline. Far more than a healthy server needs for all its lists.
LONGEST_S = 30.0


@dataclass
class Patience:
    """`seconds` for each kind of read, counted from its first one and only while one is under way."""

    seconds: float = LONGEST_S
    now: Callable[[], float] = time.monotonic
    _spent: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def is_over(self, kind: str) -> bool:
        """Whether the reads of this kind have had all their time."""
        return self._spent[kind] >= self.seconds

    @contextmanager
    def spent_on(self, kind: str) -> Iterator[None]:
        """Count the time that passes inside, however it ends."""
        began = self.now()
        try:
            yield
        finally:
            self._spent[kind] += self.now() - began
