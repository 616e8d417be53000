"""The V2 preview's schema: V2's messages, and V1's table of sessions with a mark for resumption."""

from typing import ClassVar

from wedged.facts.process import Shell
from wedged.facts.server import Line
from wedged.observe.database.sessions import text, whole
from wedged.observe.database.v2 import V2Store

_SENT = """
select json_extract(piece.value, '$.id'), json_extract(piece.value, '$.state.metadata.shellID'),
  json_extract(piece.value, '$.state.input.command'), json_extract(piece.value, '$.time.ran')
from session_message, json_each(data, '$.content') as piece where session_message.id = ? and case
  when piece.type = 'object' then json_extract(piece.value, '$.state.status') = 'completed' end
"""
_TOLD = """
select 1 from session_message where session_id = ? and type = 'synthetic' and seq > ?
  and case when json_valid(data) then instr(json_extract(data, '$.text'), ?) = 1 end limit 1
"""


class V2PreviewStore(V2Store):
    """A `Store` of the V2 preview."""

    line: ClassVar[Line] = Line.V2_PREVIEW
    table: ClassVar[str] = "session"

    def shells(self) -> tuple[Shell, ...]:
        """See `Store.shells`.

        The preview keeps no record of its background work: a completed call that names a shell has sent it to
        the background. When that ends, the session is told in a message that names the call; where it was
        not, the file's last word is that it runs.
        """
        found = []
        for session_id, message_id, seq in self.with_shells():
            row = self.row(session_id)
            for call_id, shell_id, command, started in list(self.database.rows(_SENT, (message_id,))):
                notice = f'<shell id="{text(call_id)}"'
                if text(shell_id) and self.database.one(_TOLD, (session_id, seq, notice)) is None:
                    found.append(
                        Shell(
                            id=text(shell_id),
                            session_id=session_id,
                            directory=row[0].directory if row else "",
                            command=text(command),
                            status="running",
                            started_ms=whole(started),
                            listed_by=(f"session_message {message_id}",),
                        )
                    )
        return tuple(found)
