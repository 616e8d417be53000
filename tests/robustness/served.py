"""A server made of answers, some of them broken in transit; it takes down what it was sent."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import httpx
from hypothesis import strategies as st

from .mutation import written

# What a bad end of an exchange is, by a name that a failing test can print.
_RAISED = {
    "read timeout": httpx.ReadTimeout("late"),
    "no connection": httpx.ConnectError("[Errno 111] Connection refused"),
    "hung up": httpx.RemoteProtocolError("Server disconnected without sending a response."),
    "no HTTP": httpx.RemoteProtocolError("illegal status line"),
    "reset": httpx.ReadError("reset"),
}
_BODIES = (b"", b"\xff\xfe", b"<!doctype html><p>hello", b"[", b"null", b"{}", b"[]", b"0" * 70_000_000)
_TYPES = ("", "text/html", "application/json; charset=utf-16", "application/problem+json", "\x07")


@dataclass(frozen=True)
class Fault:
    """What becomes of the answers whose place among the routes is `route`, modulo how many there are."""

    route: int
    status: int = 200
    kind: str = "application/json"
    body: bytes | None = None
    cut: int | None = None
    raises: str = ""


def faults() -> st.SearchStrategy[list[Fault]]:
    """At most two, usually none."""
    route = st.integers(0, 40)
    one = st.one_of(
        st.builds(Fault, route, status=st.sampled_from((204, 301, 302, 400, 401, 404, 409, 418, 500, 503))),
        st.builds(Fault, route, kind=st.sampled_from(_TYPES)),
        st.builds(Fault, route, body=st.one_of(st.sampled_from(_BODIES), st.binary(max_size=200))),
        st.builds(Fault, route, cut=st.integers(0, 2000)),
        st.builds(Fault, route, raises=st.sampled_from(tuple(_RAISED))),
    )
    return st.one_of(st.just([]), st.just([]), st.lists(one, max_size=2))


class _Body(httpx.SyncByteStream):
    def __init__(self, content: bytes) -> None:
        self._content = content

    def __iter__(self) -> Iterator[bytes]:
        yield self._content


@dataclass
class Served:
    """Answers by path. From the second request of a path on, `later` counts where it has one. An id that is
    in no path is answered as the sample's own is."""

    answers: Mapping[str, Any]
    later: Mapping[str, Any] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._shapes = {_shape(path): path for path in self.answers}
        self._asked: set[str] = set()
        paths = list(self.answers)
        self._faults = {paths[fault.route % len(paths)]: fault for fault in self.faults}

    def handle(self, request: httpx.Request) -> httpx.Response:
        """One answer."""
        self.seen.append(request.method)
        path, params = request.url.path, request.url.params
        where = params.get("directory") or params.get("location[directory]")
        named = f"{path}?{where}" if where else path
        known = next(
            (one for one in (named, path) if one in self.answers), self._shapes.get(_shape(path), "")
        )
        if not known:
            return _response(404, "application/json", b'{"name":"NotFoundError"}')
        answers = self.later if known in self._asked and known in self.later else self.answers
        self._asked.add(known)
        fault = self._faults.get(known, Fault(0))
        if fault.raises:
            raise _RAISED[fault.raises]
        body = written(answers[known]) if fault.body is None else fault.body
        return _response(fault.status, fault.kind, body[: fault.cut])


@contextmanager
def in_place_of_the_network(served: Served) -> Iterator[None]:
    """Every client that is made meanwhile talks to `served`."""

    def transport(deadline: object, *, verify: object) -> httpx.MockTransport:
        return httpx.MockTransport(served.handle)

    with patch("wedged.client.transport.DeadlineTransport", transport):
        yield


def _response(status: int, kind: str, body: bytes) -> httpx.Response:
    headers = [(b"content-type", kind.encode()), (b"location", b"http://elsewhere.invalid/\x1b")]
    return httpx.Response(status, headers=headers, stream=_Body(body))


def _shape(path: str) -> str:
    return re.sub(r"/(session|form)/(?!status$|active$)[^/]*", r"/\1/*", path)
