"""The released V2's schema: `session_v2`, `session_message`, and `kv` with its background work."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import msgspec

from wedged.facts.process import Shell
from wedged.facts.server import Line
from wedged.facts.session import SessionFacts
from wedged.observe.database.sessions import text, whole
from wedged.observe.database.v2 import V2Store

_JOBS = "select key, value, time_created from kv where key glob 'job.background/*' limit ?"
_MANY_JOBS = 1000


class _Recovery(msgspec.Struct):
    """What a job is, as the server would take it up again."""

    kind: str = ""
    session: str = msgspec.field(default="", name="sessionID")
    shell: str = msgspec.field(default="", name="shellID")
    command: str = ""


class _Job(msgspec.Struct):
    """One record of background work; it goes when the work has ended and its session was told."""

    recovery: _Recovery
    status: str = ""


class V2ReleasedStore(V2Store):
    """A `Store` of OpenCode 2.x. V1's tables in such a file are stale and are not read."""

    line: ClassVar[Line] = Line.V2_RELEASED
    table: ClassVar[str] = "session_v2"
    more: ClassVar[tuple[str, ...]] = (*V2Store.more, "resume_attempts", "time_idle")

    def session(self, session_id: str, messages: Sequence[str] = ()) -> SessionFacts | None:
        """See `Store.session`."""
        facts, row = super().session(session_id, messages), self.row(session_id)
        if facts is None or row is None:
            return None
        _, (_, _, attempts, idle) = row
        return replace(facts, resume_attempts=whole(attempts) or 0, idle_ms=whole(idle))

    def shells(self) -> tuple[Shell, ...]:
        """See `Store.shells`. A record of a killed server stays until a ``--service`` starts on the file."""
        found, unreadable = [], []
        for key, value, created in list(self.database.rows(_JOBS, (_MANY_JOBS,))):
            try:
                job = msgspec.json.decode(value, type=_Job)
            except (msgspec.MsgspecError, RecursionError, TypeError):
                unreadable.append(text(key))
                continue
            if job.recovery.kind == "shell":
                row = self.row(job.recovery.session)
                found.append(
                    Shell(
                        id=job.recovery.shell,
                        session_id=job.recovery.session,
                        directory=row[0].directory if row else "",
                        command=job.recovery.command,
                        status=job.status,
                        started_ms=whole(created),
                        listed_by=(f"kv {text(key)}",),
                    )
                )
        self.unreadable("kv", unreadable)
        return tuple(found)
