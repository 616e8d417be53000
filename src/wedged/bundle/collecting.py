"""Collectors, each with a deadline of its own. What one has read when it is stopped, or fails, is kept."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wedged.bundle.contents import BundleGap, Collected
from wedged.errors import WedgedError


class _TooLate(Exception):
    """Raised in a collector whose deadline has passed, where it next wants to keep something."""


class Basket:
    """What one collector has read so far: pieces by the name of the file they go into, and gaps.

    A piece is a text or a JSON-like tree. Safe from several threads. Once closed, `add` and `gap` raise,
    which ends a collector that has run past its deadline.
    """

    def __init__(self, collector: str) -> None:
        self._collector = collector
        self._pieces: dict[str, object] = {}
        self._gaps: list[BundleGap] = []
        self._lock = threading.Lock()
        self._closed = False

    def add(self, name: str, piece: object) -> None:
        """Keep `piece`; a second one of this name takes the place of the first."""
        with self._lock:
            self._refuse_late()
            self._pieces[name] = piece

    def gap(self, what: str, why: str) -> None:
        """Say that something could not be read."""
        with self._lock:
            self._refuse_late()
            self._gaps.append(BundleGap(self._collector, what, why))

    def close(self) -> tuple[dict[str, object], list[BundleGap]]:
        """All that was kept. Nothing can be added any more."""
        with self._lock:
            self._closed = True
            return self._pieces, self._gaps

    def _refuse_late(self) -> None:
        if self._closed:
            raise _TooLate


@dataclass(frozen=True, slots=True)
class Collector:
    """`work` fills a basket within `seconds`."""

    name: str
    seconds: float
    work: Callable[[Basket], None]


@dataclass
class Harvest:
    """What all collectors brought."""

    pieces: dict[str, object] = field(default_factory=dict)
    gaps: list[BundleGap] = field(default_factory=list)
    collectors: list[Collected] = field(default_factory=list)


def collect(collectors: Sequence[Collector]) -> Harvest:
    """Run them one after the other.

    A collector that raises or does not end in time is a gap; the others go on. One that hangs is left behind
    in a thread that does not keep the process alive.
    """
    harvest = Harvest()
    for one in collectors:
        _run(one, harvest)
    return harvest


def _run(one: Collector, harvest: Harvest) -> None:
    basket = Basket(one.name)
    failed: list[BundleGap] = []

    def work() -> None:
        try:
            one.work(basket)
        except _TooLate:
            pass
        except WedgedError as error:
            failed.append(BundleGap(one.name, "the rest of it", str(error)))
        except Exception as error:
            why = f"the collector itself failed: {type(error).__name__}: {error}"
            failed.append(BundleGap(one.name, "the rest of it", why))

    began = time.monotonic()
    thread = threading.Thread(target=work, name=f"collect {one.name}", daemon=True)
    thread.start()
    thread.join(one.seconds)
    pieces, gaps = basket.close()
    late = thread.is_alive()
    if late:
        failed.append(BundleGap(one.name, "the rest of it", f"not done within {one.seconds:g} s"))
    harvest.pieces |= pieces
    harvest.gaps += [*gaps, *failed]
    state = "complete" if not (gaps or failed) else "partial" if pieces else "nothing"
    harvest.collectors.append(Collected(one.name, state, round(time.monotonic() - began, 3)))
