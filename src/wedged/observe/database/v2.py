"""What both V2 schemas share: `session_message`, whose JSON is what the API answers, without its id."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import msgspec

from wedged.client.v2 import decode
from wedged.facts.session import SessionFacts
from wedged.observe.database.opening import Database
from wedged.observe.database.sessions import MESSAGES, UNFINISHED, Sessions, cut_off, text, whole
from wedged.observe.database.v2scan import Scanned

# A message may hold megabytes of outputs; of such a one only what tells the states of its calls is read.
_LARGE = 1 << 20

_ANSWERS = "select session_id, id, seq, cast(data as blob) from session_message where type = 'assistant'"
# The message with which a server says that it took a turn up again after a restart.
_RESUMED = """
select max(json_extract(data, '$.time.created')) from session_message where session_id = ?
  and type = 'synthetic' and case when json_valid(data)
    then json_extract(data, '$.description') = 'Continuing after restart' end
"""
_MESSAGES = """
select id, type, seq, case when length(data) < ? then data else json_object(
    'time', json_extract(data, '$.time'), 'finish', json_extract(data, '$.finish'),
    'error', json_extract(data, '$.error'), 'outcome', json_extract(data, '$.outcome'),
    'content', (select json_group_array(json_object('type', json_extract(value, '$.type'),
        'id', json_extract(value, '$.id'), 'name', json_extract(value, '$.name'),
        'text', substr(json_extract(value, '$.text'), 1, 4000), 'time', json_extract(value, '$.time'),
        'state', json_object('status', json_extract(value, '$.state.status'),
            'metadata', json_extract(value, '$.state.metadata'))))
      from json_each(data, '$.content') as piece where piece.type = 'object')) end
from session_message where session_id = ? and json_valid(data) {which} order by seq desc limit ?
"""


class V2Store(Sessions):
    """The half of a `Store` that both V2 schemas share."""

    more: ClassVar[tuple[str, ...]] = ("time_suspended", "fork_session_id")

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._scanned: Scanned | None = None

    def unfinished(self) -> dict[str, tuple[str, ...]]:
        """See `Store.unfinished`."""
        return {session: tuple(messages) for session, messages in self._scan().open.items()}

    def ended(self) -> tuple[str, ...]:
        """See `Store.ended`."""
        marked = self.ids(f"select id from {self.table} where time_suspended is not null")  # noqa: S608
        return (*marked, *(session for session, (_, failed) in self._scan().newest.items() if failed))

    def with_shells(self) -> tuple[tuple[str, str, int], ...]:
        """Session, id and place of each answer whose calls name a shell by its id."""
        return tuple(self._scan().shells)

    def session(self, session_id: str, messages: Sequence[str] = ()) -> SessionFacts | None:
        """See `Store.session`."""
        row = self.row(session_id)
        if row is None:
            return None
        facts, (suspended, forked, *_) = row
        read = self.messages(session_id, messages)
        said = decode.spoken(read)
        counted = self.database.one(
            "select count(*), sum(type = 'assistant') from session_message "
            "where session_id = ? and type not in (select value from json_each(?))",
            (session_id, json.dumps(decode.MARKS)),
        )
        total, answers = counted or (0, 0)
        resumed = self.database.one(_RESUMED, (session_id,))
        return replace(
            facts,
            parts=decode.tool_parts(said, session_id),
            message_count=int(total),
            last_text=decode.last_text(said),
            answers=int(answers or 0),
            newest=decode.newest(said),
            retry=decode.retry(said),
            outcome=decode.outcome(read),
            suspended_ms=whole(suspended),
            shows_suspended=True,
            forked_from=text(forked),
            resumed_ms=whole(resumed[0]) if resumed else None,
        )

    def _scan(self) -> Scanned:
        """Read the table through, once, row by row: SQLite's own JSON functions take three times as long."""
        if self._scanned is None:
            self._scanned = found = Scanned()
            for session_id, message_id, seq, raw in self.database.rows(_ANSWERS):
                if found.rows >= UNFINISHED:
                    self.gaps.append(cut_off("session_message"))
                    break
                found.take(text(session_id), text(message_id), whole(seq) or 0, raw)
            self.unreadable("session_message", found.unreadable)
        return self._scanned

    def messages(
        self, session_id: str, wanted: Sequence[str], newest: int = MESSAGES
    ) -> list[decode.Message]:
        """The newest ones and those that are wanted, oldest first."""
        rows = list(self.database.rows(_MESSAGES.format(which=""), (_LARGE, session_id, newest)))
        known = {row[0] for row in rows}
        older = _MESSAGES.format(which="and id = ?")
        for message_id in wanted:
            if message_id not in known:
                rows += self.database.rows(older, (_LARGE, session_id, message_id, 1))
        rows.sort(key=lambda row: whole(row[2]) or 0)
        read, unreadable = [], []
        for message_id, kind, _, raw in rows:
            try:
                tree = msgspec.json.decode(raw)
                message = msgspec.convert(tree | {"id": message_id, "type": kind}, decode.Message)
            except (msgspec.MsgspecError, RecursionError, TypeError):
                unreadable.append(text(message_id))
            else:
                read.append(message)
        self.unreadable("session_message", unreadable)
        return read
