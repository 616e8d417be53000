"""The recording proxy before a server that a test made: what passes, what is kept, and what is not."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from wedged.errors import LabError
from wedged.lab.conformance import RecordingProxy
from wedged.lab.timeline import Timeline
from wedged.lab.web_server import WebServer
from wedged.waiting import wait_for

from .records import ASK, PARENT, SHELL

PASSWORD = "canary-of-a-password"
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]


class Upstream:
    """Echoes what it got; `/event` streams until `go_on` and `end` are set, in pieces that cut an id."""

    def __init__(self) -> None:
        self.go_on, self.end, self.left = threading.Event(), threading.Event(), threading.Event()
        routes = [
            Route("/event", self.stream),
            Route("/broken", self.broken),
            Route("/nothing", self.nothing, methods=METHODS),
            Route("/{rest:path}", self.echo, methods=METHODS),
        ]
        self.server = WebServer("upstream", Starlette(routes=routes))

    async def echo(self, request: Request) -> Response:
        body = await request.body()
        seen = {
            "method": request.method,
            "raw": request.scope["raw_path"].decode(),
            "query": request.url.query,
            "headers": dict(request.headers.items()),
            "body": body.decode(),
        }
        headers = {"x-answer": "kept", "set-cookie": "one=1"}
        return JSONResponse(seen, 404 if ASK in request.url.path else 200, headers)

    async def nothing(self, request: Request) -> Response:
        return Response(status_code=204)

    async def stream(self, request: Request) -> Response:
        async def pieces() -> AsyncIterator[str]:
            import asyncio

            try:
                yield f'data: {{"id":"{ASK[:9]}'
                await asyncio.to_thread(self.go_on.wait, 10)
                yield f'{ASK[9:]}"}}\n\n'
                while not self.end.is_set():
                    yield ": heartbeat\n\n"
                    await asyncio.sleep(0.02)
            finally:
                self.left.set()

        return StreamingResponse(pieces(), media_type="text/event-stream")

    async def broken(self, request: Request) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            yield b'{"begun'
            raise ConnectionAbortedError

        return StreamingResponse(pieces(), headers={"content-length": "100"})


@contextmanager
def proxied(**more: object) -> Iterator[tuple[RecordingProxy, Upstream, httpx.Client]]:
    upstream = Upstream()
    try:
        with (
            upstream.server as server,
            RecordingProxy(f"http://127.0.0.1:{server.port}", Timeline().now, **more) as proxy,  # type: ignore[arg-type]
            httpx.Client(base_url=proxy.url, trust_env=False, timeout=10) as client,
        ):
            yield proxy, upstream, client
    finally:
        upstream.go_on.set()
        upstream.end.set()


def test_a_request_passes_as_it_is_and_little_of_it_is_kept() -> None:
    with proxied() as (proxy, _, client):
        auth = httpx.BasicAuth("opencode", PASSWORD)
        path = f"/session/{PARENT}/a%2Fb%20c?directory=%2Fd&auth_token={PASSWORD}"
        got = client.post(path, auth=auth, json={"text": PASSWORD, "x": SHELL}, headers={"x-own": "1"})
        seen = got.json()
        assert (seen["raw"], seen["query"]) == (path.partition("?")[0], path.partition("?")[2])
        assert seen["headers"]["authorization"].startswith("Basic ")
        assert (seen["headers"]["x-own"], seen["headers"]["content-type"]) == ("1", "application/json")
        assert seen["headers"]["host"] == proxy._server_url.removeprefix("http://")
        assert PASSWORD in seen["body"]
        assert (got.headers["x-answer"], got.headers["set-cookie"]) == ("kept", "one=1")
        (one,) = proxy.record()
    assert (one.method, one.status, one.directory) == ("POST", 200, "/d")
    assert {PARENT, SHELL} <= one.ids
    assert PASSWORD not in repr(one)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_passes_with_and_without_a_body(method: str) -> None:
    with proxied() as (proxy, _, client):
        bare = client.request(method, "/x")
        assert bare.status_code == 200
        if method != "HEAD":
            assert bare.json()["method"] == method
            full = client.request(method, "/x", content=iter([b"ab", b"cd"]))
            assert full.json()["body"] == "abcd"
        assert client.request(method, "/nothing").status_code == 204
        assert {one.method for one in proxy.record()} == {method}


def test_a_streams_events_pass_at_once_and_an_id_that_is_cut_in_two_is_found() -> None:
    heard: list[frozenset[str]] = []
    with proxied(on_ids=heard.append) as (proxy, upstream, client):
        with client.stream("GET", "/event") as answer:
            pieces = answer.iter_raw()
            assert ASK[:9].encode() in next(pieces), "the first piece comes while the second is kept back"
            assert not heard
            upstream.go_on.set()
            assert ASK[9:].encode() in next(pieces)
            assert heard == [{ASK}]
        wait_for(upstream.left.is_set, "the server to hear that the client has left", 10)
        wait_for(lambda: proxy.record()[0].ended, "the end of the stream in the record", 10)
        (one,) = proxy.record()
    assert one.opens_stream
    assert one.ids == {ASK}


def test_a_reply_is_kept_waiting_read_and_passed_on() -> None:
    order: list[str] = []
    with proxied(before_reply=lambda: order.append("before")) as (proxy, _, client):
        got = client.post(f"/permission/{ASK}/reply", json={"reply": "reject", "message": PASSWORD})
        assert got.status_code == 404
        assert PASSWORD in got.json()["body"]
        client.post(f"/permission/{ASK}/reply", content=b"\xff not json")
        client.post("/question/que_0123456789ab/reject")
        client.post("/session/x/prompt_async", json={"reply": "once"})
        record = proxy.record()
    assert order == ["before"] * 3
    assert [(one.decision, one.worded) for one in record] == [
        ("reject", True),
        ("", False),
        ("reject", False),
        ("", False),
    ]
    assert PASSWORD not in repr(record)


def test_a_server_that_is_gone_or_breaks_off_is_said_and_the_proxy_lives_on() -> None:
    with proxied() as (proxy, upstream, client):
        with pytest.raises(httpx.HTTPError):
            client.get("/broken")
        assert client.get("/x").status_code == 200
        upstream.server.close()
        gone = client.get("/x")
        assert gone.status_code == 502
        assert "no answer" in gone.json()["error"]
        assert [one.status for one in proxy.record()] == [200, 200, 502]


def test_a_port_that_somebody_has_is_an_error_and_a_given_one_is_kept() -> None:
    with proxied() as (proxy, _, _client), pytest.raises(LabError, match=f"port {proxy.port} "):
        RecordingProxy("http://127.0.0.1:9", Timeline().now, port=proxy.port)
    with RecordingProxy("http://127.0.0.1:9", Timeline().now, port=proxy.port) as again:
        assert again.url == proxy.url
