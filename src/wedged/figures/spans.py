"""From dots to bars: which observations open a state, which close it, and what stands between them."""

from collections.abc import Iterable
from dataclasses import dataclass

from wedged.facts.trial import Lane, Observation

# A thing in one of these states still has something ahead of it.
OPEN_WORDS = frozenset(
    [
        "busy",
        "retry",
        "running",
        "pending",
        "streaming",
        "asked",
        "open",
        "request",
        "requested",
        "started",
        "listed",
        "alive",
        "waiting",
        "begins",
    ]
)
CLOSED_WORDS = frozenset(
    [
        "idle",
        "completed",
        "complete",
        "error",
        "replied",
        "rejected",
        "closed",
        "response",
        "answered",
        "end",
        "finished",
        "ended",
        "exited",
        "gone",
        "unlisted",
        "aborted",
        "stopped",
        "done",
        "ends",
    ]
)
# The other lanes hold events, which last no time.
_LASTING = frozenset({Lane.STATUS, Lane.PART, Lane.ASK, Lane.MODEL, Lane.PROCESS, Lane.RECORDER})


@dataclass(frozen=True, slots=True)
class Span:
    """One thing open on one lane: `thing` names it, `word` is the state that opened it. `end` is seconds, or
    None where nothing closed it."""

    lane: Lane
    thing: str
    word: str
    begin: float
    end: float | None


def state_word(observation: Observation) -> str:
    """The state an observation speaks of: its data's ``status``, else the last word of its kind."""
    status = observation.data.get("status")
    if isinstance(status, str) and status:
        return status
    return observation.kind.replace("-", ".").replace("_", ".").replace(" ", ".").rpartition(".")[2]


def thing_of(observation: Observation) -> str:
    """Which thing of its lane an observation is about: the id in its data, else its subject."""
    for key in ("id", "ask", "part", "call_id", "call", "request", "pid"):
        value = observation.data.get(key)
        if isinstance(value, str | int) and value != "":
            return str(value)
    return observation.subject


def spans(observations: Iterable[Observation]) -> tuple[Span, ...]:
    """The open intervals, by lane and begin."""
    done: list[Span] = []
    open_now: dict[tuple[Lane, str], Span] = {}
    for seen in sorted((o for o in observations if o.lane in _LASTING), key=lambda o: o.t):
        key = (seen.lane, thing_of(seen))
        word = state_word(seen)
        current = open_now.get(key)
        if word in OPEN_WORDS:
            if current is None:
                open_now[key] = Span(seen.lane, key[1], word, seen.t, None)
        elif word in CLOSED_WORDS and current is not None:
            del open_now[key]
            done.append(Span(current.lane, current.thing, current.word, current.begin, seen.t))
    done.extend(open_now.values())
    return tuple(sorted(done, key=lambda s: (s.lane, s.begin, s.thing)))
