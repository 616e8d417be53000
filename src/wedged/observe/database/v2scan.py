"""What one pass over V2's answers finds. Each is decoded only as far as it tells what kind it is. Pure."""

from dataclasses import dataclass, field

import msgspec


class _Metadata(msgspec.Struct):
    shell: object = msgspec.field(default=None, name="shellID")


class _State(msgspec.Struct):
    status: object = None
    metadata: _Metadata | None = None


class _Piece(msgspec.Struct):
    type: object = None
    state: _State | None = None


class _Time(msgspec.Struct):
    completed: object = None


class _Answer(msgspec.Struct):
    """As much of an answer as tells what kind it is; the texts and outputs in it are passed over."""

    time: _Time | None = None
    content: list[_Piece] = []
    error: object = None


_DECODE = msgspec.json.Decoder(_Answer).decode


@dataclass
class Scanned:
    """By session the answers with something open, those that name a shell, and each session's newest one with
    whether it failed. `rows` counts what was kept."""

    open: dict[str, list[str]] = field(default_factory=dict)
    shells: list[tuple[str, str, int]] = field(default_factory=list)
    newest: dict[str, tuple[int, bool]] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    rows: int = 0

    def take(self, session: str, message: str, seq: int, raw: object) -> None:
        """Look at one answer; `seq` is its place in the session, `raw` its JSON."""
        try:
            answer = _DECODE(raw)  # type: ignore[arg-type]
        except (msgspec.MsgspecError, RecursionError, TypeError):
            self.unreadable.append(message)
            self.rows += 1
            return
        calls = [piece.state or _State() for piece in answer.content if piece.type == "tool"]
        ended = answer.time is not None and answer.time.completed is not None
        if not ended or any(call.status not in ("completed", "error") for call in calls):
            self.open.setdefault(session, []).append(message)
            self.rows += 1
        if any(call.metadata and call.metadata.shell for call in calls):
            self.shells.append((session, message, seq))
            self.rows += 1
        if seq >= self.newest.get(session, (seq, False))[0]:
            self.newest[session] = (seq, answer.error is not None)
