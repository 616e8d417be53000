"""The server's event stream on the timeline, with every gap in it shown."""

import threading

import httpx

from wedged.client.event_stream import LOST, REFUSED, Decode, EventStream, Unreadable
from wedged.facts.trial import Lane
from wedged.lab.background import Background
from wedged.lab.timeline import Timeline
from wedged.waiting import wait_for

_RETRY_S = 0.2


class Recorder(Background):
    """Follows one event stream in a thread of its own from `start` until `close`.

    The streams have no replay: what happens while the connection is down is lost. So a lost connection is put
    on the recorder lane (``gap begins``, ``gap ends``), and a trial whose time overlaps a gap is not valid.
    An end of the stream that was announced by `expect_end` is put there as ``stream ends``, and is no gap.
    """

    def __init__(
        self, url: str, route: str, decode: Decode, timeline: Timeline, auth: httpx.Auth | None = None
    ) -> None:
        super().__init__("recorder", self._follow)
        self._decode = decode
        self._timeline = timeline
        self._stream = EventStream(url, route, auth)
        self._closing = threading.Event()
        self._expected = threading.Event()
        self._over = threading.Event()
        self._connected = threading.Event()
        self._in_gap = False

    def await_ready(self) -> None:
        """Until the first event has come; both lines send one at once."""
        wait_for(self._connected.is_set, "the first event of the server's stream", 10)

    def expect_end(self) -> None:
        """From now on the end of the stream is what the experiment wants, and the recorder ends with it."""
        self._expected.set()

    def wait_end(self, seconds: float) -> None:
        """Until the stream of a server that was ended has come to its end.

        Raises:
            DeadlinePassed: it is still open after `seconds`.
        """
        wait_for(self._over.is_set, "the ended server's event stream to end", seconds)

    def tell_to_end(self) -> None:
        """Hang up."""
        self._closing.set()
        self._stream.hang_up()

    def let_go(self) -> None:
        """Close the pool."""
        self._stream.close()

    def heard(self, document: object) -> None:
        """Put one event on the timeline. A recorder with other ears overrides this."""
        decoded = self._decode(document)
        if decoded:
            lane, kind, subject, data = decoded
            self._timeline.add(lane, kind, subject, **data)

    def _follow(self) -> None:
        try:
            self._follow_until_closed()
        finally:
            self._over.set()

    def _follow_until_closed(self) -> None:
        while not self._closing.is_set():
            try:
                self._read()
                lost = "the server ended the stream"
            except REFUSED as error:
                self._timeline.add(Lane.RECORDER, "refused", error=type(error).__name__)
                return
            except LOST as error:
                lost = type(error).__name__
            if self._closing.is_set():
                return
            if self._expected.is_set():
                self._timeline.add(Lane.RECORDER, "stream ends", why=lost)
                return
            if not self._in_gap:
                self._in_gap = True
                self._timeline.add(Lane.RECORDER, "gap begins", why=lost)
            # A server that restarts is back within a second or two; `close` need not wait for the next try.
            self._closing.wait(_RETRY_S)

    def _read(self) -> None:
        for document in self._stream.documents():
            if self._in_gap:
                self._in_gap = False
                self._timeline.add(Lane.RECORDER, "gap ends")
            self._connected.set()
            if isinstance(document, Unreadable):
                self._timeline.add(Lane.RECORDER, "unreadable event", size=document.size)
                continue
            self.heard(document)


class DeafRecorder(Recorder):
    """A recorder that drops everything it hears: one of the dead-man's three."""

    def heard(self, document: object) -> None:
        """Nothing."""
