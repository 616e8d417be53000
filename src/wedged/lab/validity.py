"""What makes a trial valid beside what its own scenario checks."""

from collections.abc import Sequence
from dataclasses import replace

from wedged.client.v1.routes import scoped
from wedged.errors import LabError, WedgedError
from wedged.facts.recovery import Request
from wedged.facts.server import Line
from wedged.facts.trial import Check, Lane, Observation
from wedged.lab.bench import Bench
from wedged.lab.binary_hash import running_binary_sha256
from wedged.lab.incarnation import expected_sha256

# What the recorder says of itself when it is not to be trusted. "stream ends" and "restarted" are meant.
_GAPS = ("gap begins", "gap ends", "refused", "unreadable event")
# What was done to the server belongs to every trial whose time it falls into.
_OF_ALL = ("stream ends", "server ended", "restarted")


def same_server(bench: Bench, when: str) -> Check:
    """The current incarnation still runs, and is the binary that was installed."""
    rule = f"the server is the one that was started, {when}: same process, same binary"
    if not bench.server.alive():
        return Check(rule, False, "the process is gone")
    try:
        digest = running_binary_sha256(bench.server.process.pid)
    except LabError as error:
        return Check(rule, False, str(error))
    expected = bench.identity.binary_sha256
    return Check(rule, digest == expected, "" if digest == expected else "the binary's hash differs")


def ended_as_meant(bench: Bench) -> Check:
    """Every incarnation ran the same binary, and no other end came upon one than the one that was made."""
    rule = "every start was of the same binary, and every end was the one that was made"
    wrong = [
        f"incarnation {n} ran another binary"
        for n, life in enumerate(bench.incarnations, 1)
        if life.binary_sha256 != expected_sha256(life)
    ]
    wrong += [
        f"incarnation {n} did not end by {past.how} alone"
        for n, past in enumerate(bench.past, 1)
        if not past.as_meant
    ]
    return Check(rule, not wrong, "; ".join(wrong))


def only_the_scripted_provider(bench: Bench, directory: str) -> Check:
    """The server offers no other provider in this directory: no turn there can have gone elsewhere."""
    rule = "the server knows no model provider but the scripted one"
    path = (
        scoped("/config/providers", directory)
        if bench.identity.line is Line.V1
        else f"/api/provider?location[directory]={directory}"
    )
    try:
        names = provider_names(bench.connection.actor.send(Request("GET", path)))
    except WedgedError as error:
        return Check(rule, False, str(error))
    return Check(rule, names == ["mock"], f"it knows: {', '.join(names) or 'none'}")


def provider_names(answer: object) -> list[str]:
    """The providers' ids in either line's answer."""
    body = answer if isinstance(answer, dict) else {}
    listed = body.get("providers", body.get("data"))
    return [str(p.get("id")) for p in listed if isinstance(p, dict)] if isinstance(listed, list) else []


def scripted_model_asked(seen: Sequence[Observation]) -> Check:
    """The trial's session is in the scripted model's own log."""
    asked = any(o.lane is Lane.MODEL and o.kind == "request" and o.data["offers_tools"] for o in seen)
    return Check("the scripted model was the one asked", asked)


def no_gap(bench: Bench, start: float, end: float) -> Check:
    """The event stream was followed from `start` to `end`, restarts that were made left out."""
    gaps = [o for o in bench.timeline.of("") if o.lane is Lane.RECORDER and o.kind in _GAPS]
    # An event that could not be read spoils the trials it fell into, not those that began later.
    open_at_start = [o for o in gaps if o.t <= start and o.kind != "unreadable event"][-1:]
    hit = [o for o in gaps if start < o.t <= end] + [o for o in open_at_start if o.kind != "gap ends"]
    return Check("no gap in the event stream", not hit, "; ".join(o.kind for o in hit))


def done_to_the_server(bench: Bench, session: str, start: float, end: float) -> tuple[Observation, ...]:
    """The server's ends and starts between `start` and `end`, as observations about `session`."""
    seen = (o for o in bench.timeline.of("") if o.kind in _OF_ALL and start < o.t <= end)
    return tuple(replace(o, subject=session) for o in seen)
