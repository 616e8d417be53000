"""The server's event stream on the timeline, with every gap in it shown."""

import json
import socket
import threading
from collections.abc import Callable

import httpx
import httpx_sse

from wedged.facts.trial import Lane
from wedged.lab.background import Background
from wedged.lab.timeline import Timeline
from wedged.waiting import wait_for

Decode = Callable[[object], tuple[Lane, str, str, dict[str, object]] | None]

# The servers send a heartbeat every 10 s (V1) or 15 s (V2). Three missed ones are a dead stream.
_SILENCE_S = 45.0
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
        self._route = route
        self._decode = decode
        self._timeline = timeline
        self._client = httpx.Client(
            base_url=url, auth=auth, trust_env=False, timeout=httpx.Timeout(10, read=_SILENCE_S)
        )
        self._closing = threading.Event()
        self._expected = threading.Event()
        self._over = threading.Event()
        self._connected = threading.Event()
        self._in_gap = False
        self._response: httpx.Response | None = None

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
        # Shutting the socket down from here is what wakes a thread that waits for the next event.
        if self._response is not None:
            shut_down(self._response)

    def let_go(self) -> None:
        """Close the pool."""
        self._client.close()

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
            except (httpx.HTTPStatusError, httpx_sse.SSEError) as error:
                self._timeline.add(Lane.RECORDER, "refused", error=type(error).__name__)
                return
            except httpx.TransportError as error:
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
        with httpx_sse.connect_sse(self._client, "GET", self._route) as source:
            source.response.raise_for_status()
            self._response = source.response
            for event in source.iter_sse():
                if self._in_gap:
                    self._in_gap = False
                    self._timeline.add(Lane.RECORDER, "gap ends")
                self._connected.set()
                try:
                    document = json.loads(event.data)
                except (ValueError, RecursionError):
                    self._timeline.add(Lane.RECORDER, "unreadable event", size=len(event.data))
                    continue
                self.heard(document)


class DeafRecorder(Recorder):
    """A recorder that drops everything it hears: one of the dead-man's three."""

    def heard(self, document: object) -> None:
        """Nothing."""


def shut_down(response: httpx.Response) -> None:
    """Close a streamed response that another thread is reading, so that its read returns at once.

    `Response.close` must not be called from outside the reading thread; shutting the socket down may.
    """

    stream = response.extensions.get("network_stream")
    raw = stream.get_extra_info("socket") if stream is not None else None
    if raw is not None:
        try:
            raw.shutdown(socket.SHUT_RDWR)
        except OSError:
            return
