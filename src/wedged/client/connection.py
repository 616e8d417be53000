"""One server, connected to in the dialect it speaks."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from wedged.client.detect import Detected, detect
from wedged.client.protocols import Actor, Reader
from wedged.client.transport import Transport, shown
from wedged.client.v1.actor import V1Actor
from wedged.client.v1.reader import V1Reader
from wedged.client.v2.actor import V2Actor
from wedged.client.v2.dialect import read_dialect
from wedged.client.v2.reader import V2Reader
from wedged.client.v2.routes import OPENAPI
from wedged.errors import BadAnswer, UnknownDialect
from wedged.facts.server import Line


@dataclass(frozen=True)
class Credentials:
    """Who we are to a server. The password is in no `repr`."""

    password: str = field(default="", repr=False)
    username: str = "opencode"


@dataclass(frozen=True)
class Connection:
    """The two halves of a client to one server. A context manager; or call `close`."""

    reader: Reader
    actor: Actor
    url: str
    line: Line
    hang_up: Callable[[], None] = field(repr=False, compare=False)

    def close(self) -> None:
        """Hang up. Safe to call twice."""
        self.hang_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(url: str, *, password: str = "", username: str = "opencode", timeout: float = 10.0) -> Connection:
    """Find out which dialect the server at `url` speaks and return a client for it.

    `timeout` is the number of seconds that each whole request may take.

    Raises:
        BadTarget: `url` is not an http address.
        UnknownDialect: an OpenCode server whose dialect is not spoken here.
        Every other `CannotLook`: no answer, a wrong password, not OpenCode.
    """
    transport = Transport(url, password=password, username=username, timeout=timeout)
    try:
        return _speak(detect(transport), transport)
    except BaseException:
        transport.close()
        raise


def _speak(detected: Detected, transport: Transport) -> Connection:
    """The client for a dialect. A new dialect is a package beside `v1` and a line here."""
    if detected.line is Line.V1:
        reader, actor = V1Reader(transport, detected.version), V1Actor(transport)
        return Connection(reader, actor, transport.url, detected.line, transport.close)
    return _speak_v2(detected, transport)


def _speak_v2(detected: Detected, transport: Transport) -> Connection:
    """V2's dialects differ in small things, and each server's API document says which it has."""
    name = {Line.V2_PREVIEW: "OpenCode V2 preview", Line.V2_RELEASED: "OpenCode V2"}[detected.line]
    who = f"{transport.url} is {name} {shown(detected.version)}".rstrip()
    answer = transport.ask("GET", OPENAPI)
    if answer.status != 200 or not answer.is_json:
        raise UnknownDialect(f"{who}, and serves no API document to read its dialect from (GET {OPENAPI})")
    try:
        dialect = read_dialect(detected.line, answer.read(dict[str, object]))
    except (UnknownDialect, BadAnswer) as error:
        raise UnknownDialect(f"{who}, in a dialect that is not spoken here: {error}") from None
    digest = hashlib.sha256(answer.body).hexdigest()
    reader = V2Reader(transport, detected.version, dialect, digest)
    return Connection(reader, V2Actor(transport, dialect), transport.url, detected.line, transport.close)
