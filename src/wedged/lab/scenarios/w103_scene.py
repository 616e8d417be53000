"""One session of W103 as it stands at one moment, and what its timeline tells. Only `look` does I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wedged.facts.recovery import Request
from wedged.facts.session import SessionFacts, ToolPart
from wedged.facts.trial import Lane, Observation
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios.w103_store import Mark, mark
from wedged.lab.scenarios.w103_turns import is_request
from wedged.lab.timeline import is_over

RESTART_WORDS = "The server restarted while you were working."
_EXECUTION = "session.execution."
_MARKS = ("agent-switched", "model-switched", "location-switched")


@dataclass(frozen=True, slots=True)
class Scene:
    """What was seen. `history` has a word a message, oldest first: ``user``, ``assistant error``,
    ``assistant stop``, ``restart message``, ``idle succeeded``. `ran` says whether the gated command has run.
    """

    prompted: Prompted
    session: SessionFacts
    mark: Mark
    history: tuple[str, ...]
    ran: bool
    timeline: tuple[Observation, ...]

    def call(self, number: int = 0) -> ToolPart | None:
        """Call `number` of the first response."""
        call_id = self.prompted.script.call_id(0, number)
        return next((p for p in self.session.parts if p.call_id == call_id), None)

    def requests(self, after: float = 0.0) -> tuple[Observation, ...]:
        """The model's requests for a turn."""
        return tuple(o for o in self.timeline if is_request(o) and o.t > after)

    @property
    def ends(self) -> tuple[str, ...]:
        """How each turn ended, by its event: ``succeeded``, ``interrupted shutdown``, …"""
        return tuple(end_of(o) for o in self.timeline if is_over(o))

    @property
    def end(self) -> str:
        """How the newest turn ended, "" where no end was seen."""
        return self.ends[-1] if self.ends else ""


def end_of(o: Observation) -> str:
    """A turn's end in a word or two."""
    word = str(o.data.get("event", "")).removeprefix(_EXECUTION)
    return f"{word} {o.data.get('reason', '')}".strip()


def failures(timeline: Sequence[Observation]) -> tuple[tuple[str, str], ...]:
    """The failing's events in the order in which they came: the event's name and its text (the reason)."""
    found = []
    for o in timeline:
        event = str(o.data.get("event", o.kind))
        if event in ("session.tool.failed", "session.step.failed"):
            found.append((event, _message(o.data)))
        elif event == "session.execution.interrupted":
            found.append((event, str(o.data.get("reason", ""))))
    return tuple(found)


def _message(data: Mapping[str, object]) -> str:
    error = data.get("error")
    return str(error.get("message", "")) if isinstance(error, dict) else ""


def look(bench: Bench, prompted: Prompted, made: Path) -> Scene:
    """Look now: the session, its messages, its row, the disk. Only GETs and reads."""
    session = prompted.session
    seen = bench.connection.reader.session(session)
    row = mark(bench, session)
    past = history(bench, session)
    ran = made.exists()
    bench.timeline.add(Lane.FILE, "command has run" if ran else "command has not run", session)
    bench.timeline.add(
        Lane.CLIENT,
        "looked",
        session,
        status=seen.status.value,
        outcome=seen.outcome,
        history=list(past),
        calls=[{"call": p.call_id, "status": p.status.value, "error": p.error} for p in seen.parts],
    )
    return Scene(prompted, seen, row, past, ran, bench.timeline.of(session))


def history(bench: Bench, session: str) -> tuple[str, ...]:
    """The session's messages in a word or two each, oldest first; at most the newest fifty."""
    answer = bench.connection.actor.send(Request("GET", f"/api/session/{session}/message"))
    data = answer.get("data") if isinstance(answer, dict) else None
    messages = [m for m in data if isinstance(m, dict)] if isinstance(data, list) else []
    return tuple(word(m) for m in reversed(messages) if m.get("type") not in _MARKS)


def word(message: Mapping[str, object]) -> str:
    """One message in a word or two."""
    kind = str(message.get("type", ""))
    if kind == "assistant":
        return f"{kind} {message.get('finish') or 'unfinished'}"
    if kind == "idle":
        return f"{kind} {message.get('outcome', '')}"
    if kind == "synthetic" and str(message.get("text", "")).startswith(RESTART_WORDS):
        return "restart message"
    return kind
