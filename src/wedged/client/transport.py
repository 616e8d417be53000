"""Requests to a server that is not trusted, with every bad end turned into one clear line."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import httpcore
import httpx
import msgspec

from wedged.client.address import read_url
from wedged.client.certificates import verified_by
from wedged.client.deadline import Deadline, DeadlineTransport
from wedged.client.half_pairs import repaired
from wedged.errors import (
    BadAnswer,
    BadTarget,
    NoAnswerInTime,
    NotOpenCode,
    ServerSaidNo,
    Unreachable,
    WrongPassword,
)
from wedged.facts.plain_text import plain

T = TypeVar("T")

MAX_BYTES = 64 * 2**20
_SHOWN = 160
_ERRNO = re.compile(r"^\[[^\]]*\] ")
_JSON_TYPE = re.compile(r"^application/(?:[\w.+-]*\+)?json\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: status, content type (lower case, with its parameters) and body."""

    route: str
    status: int
    content_type: str
    body: bytes

    @property
    def is_json(self) -> bool:
        """Whether the server says that the body is JSON."""
        return _JSON_TYPE.match(self.content_type) is not None

    def read(self, shape: type[T]) -> T:
        """The body as a `shape` (whatever msgspec decodes into). Fields that `shape` lacks are ignored.

        Raises:
            BadAnswer: not JSON, too deep, or not of this shape; the message names the route.
        """
        try:
            try:
                return msgspec.json.decode(self.body, type=shape)
            except msgspec.ValidationError:
                raise
            except msgspec.DecodeError:
                return msgspec.json.decode(repaired(self.body), type=shape)
        except RecursionError:
            raise BadAnswer(f"{self.route} answered with JSON nested too deep to read") from None
        except msgspec.ValidationError as error:
            why = shown(str(error))
            raise BadAnswer(
                f"{self.route} answered with JSON of another shape than expected: {why}"
            ) from None
        except (ValueError, msgspec.DecodeError):
            raise BadAnswer(f"{self.route} answered with something that is not JSON") from None


_DROPPED = (
    httpcore.ReadError,
    httpcore.WriteError,
    httpcore.RemoteProtocolError,
    httpx.ReadError,
    httpx.WriteError,
    httpx.RemoteProtocolError,
)


class Transport:
    """One server's address with everything a request to it needs.

    `timeout` is the number of seconds a whole request may take, however slowly the server drips; `max_bytes`
    the largest body that is read. Redirects are never followed. No proxy is ever used. The password travels
    in a header and is in no message. May be used from several threads.

    Raises:
        BadTarget: `url` is not an http address, or carries a password.
    """

    def __init__(
        self,
        url: str,
        *,
        password: str = "",
        username: str = "opencode",
        timeout: float = 10.0,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.url = read_url(url)
        self.timeout = timeout
        self._max_bytes = max_bytes
        self._has_password = bool(password)
        self._deadline = Deadline()
        try:
            httpx.URL(self.url)
        except httpx.InvalidURL:
            raise BadTarget(f"{self.url} is not a web address; write http://127.0.0.1:4096") from None
        self._client = httpx.Client(
            transport=DeadlineTransport(self._deadline, verify=verified_by(self.url)),
            auth=httpx.BasicAuth(username, password) if password else None,
            headers={"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "wedged"},
            follow_redirects=False,
            trust_env=False,
            timeout=timeout,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up. Safe to call twice."""
        self._client.close()

    def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: object = None,
        timeout: float | None = None,
    ) -> Answer:
        """One request and its whole answer, whatever its status; `body` is sent as JSON.

        A GET whose connection is dropped before its answer is sent once more, within the same time: servers
        hang up on a connection that was kept for the next request just when that request comes.

        Raises:
            Unreachable, NoAnswerInTime: no answer.
            WrongPassword: 401 or 403.
            NotOpenCode: what answers does not speak HTTP, or sends us elsewhere.
            BadAnswer: a body that is too large or packed.
        """
        route = f"{method} {shown(path.partition('?')[0])}"
        limit = self.timeout if timeout is None else timeout
        extra: dict[str, Any] = {"params": dict(params)} if params else {}
        if body is not None:
            extra["json"] = body
        with self._errors_of(route, limit):
            self._deadline.set(limit)
            try:
                return self._exchange(method, path, route, limit, extra)
            except _DROPPED:
                if method != "GET":
                    raise
            return self._exchange(method, path, route, limit, extra)

    def _exchange(self, method: str, path: str, route: str, limit: float, extra: dict[str, Any]) -> Answer:
        with self._client.stream(method, self.url + path, timeout=limit, **extra) as response:
            self._refuse(response, route)
            content = self._read(response, route)
            kind = response.headers.get("content-type", "")
            return Answer(route, response.status_code, plain(kind).lower(), content)

    def json(
        self,
        method: str,
        path: str,
        shape: type[T],
        *,
        params: Mapping[str, str] | None = None,
        body: object = None,
    ) -> T:
        """One request whose answer must be a success and JSON of this shape.

        Raises:
            ServerSaidNo: an error status; with the server's own name for it.
            NotOpenCode: a success that is a web page.
            BadAnswer: JSON of another shape.
            Everything that `ask` raises.
        """
        answer = self.ask(method, path, params=params, body=body)
        if answer.status >= 400:
            raise said_no(answer)
        if not answer.is_json:
            raise NotOpenCode(
                f"{answer.route} answered {answer.status} with {shown(answer.content_type) or 'no type'} "
                f"instead of JSON; {self.url} is not an OpenCode server, or does not know this route"
            )
        return answer.read(shape)

    def _refuse(self, response: httpx.Response, route: str) -> None:
        status = response.status_code
        if status in (401, 403):
            if self._has_password:
                raise WrongPassword(f"{self.url} did not take the password (status {status})")
            raise WrongPassword(
                f"{self.url} wants a password (status {status}); set OPENCODE_SERVER_PASSWORD"
            )
        if 300 <= status < 400:
            where = shown(response.headers.get("location", "")) or "nowhere"
            raise NotOpenCode(f"{route} at {self.url} redirects to {where}; redirects are not followed")

    def _read(self, response: httpx.Response, route: str) -> bytes:
        packed = response.headers.get("content-encoding", "identity").strip().lower()
        if packed not in ("", "identity"):
            raise BadAnswer(f"{route} answered with a packed body ({shown(packed)}), which was not asked for")
        content = bytearray()
        for chunk in response.iter_raw():
            content += chunk
            if len(content) > self._max_bytes:
                raise BadAnswer(
                    f"{route} answered with more than {self._max_bytes // 2**20} MiB; not read further"
                )
        return bytes(content)

    @contextmanager
    def _errors_of(self, route: str, limit: float) -> Iterator[None]:
        """httpx's and httpcore's exceptions as ours. None of theirs is shown: they may quote the server."""
        try:
            yield
        except httpcore.ConnectTimeout:
            raise Unreachable(f"nothing accepted a connection at {self.url} within {limit:g} s") from None
        except (httpcore.TimeoutException, httpx.TimeoutException):
            raise NoAnswerInTime(
                f"{self.url} accepted the connection and gave no whole answer to {route} within {limit:g} s"
            ) from None
        except httpcore.ConnectError as error:
            raise Unreachable(f"cannot connect to {self.url}: {shown(_reason(error))}") from None
        except (httpcore.NetworkError, httpx.NetworkError):
            raise Unreachable(f"{self.url} broke the connection during {route}") from None
        except (httpcore.RemoteProtocolError, httpx.RemoteProtocolError) as error:
            if "disconnected" in str(error) or "closed connection" in str(error):
                raise Unreachable(f"{self.url} hung up without a whole answer to {route}") from None
            raise NotOpenCode(f"{self.url} does not answer {route} in HTTP") from None
        except httpx.InvalidURL:
            # The server's own address was taken before: what does not fit is an id or a directory it named.
            raise BadAnswer(f"{route} can't be asked: it does not fit into a web address") from None
        except (httpx.HTTPError, httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
            raise BadAnswer(f"{route} at {self.url} failed: {type(error).__name__}") from None


def said_no(answer: Answer) -> ServerSaidNo:
    """The error for an answer with an error status; the server's own words are escaped and cut short."""
    tag = words = ""
    if answer.is_json:
        try:
            tree = answer.read(dict[str, object])
        except BadAnswer:
            tree = {}
        data = tree.get("data")
        tag = _text(tree.get("_tag")) or _text(tree.get("name"))
        words = _text(tree.get("message")) or (_text(data.get("message")) if isinstance(data, dict) else "")
    said = ": ".join(shown(part) for part in (tag, words) if part)
    line = f"{answer.route} answered with status {answer.status}"
    return ServerSaidNo(f"{line} ({said})" if said else line, status=answer.status, tag=shown(tag))


def shown(text: str) -> str:
    """Untrusted `text` fit for a message: one line, escaped, cut short."""
    line = plain(text.strip())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _reason(error: Exception) -> str:
    # httpcore carries the system's words in a text: "[Errno 111] Connection refused".
    return _ERRNO.sub("", str(error)) or "no connection"
