"""HTTP with one deadline for the whole exchange.

httpx and httpcore limit each read and each write. A server that sends a byte a second keeps every one of
those limits and still holds its caller for ever, so the limit is put under them, at the socket.
"""

import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import httpcore
import httpx

_KEPT_S = 2.0


class Deadline:
    """When the running exchange has to be over. Each thread has its own."""

    def __init__(self) -> None:
        self._at = threading.local()

    def set(self, seconds: float) -> None:
        """The exchange that starts now, in this thread, may take `seconds`."""
        self._at.value = time.monotonic() + seconds

    def left(self, limit: float | None) -> float:
        """Seconds until the deadline, at most `limit`; 0 or less when it has passed."""
        at: float = getattr(self._at, "value", float("inf"))
        left = at - time.monotonic()
        return left if limit is None else min(left, limit)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if (left := self._deadline.left(timeout)) <= 0:
            raise httpcore.ReadTimeout
        return self._inner.read(max_bytes, left)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if (left := self._deadline.left(timeout)) <= 0:
            raise httpcore.WriteTimeout
        self._inner.write(buffer, left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = max(self._deadline.left(timeout), 0.001)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, deadline: Deadline) -> None:
        self._inner = httpcore.SyncBackend()
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        left = max(self._deadline.left(timeout), 0.001)
        return _Stream(
            self._inner.connect_tcp(host, port, left, local_address, socket_options), self._deadline
        )


class _Body(httpx.SyncByteStream):
    def __init__(self, inner: Iterable[bytes]) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        yield from self._inner

    def close(self) -> None:
        close = getattr(self._inner, "close", None)
        if close is not None:
            close()


class DeadlineTransport(httpx.BaseTransport):
    """A transport for `httpx.Client` that raises httpcore's timeouts once `deadline` has passed.

    It reads no environment and knows no proxy: what is looked at is nearly always on this machine, and a
    password must not travel through a third party.
    """

    def __init__(self, deadline: Deadline, *, verify: ssl.SSLContext | Literal[False]) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=verify or None,
            network_backend=_Backend(deadline),
            # Before the server closes it as idle, which 2.0.15 may do just as it is used again.
            keepalive_expiry=_KEPT_S,
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request. The body of the answer is a stream."""
        url = request.url
        response = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response.stream),  # type: ignore[arg-type]
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()
