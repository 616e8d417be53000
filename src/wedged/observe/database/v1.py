"""V1's schema: `session`, `message`, `part`. A row's JSON is what the API answers, without its ids."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import msgspec

from wedged.client.v1 import decode
from wedged.facts.process import Shell
from wedged.facts.server import Line
from wedged.facts.session import SessionFacts
from wedged.observe.database.sessions import MESSAGES, UNFINISHED, Sessions, cut_off, text

T = TypeVar("T")

# A part's state may hold megabytes of output; of such a one only what tells its state is read.
_LARGE = 1 << 18

_CALLS = "select session_id, message_id, id, cast(data as blob) from part"
_ANSWERS = "select session_id, id, id, cast(data as blob) from message"
_MESSAGES = """
select id, json_extract(data, '$.role'), json_extract(data, '$.time.created'),
  json_extract(data, '$.time.completed'), json_extract(data, '$.finish'), json_extract(data, '$.error.name')
from message where session_id = ? and json_valid(data) {which} order by time_created desc, id desc limit ?
"""
_PARTS = """
select id, case when length(data) < ? then cast(data as blob) else json_object(
    'type', json_extract(data, '$.type'), 'callID', json_extract(data, '$.callID'),
    'tool', json_extract(data, '$.tool'), 'text', substr(json_extract(data, '$.text'), 1, 4000),
    'state', json_patch(
      json_object('status', json_extract(data, '$.state.status'), 'time', json_extract(data, '$.state.time')),
      case when json_type(data, '$.state.metadata') is null then '{}' else '{"metadata":{}}' end)) end
from part where message_id = ? and json_valid(data) order by id
"""
_SPOKEN = 4000


class _State(msgspec.Struct):
    status: object = None


class _Part(msgspec.Struct):
    """As much of a part as tells whether it is open; the output in it is passed over."""

    type: object = None
    state: _State | None = None


class _Stored(msgspec.Struct):
    """A part as it is stored: without its ids."""

    type: object = ""
    call: object = msgspec.field(default="", name="callID")
    tool: object = ""
    text: object = ""
    state: object = None


class _Time(msgspec.Struct):
    completed: object = None


class _Info(msgspec.Struct):
    """As much of a message as tells whether it is open."""

    role: object = None
    time: _Time | None = None


def _open_part(part: _Part) -> bool:
    status = part.state.status if part.state else None
    return part.type == "tool" and status not in ("completed", "error")


def _open_answer(info: _Info) -> bool:
    return info.role == "assistant" and (info.time is None or info.time.completed is None)


class V1Store(Sessions):
    """A `Store` of OpenCode 1.x."""

    line: ClassVar[Line] = Line.V1
    table: ClassVar[str] = "session"

    def unfinished(self) -> dict[str, tuple[str, ...]]:
        """See `Store.unfinished`."""
        found: dict[str, dict[str, None]] = {}
        self._read_through("part", _CALLS, _Part, _open_part, found)
        self._read_through("message", _ANSWERS, _Info, _open_answer, found)
        return {session: tuple(messages) for session, messages in found.items()}

    def session(self, session_id: str, messages: Sequence[str] = ()) -> SessionFacts | None:
        """See `Store.session`."""
        row = self.row(session_id)
        if row is None:
            return None
        read = self._messages(session_id, messages)
        counted = self.database.one(
            # SQLite looks at both sides of an `and`: only `case` keeps it from what is no JSON.
            "select count(*), sum(case when json_valid(data) then json_extract(data, '$.role') = 'assistant' "
            "end) from message where session_id = ?",
            (session_id,),
        )
        total, answers = counted or (0, 0)
        return replace(
            row[0],
            parts=decode.tool_parts(read),
            message_count=int(total),
            last_text=decode.last_text(read),
            answers=int(answers or 0),
            newest=decode.newest(read),
        )

    def shells(self) -> tuple[Shell, ...]:
        """See `Store.shells`. V1 has none."""
        return ()

    def _read_through(
        self,
        table: str,
        sql: str,
        shape: type[T],
        is_open: Callable[[T], bool],
        found: dict[str, dict[str, None]],
    ) -> None:
        """Put the messages of a table's open rows into `found`; the rows pass one by one."""
        decode_row = msgspec.json.Decoder(shape).decode
        rows, unreadable = 0, []
        for session_id, message_id, row_id, raw in self.database.rows(sql):
            try:
                if not is_open(decode_row(raw)):
                    continue
            except (msgspec.MsgspecError, RecursionError, TypeError):
                unreadable.append(text(row_id))
            else:
                found.setdefault(text(session_id), {})[text(message_id)] = None
            rows += 1
            if rows == UNFINISHED:
                self.gaps.append(cut_off(table))
                break
        self.unreadable(table, unreadable)

    def _messages(self, session_id: str, wanted: Sequence[str]) -> list[decode.Message]:
        """The newest ones and those that are wanted, oldest first."""
        rows = list(self.database.rows(_MESSAGES.format(which=""), (session_id, MESSAGES)))
        known = {row[0] for row in rows}
        older = _MESSAGES.format(which="and id = ?")
        for message_id in wanted:
            if message_id not in known:
                rows += self.database.rows(older, (session_id, message_id, 1))
        rows.sort(key=lambda row: (row[2] if isinstance(row[2], int | float) else 0, text(row[0])))
        return [self._message(session_id, row) for row in rows]

    def _message(self, session_id: str, row: tuple[Any, ...]) -> decode.Message:
        message_id, role, created, completed, finish, error = row
        info = decode.Info(
            id=text(message_id),
            role=text(role),
            time={"created": created, "completed": completed},
            finish=text(finish),
            error={"name": error} if error is not None else None,
        )
        rows = list(self.database.rows(_PARTS, (_LARGE, message_id)))
        parts = [_part(text(part_id), text(message_id), session_id, raw) for part_id, raw in rows]
        return decode.Message(info, parts)


def _part(part_id: str, message_id: str, session_id: str, raw: object) -> decode.Part:
    """One part; an empty one for what is too deep or none at all."""
    try:
        stored = _STORED(raw)  # type: ignore[arg-type]
    except (msgspec.MsgspecError, RecursionError, TypeError):
        stored = _Stored()
    return decode.Part(
        type=text(stored.type),
        id=part_id,
        call=text(stored.call),
        message=message_id,
        session=session_id,
        tool=text(stored.tool),
        text=text(stored.text)[:_SPOKEN],
        state=stored.state,
    )


_STORED = msgspec.json.Decoder(_Stored).decode
