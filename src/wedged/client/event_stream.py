"""A server's event stream: followed in one thread, hung up on from another. The streams have no replay."""

import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

import httpx
import httpx_sse

from wedged.client.certificates import verified_by
from wedged.client.v1 import events as v1_events
from wedged.client.v2 import events as v2_events
from wedged.errors import BadAnswer, UnknownDialect
from wedged.facts.server import Line
from wedged.facts.trial import Lane

# Lane, kind, session id and data of one event; None for what is not an event.
Decode = Callable[[object], tuple[Lane, str, str, dict[str, object]] | None]

# How a stream ends: it is lost, and may be had again; or it is refused, and asking again changes nothing.
LOST: tuple[type[Exception], ...] = (httpx.TransportError, BadAnswer)
REFUSED: tuple[type[Exception], ...] = (httpx.HTTPStatusError, httpx_sse.SSEError)

# The servers send a heartbeat every 10 s (V1) or 15 s (V2). Three missed ones are a dead stream.
SILENCE_S = 45.0
_CONNECT_S = 10.0
_MAX_EVENT_BYTES = 64 * 2**20
_ENDS = (b"\n\n", b"\n\r\n")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An event that is not JSON, with the number of its characters."""

    size: int


def stream_of(line: Line) -> tuple[str, Decode]:
    """The route of a line's event stream, and what decodes its events.

    Raises:
        UnknownDialect: no stream of this line is known.
    """
    if line is Line.V1:
        return v1_events.ROUTE, v1_events.decode_event
    if line in (Line.V2_PREVIEW, Line.V2_RELEASED):
        return v2_events.ROUTE, v2_events.decode_event
    raise UnknownDialect(f"no event stream of {line.value} is known")


def directory_of(document: object) -> str:
    """The directory that an event belongs to, "" where it names none. A server has that one loaded."""
    if not isinstance(document, dict):
        return ""
    location = document.get("location")
    named = location.get("directory") if isinstance(location, dict) else document.get("directory")
    return named if isinstance(named, str) and PurePath(named).is_absolute() else ""


class EventStream:
    """One connection to the stream at `url` + `route`. `auth` goes into its request's header.

    Like `Transport` it knows no proxy and follows no redirect. Only `hang_up` may be called from another
    thread than the one that reads.
    """

    def __init__(self, url: str, route: str, auth: httpx.Auth | None = None) -> None:
        self._route = route
        self._client = httpx.Client(
            base_url=url,
            auth=auth,
            trust_env=False,
            verify=verified_by(url),
            headers={"Accept-Encoding": "identity", "User-Agent": "wedged"},
            timeout=httpx.Timeout(_CONNECT_S, read=SILENCE_S),
        )
        self._response: httpx.Response | None = None
        self._hung_up = False

    def documents(self) -> Iterator[object | Unreadable]:
        """Each event's JSON document, until the server ends the stream. May be called again after that.

        Raises:
            One of `LOST`: no connection, a broken one, silence for `SILENCE_S` seconds, or (`BadAnswer`) a
                single event of more than 64 MiB.
            One of `REFUSED`: an error status, or no event stream.
        """
        with httpx_sse.connect_sse(self._client, "GET", self._route) as source:
            source.response.raise_for_status()
            self._response = source.response
            if self._hung_up:
                return
            source.response.stream = _Bounded(source.response.stream, self._route)
            for event in source.iter_sse():
                try:
                    yield json.loads(event.data)
                except (ValueError, RecursionError):
                    yield Unreadable(len(event.data))

    def hang_up(self) -> None:
        """End the stream that another thread is reading, so that its read returns at once. For good."""
        self._hung_up = True
        # `Response.close` must not be called from outside the reading thread; shutting the socket down may.
        stream = self._response.extensions.get("network_stream") if self._response else None
        raw = stream.get_extra_info("socket") if stream is not None else None
        if raw is not None:
            try:
                raw.shutdown(socket.SHUT_RDWR)
            except OSError:
                return

    def close(self) -> None:
        """Close the connection, after the reading thread has ended."""
        self._client.close()


class _Bounded(httpx.SyncByteStream):
    """A body in which no event fills the memory."""

    def __init__(self, inner: object, route: str) -> None:
        self._inner = inner
        self._route = route

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._inner:  # type: ignore[attr-defined]
            end = max(chunk.rfind(mark) for mark in _ENDS)
            size = len(chunk) - end if end >= 0 else size + len(chunk)
            if size > _MAX_EVENT_BYTES:
                raise BadAnswer(
                    f"GET {self._route} sends an event of more than {_MAX_EVENT_BYTES // 2**20} MiB"
                )
            yield chunk

    def close(self) -> None:
        close = getattr(self._inner, "close", None)
        if close is not None:
            close()
