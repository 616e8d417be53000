"""One look at an export file."""

import time
from collections.abc import Sequence
from pathlib import Path

from wedged.errors import UnreadableFile
from wedged.facts.plain_text import plain
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.snapshot import Gap, Origin, Scope, Snapshot
from wedged.observe.export.shape import NoExport, read_export

# An export holds outputs and pictures whole; what is larger than this is read from the database.
LARGEST = 1 << 29
_FEW = 3

_ASKS = Gap("asks", "they live in a server's memory only: an export never shows them")
_NO_END = (
    "its newest turn has no end in the export: it was at work or waiting when the export was made, or cut off"
)
_UNFINISHED = {
    Line.V1: Gap(
        "what the session does now",
        "an export says what was stored when it was made, and not whether a turn ran then or runs now",
    ),
    Line.V2_RELEASED: Gap(
        "messages that are not finished",
        "a released V2 leaves them out of an export, and with them every call that waits or was cut off",
    ),
}


def look_at_export(path: Path, sessions: Sequence[str] = ()) -> Snapshot:
    """What an export says of its one session.

    An export is never enough to call a session healthy: who runs what is not in it, its asks neither, and a
    released V2 leaves out whatever is not finished. So every status is UNKNOWN, and there is always a gap.
    `sessions` are gaps where they are not the one that was exported.

    Raises:
        UnreadableFile: it can't be read, is too large, or is no export.
    """
    taken = time.time_ns() // 1_000_000
    shown = plain(str(path))
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise UnreadableFile(
                f"{shown} has {size / 1e6:.0f} MB, too much for an export to be read; look at the database"
            )
        exported = read_export(path.read_bytes())
    except OSError as error:
        raise UnreadableFile(f"{shown} can't be read: {error.strerror or type(error).__name__}") from None
    except NoExport as error:
        raise UnreadableFile(f"{shown} {error}") from None
    session = exported.session
    gaps = [_UNFINISHED[exported.line], _ASKS]
    if exported.line is Line.V2_RELEASED and not session.outcome:
        # Its unfinished answer is left out; that its turn has no mark of its end is not.
        gaps.insert(0, Gap(f"session {session.id}", _NO_END))
    gaps += [Gap(f"session {one}", "it is not in this export") for one in sessions if one != session.id]
    if exported.unreadable:
        more = f" and {len(exported.unreadable) - _FEW} more" if len(exported.unreadable) > _FEW else ""
        gaps.append(Gap(f"{', '.join(exported.unreadable[:_FEW])}{more}", "not of the shape of a message"))
    calls = len(session.parts)
    read = f"read whole: {session.message_count} messages, {calls} tool calls"
    return Snapshot(
        taken_ms=taken,
        source=str(path),
        identity=ServerIdentity(exported.line, plain(exported.version)),
        scopes=(Scope(str(path), (read,)),),
        sessions=(session,),
        gaps=tuple(gaps),
        origin=Origin.EXPORT,
    )
