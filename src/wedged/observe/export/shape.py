"""The two shapes of an export, told apart by what is in them. Pure: bytes in, a session's facts out.

V1 (``opencode export S``): ``{"info": …, "messages": [{"info": …, "parts": […]}]}``. Released V2 (``opencode
session export S``, or the route behind it, which wraps it in ``data``): ``{"info": …, "messages": [{"id",
"type", "content", …}]}``. The V2 preview exports nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from wedged.client.half_pairs import repaired
from wedged.client.v1 import decode as v1
from wedged.client.v2 import decode as v2
from wedged.facts.server import Line
from wedged.facts.session import SessionFacts

T = TypeVar("T")

# What V1 says on stderr before the JSON; it is in the file where both went there.
SAYS = b"Exporting session"


class NoExport(Exception):
    """Why the bytes are no export, in words that go on after the file's name: ``is no JSON``."""


@dataclass(frozen=True, slots=True)
class Exported:
    """One exported session. `unreadable` names the messages that could not be read, by id or by place."""

    line: Line
    version: str
    session: SessionFacts
    unreadable: tuple[str, ...] = ()


class _Info(msgspec.Struct):
    """As much of a session as tells whose shape it is."""

    id: str
    version: object = ""
    location: object = None


class _Export(msgspec.Struct):
    info: msgspec.Raw
    messages: list[msgspec.Raw]


class _Wrapped(msgspec.Struct):
    data: _Export


class _Shape(msgspec.Struct):
    """A message, as far as it tells whose it is."""

    info: object = None
    id: object = ""


def read_export(raw: bytes) -> Exported:
    """The session that an export holds. One broken message does not lose the others.

    Raises:
        NoExport: it is no export of a session, or not a whole one.
    """
    export = _whole(raw)
    info = _info(export.info, _Info)
    first = _Shape()
    for one in export.messages:
        try:
            first = msgspec.json.decode(one, type=_Shape)
        except (msgspec.MsgspecError, RecursionError):
            continue
        break
    # A session without a message is told by where it says that it belongs.
    is_v1 = first.info is not None or (not export.messages and info.location is None)
    version = info.version if isinstance(info.version, str) else ""
    if is_v1:
        facts, unreadable = _of_v1(export)
        return Exported(Line.V1, version, facts, unreadable)
    facts, unreadable = _of_v2(export)
    return Exported(Line.V2_RELEASED, version, facts, unreadable)


def _of_v1(export: _Export) -> tuple[SessionFacts, tuple[str, ...]]:
    messages, unreadable = _each(export.messages, v1.Message)
    return v1.with_messages(v1.session(_info(export.info, v1.Session)), messages), unreadable


def _of_v2(export: _Export) -> tuple[SessionFacts, tuple[str, ...]]:
    messages, unreadable = _each(export.messages, v2.Message)
    return v2.with_messages(v2.session(_info(export.info, v2.Session)), messages), unreadable


def _whole(raw: bytes) -> _Export:
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if raw.startswith(SAYS):
        raw = raw.partition(b"\n")[2]
    try:
        try:
            return _unwrapped(raw)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError as error:
            # msgspec's word for what ends before its JSON does.
            if "truncated" in str(error):
                raise NoExport("is cut short: its JSON does not end") from None
            return _unwrapped(repaired(raw))
    except RecursionError:
        raise NoExport("is JSON that is too deep") from None
    except msgspec.ValidationError:
        words = "is JSON, and no export of a session: it has no `info` beside `messages`"
        raise NoExport(words) from None
    except (ValueError, msgspec.DecodeError):
        raise NoExport("is no JSON") from None


def _unwrapped(raw: bytes) -> _Export:
    try:
        return msgspec.json.decode(raw, type=_Export)
    except msgspec.ValidationError:
        return msgspec.json.decode(raw, type=_Wrapped).data


def _info(raw: msgspec.Raw, shape: type[T]) -> T:
    try:
        return msgspec.json.decode(raw, type=shape)
    except (msgspec.MsgspecError, RecursionError):
        raise NoExport("is JSON, and no export of a session: its `info` is none of a session") from None


def _each(messages: Sequence[msgspec.Raw], shape: type[T]) -> tuple[list[T], tuple[str, ...]]:
    read, unreadable = [], []
    for place, raw in enumerate(messages, 1):
        try:
            read.append(msgspec.json.decode(raw, type=shape))
        except (msgspec.MsgspecError, RecursionError):
            unreadable.append(f"message {place}")
    return read, tuple(unreadable)
