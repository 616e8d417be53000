"""A reverse proxy before one server: it passes everything on, streams too, and keeps a record."""

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import httpx
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from wedged.lab.conformance.exchange import (
    TAIL,
    Exchange,
    decision_of,
    directory_of,
    ids_in,
    is_reply,
    template,
)
from wedged.lab.web_server import WebServer

# A person's browser or a hung server decides how long; a stream has no end at all.
_CONNECT_S = 10.0
_REPLY_BYTES = 1 << 20
# A list of sessions may name many; no rule needs more.
_IDS_KEPT = 2_000
# These belong to one connection, not to the message.
_OWN = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


class RecordingProxy(WebServer):
    """Listens on 127.0.0.1 and passes each request on to the server at `url`, credentials included.

    Recorded of a request: method, path, directory, and what a reply decides; of an answer: its status, and
    the ids in it. Headers, query and bodies are not kept. `now` is the record's clock.

    `on_ids` is called with ids that an answer is about to bring the client, from the proxy's own thread,
    which it must not keep waiting; `before_reply` before a reply to an ask is passed on, from a thread where
    it may wait. A server that can't be reached is answered with 502. WebSockets are refused.

    Raises:
        LabError: somebody else has `port`.
    """

    def __init__(
        self,
        url: str,
        now: Callable[[], float],
        *,
        port: int = 0,
        on_ids: Callable[[frozenset[str]], None] = lambda _: None,
        before_reply: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__("recording proxy", self._app, port)
        self.url = f"http://127.0.0.1:{self.port}"
        self._server_url = url
        self.now = now
        self._on_ids = on_ids
        self._before_reply = before_reply
        self._lock = threading.Lock()
        self._record: dict[int, Exchange] = {}
        self._client: httpx.AsyncClient | None = None

    def record(self) -> tuple[Exchange, ...]:
        """Every exchange so far, in the order in which they began."""
        with self._lock:
            return tuple(self._record.values())

    async def serve(self) -> None:
        """As every web server; then hang up on the one behind it."""
        try:
            await super().serve()
        finally:
            if self._client is not None:
                await self._client.aclose()

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        response = await self._pass_on(Request(scope, receive))
        await response(scope, receive, send)

    async def _pass_on(self, request: Request) -> Response:
        raw = (request.scope.get("raw_path") or request.url.path.encode()).decode("latin-1")
        path, query = raw.partition("?")[0], request.url.query
        exchange = self._begin(request, path)
        try:
            body, exchange = await self._body(request, path, exchange)
            sent = self._http().build_request(
                request.method,
                httpx.URL(self._server_url).copy_with(
                    raw_path=(path + (f"?{query}" if query else "")).encode()
                ),
                headers=[
                    *_kept(request.headers.raw, b"host", b"accept-encoding"),
                    (b"accept-encoding", b"identity"),
                ],
                content=body,
            )
            answer = await self._http().send(sent, stream=True)
        except ClientDisconnect:
            return Response(status_code=499)
        except httpx.HTTPError as error:
            self._note(replace(exchange, status=502, answered=self.now(), ended=self.now()))
            return JSONResponse({"error": f"the held server gave no answer: {type(error).__name__}"}, 502)
        self._note(replace(exchange, status=answer.status_code, answered=self.now()))
        out = StreamingResponse(self._answer(exchange.number, answer), answer.status_code)
        out.raw_headers = _kept(answer.headers.raw)
        return out

    def _begin(self, request: Request, path: str) -> Exchange:
        directory = directory_of(path, request.url.query, request.headers.get("x-opencode-directory", ""))
        with self._lock:
            number = len(self._record) + 1
            exchange = Exchange(number, self.now(), request.method, path, template(path), directory)
            self._record[number] = exchange
        return exchange

    async def _body(
        self, request: Request, path: str, exchange: Exchange
    ) -> tuple[bytes | AsyncIterator[bytes] | None, Exchange]:
        """What is sent on. Only a reply's body is read: what it decides is part of the record."""
        length = request.headers.get("content-length", "")
        if not is_reply(request.method, path):
            # Without either header there is no body, and none must be announced.
            return (request.stream() if length or "transfer-encoding" in request.headers else None), exchange
        body = await request.body()
        with contextlib.suppress(ValueError, RecursionError):
            decision, worded = decision_of(json.loads(body[:_REPLY_BYTES]))
            exchange = replace(exchange, decision=decision or "", worded=worded)
        if not exchange.decision and path.endswith(("/reject", "/cancel")):
            exchange = replace(exchange, decision="reject")
        self._note(exchange)
        await asyncio.to_thread(self._before_reply)
        return body, exchange

    async def _answer(self, number: int, answer: httpx.Response) -> AsyncIterator[bytes]:
        """The answer's bytes as they come, each looked through for ids before it goes on."""
        tail = b""
        try:
            async for chunk in answer.aiter_raw():
                # Noted first: what a client does next was done in the knowledge of this.
                self._named(number, ids_in(tail + chunk))
                tail = (tail + chunk)[-TAIL:]
                yield chunk
        except httpx.HTTPError:
            # The server broke off; so does the answer, in the only way that a begun one can.
            raise ConnectionAbortedError("the held server broke off its answer") from None
        finally:
            await answer.aclose()
            with self._lock:
                self._record[number] = replace(self._record[number], ended=self.now())

    def _named(self, number: int, ids: frozenset[str]) -> None:
        with self._lock:
            exchange = self._record[number]
            new = ids - exchange.ids
            if not new or len(exchange.named) > _IDS_KEPT:
                return
            now = self.now()
            more = tuple((one, now) for one in sorted(new))
            self._record[number] = replace(exchange, named=(*exchange.named, *more))
        self._on_ids(new)

    def _note(self, exchange: Exchange) -> None:
        with self._lock:
            self._record[exchange.number] = exchange

    def _http(self) -> httpx.AsyncClient:
        # Made in the loop that uses it.
        if self._client is None:
            timeout = httpx.Timeout(None, connect=_CONNECT_S)
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
            self._client = httpx.AsyncClient(timeout=timeout, limits=limits, trust_env=False)
        return self._client


def _kept(headers: list[tuple[bytes, bytes]], *without: bytes) -> list[tuple[bytes, bytes]]:
    """The headers that go on: all but those of one connection, and `without`."""
    named = {
        part.strip().lower()
        for name, value in headers
        if name.lower() == b"connection"
        for part in value.decode("latin-1").split(",")
    }
    gone = _OWN | named | {name.decode() for name in without}
    return [(name, value) for name, value in headers if name.decode("latin-1").lower() not in gone]
