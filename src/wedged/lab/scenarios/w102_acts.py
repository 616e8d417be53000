"""What takes a pending ask away, as each line of servers has it."""

from collections.abc import Callable, Iterable

from wedged.client.v1.routes import scoped as v1_scoped
from wedged.client.v2 import routes as v2_routes
from wedged.errors import ServerSaidNo
from wedged.facts.recovery import Request
from wedged.facts.server import Line
from wedged.facts.trial import Check, Lane, Observation
from wedged.lab.bench import Bench
from wedged.lab.scenarios.w102_stage import Stage
from wedged.lab.trials import Timing
from wedged.waiting import wait_until

# Where an answer is not the routes' own, since these tell whether a server has the feature at all.
GLOBAL_CONFIG = "/global/config"
GLOBAL_DISPOSE = "/global/dispose"
RELOAD = "/api/location/reload"
_DISPOSED = ("server.instance.disposed", "location.shutdown")

Act = Callable[[Stage], None]


def dispose(stage: Stage) -> None:
    """Dispose of the session's instance (V1), or evict its location (V2), and of nobody else's."""
    if stage.bench.identity.line is Line.V1:
        request = Request("POST", v1_scoped("/instance/dispose", stage.directory))
    else:
        request = Request("DELETE", v2_routes.scoped(v2_routes.LOCATIONS, stage.directory))
    stage.send("dispose", request)


def nothing(stage: Stage) -> None:
    """A fault that does nothing: one of the dead-man's three."""
    stage.bench.timeline.add(Lane.CLIENT, "nothing done", stage.session)


def delete(stage: Stage) -> float:
    """Delete the session; when, in seconds on the timeline."""
    at = stage.bench.timeline.now()
    if stage.bench.identity.line is Line.V1:
        path = v1_scoped(f"/session/{stage.session}", stage.directory)
    else:
        path = v2_routes.session(stage.session)
    stage.send("delete session", Request("DELETE", path))
    return at


def disposed(stage: Stage, at: float, timing: Timing) -> Check:
    """Whether the instance or location really went after `at`, waited for; then give the turn its time.

    Servers say so by an event. The preview does not: there the location is loaded no more, or, since whatever
    asks about a location loads it again, the server's own answer to the request has to do; and its turn gets
    `watch_s`, for it may well stay as it is.
    """
    rule = "the session's instance was disposed of, before the observation"
    bench = stage.bench
    if bench.identity.line is Line.V2_PREVIEW:
        check = Check(rule, *_gone(stage, at))
        stage.settle(at, timing.watch_s, timing)
        return check

    def said() -> bool:
        named = (o for o in bench.timeline.of("") if o.kind in _DISPOSED and o.t > at)
        return any(o.data.get("directory") == stage.directory for o in named)

    went = bool(wait_until(said, timing.settle_s, every=0.05))
    if went:
        stage.settle(at, timing.settle_s, timing)
    return Check(rule, went, "said by its event" if went else "no event says so")


def _gone(stage: Stage, at: float) -> tuple[bool, str]:
    loaded = stage.bench.connection.reader.loaded()
    if loaded is not None and stage.directory not in loaded:
        return True, "loaded no more"
    find = stage.bench.timeline.find
    asked = find(stage.session, lambda o: o.lane is Lane.CLIENT and o.kind == "dispose", at)
    failed = find(stage.session, lambda o: o.kind == "dispose failed", at)
    answered = asked is not None and failed is None
    return answered, "answered 204, and loaded again since" if answered else "no sign of it"


def answers(stage: Stage) -> int:
    """The HTTP status with which the session's directory answers a plain read."""
    try:
        stage.bench.connection.reader.statuses(stage.directory)
    except ServerSaidNo as error:
        return error.status
    return 200


def model_refuses(seen: Observation) -> bool:
    """The scripted model has answered a request with an error."""
    return seen.lane is Lane.MODEL and seen.kind == "end" and seen.data.get("status", 200) != 200


def every_directory(bench: Bench, stages: Iterable[Stage], what: str) -> float:
    """One request that reaches every directory of the server; when, in seconds on the timeline.

    `what` is a route to POST to, or the user name that the global config is to have: a change that takes
    effect, and none to what a session does.
    """
    at = bench.timeline.now()
    post = what.startswith("/")
    for stage in stages:
        bench.timeline.add(Lane.CLIENT, what if post else f"config {what}", stage.session)
    method, path = ("POST", what) if post else ("PATCH", GLOBAL_CONFIG)
    bench.connection.actor.send(Request(method, path, None if post else {"username": what}))
    return at
