"""The recording proxy before a held server, and what is left to do once a client has seen the ask."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from wedged.errors import LabError
from wedged.lab.background import Background
from wedged.lab.bench import Bench
from wedged.lab.conformance import RecordingProxy
from wedged.lab.holding.bringing import Brought


class _LateEnd(Background):
    """Finishes the state once its ask was read, in a thread of its own, and keeps replies waiting till then.

    So a client meets what a user does: the dialog is there, and by the time it is answered the ask is gone.
    """

    def __init__(self, brought: Brought) -> None:
        super().__init__("end of the ask", self._work)
        self._brought = brought
        self._wanted = frozenset(ask.id for ask in brought.scene.asks)
        self._seen, self._closing, self._over = threading.Event(), threading.Event(), threading.Event()
        self.failed = ""

    def on_ids(self, ids: frozenset[str]) -> None:
        """An answer is about to bring the client these."""
        if ids & self._wanted:
            self._seen.set()

    def before_reply(self) -> None:
        """A reply is about to be passed on."""
        if self._seen.is_set():
            self._over.wait()

    def tell_to_end(self) -> None:
        """Wait for no client any more."""
        self._closing.set()
        self._seen.set()

    def _work(self) -> None:
        try:
            self._seen.wait()
            if not self._closing.is_set():
                self._brought.finish()
        except Exception as error:  # raised again where the block ends
            self.failed = str(error) or type(error).__name__
        finally:
            self._over.set()


@contextmanager
def observed(bench: Bench, brought: Brought, port: int) -> Iterator[RecordingProxy]:
    """A recording proxy before the bench's server, until the end of the block; its clock starts here. `port`
    0 takes a free one.

    Raises:
        LabError: somebody else has `port`; or what was left to do of the state failed.
    """
    late, began = _LateEnd(brought), bench.timeline.now()
    with (
        late,
        RecordingProxy(
            bench.server.url,
            lambda: bench.timeline.now() - began,
            port=port,
            on_ids=late.on_ids,
            before_reply=late.before_reply,
        ) as proxy,
    ):
        yield proxy
    if late.failed:
        raise LabError(f"the ask could not be taken away: {late.failed}")
