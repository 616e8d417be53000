"""One session, looked at through every channel at one moment."""

from dataclasses import dataclass

from wedged.facts.ask import Ask
from wedged.facts.session import SessionFacts, ToolPart
from wedged.facts.trial import Lane, Observation
from wedged.lab.bench import Bench, Prompted


@dataclass(frozen=True, slots=True)
class Probe:
    """What was seen. `t` is when the look began, seconds on the timeline.

    `asks` are those of this session that the server-wide list names, `session_asks` those that the session's
    own list names, `child_asks` those of its `children`; all are empty where nothing was asked about asks.
    `turns` counts the model requests that offered tools, `in_flight` those without an end. `processes` are
    command lines below the server that carry the trial's name.
    """

    t: float
    session: SessionFacts
    children: tuple[SessionFacts, ...]
    asks: tuple[Ask, ...]
    child_asks: tuple[Ask, ...]
    session_asks: tuple[Ask, ...]
    turns: int
    in_flight: int
    processes: tuple[str, ...]

    def part(self, call_id: str) -> ToolPart | None:
        """The tool call that the model gave this id."""
        return next((p for p in self.session.parts if p.call_id == call_id), None)


def probe(bench: Bench, prompted: Prompted, *, about_asks: bool = True) -> Probe:
    """Look now. Only GETs, and a walk over the process tree. `about_asks` False leaves the lists out."""
    reader, at = bench.connection.reader, bench.timeline.now()
    session, where = prompted.session, prompted.directory
    listed = reader.asks(where) if about_asks else ()
    children = reader.children(session, where) if about_asks else ()
    below = {child.id for child in children}
    seen = bench.timeline.of(prompted.session)
    look = Probe(
        t=at,
        session=reader.session(session, where),
        children=children,
        asks=tuple(ask for ask in listed if ask.session_id == session),
        child_asks=tuple(ask for ask in listed if ask.session_id in below),
        session_asks=reader.session_asks(session, where) if about_asks else (),
        turns=len(turns_asked(seen)),
        in_flight=in_flight(seen),
        processes=tuple(
            line for p in bench.server.tree() if prompted.script.name in (line := " ".join(p.argv))
        ),
    )
    bench.timeline.add(Lane.CLIENT, "looked", session, **_as_data(look))
    return look


def _as_data(look: Probe) -> dict[str, object]:
    """What the look saw, for the trial's timeline: the outcomes can be derived from it again."""
    return {
        "session": look.session.status.value,
        "parts": [
            {"call": p.call_id, "tool": p.tool, "status": p.status.value, "started": p.started}
            for p in look.session.parts
        ],
        "asks": [{"ask": a.id, "action": a.action, "call": a.call_id, "by": a.listed_by} for a in look.asks],
        "child_asks": [{"ask": a.id, "action": a.action, "call": a.call_id} for a in look.child_asks],
        "session_asks": [a.id for a in look.session_asks],
        "turns": look.turns,
        "in_flight": look.in_flight,
        "processes": list(look.processes),
    }


def turns_asked(seen: tuple[Observation, ...]) -> tuple[Observation, ...]:
    """The requests for a turn: those that offered tools (a title's request offers none)."""
    return tuple(o for o in seen if o.lane is Lane.MODEL and o.kind == "request" and o.data["offers_tools"])


def in_flight(seen: tuple[Observation, ...]) -> int:
    """How many requests to the model have neither ended nor been hung up on."""
    kinds = [o.kind for o in seen if o.lane is Lane.MODEL]
    return kinds.count("request") - kinds.count("end") - kinds.count("gone")
