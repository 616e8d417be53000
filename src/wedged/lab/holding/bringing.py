"""From a code to its state on a bench, and the proof that the state is there."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from wedged.errors import LabError
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import Lane
from wedged.lab.bench import Bench, Prompted
from wedged.lab.conformance import Scene
from wedged.lab.conformance.judgement import HeldAsk
from wedged.lab.scenarios import (
    scenario,
    w001_wrong_directory,
    w002_two_servers_one_store,
    w101_ungated_external_ask,
    w102_disposal_without_revocation,
    w103_decline_as_shutdown,
    w104_leftover_ask,
    w105_hidden_child_ask,
    w201_hard_crash,
    w203_orphaned_process,
    w301_invisible_background_shell,
)
from wedged.lab.scenarios.w102_acts import delete, dispose, disposed
from wedged.lab.scenarios.w102_stage import Stage, begin, is_asked, is_revoked, pending
from wedged.lab.second_server import SecondServer
from wedged.lab.trials import Timing

_HOLDS: Mapping[str, "Hold"] = {
    "W001": w001_wrong_directory.hold,
    "W101": w101_ungated_external_ask.hold,
    "W102": w102_disposal_without_revocation.hold,
    "W103": w103_decline_as_shutdown.hold,
    "W104": w104_leftover_ask.hold,
    "W105": w105_hidden_child_ask.hold,
    "W201": w201_hard_crash.hold,
    "W203": w203_orphaned_process.hold,
    "W301": w301_invisible_background_shell.hold,
}


class Hold(Protocol):
    """How a scenario brings a session into its state."""

    def __call__(self, bench: Bench, directory: str = "", name: str = "held") -> Prompted:
        """The session, in its state."""


# Asks of these states wait for nobody any more.
_ASK_IS_DEAD = ("W102", "W104")
_WORKS_UNNAMED = ("W001", "W002")


@dataclass(frozen=True)
class Brought:
    """The state, as a client will meet it. `other` is the second server of W002.

    `finish` does what is left to do; only an ask that goes late has something left.
    """

    scene: Scene
    other: SecondServer | None = None
    finish: Callable[[], None] = lambda: None


@contextmanager
def bring(bench: Bench, code: str, *, late: bool = False, name: str = "held") -> Iterator[Brought]:
    """Bring a session of `bench` into the state of `code`, until the end of the block.

    `late` is for W102: the ask is still there, and goes when `finish` is called. `name` is new on the bench.

    Raises:
        LabError: this server can't be brought into it, and why.
        DeadlinePassed: it did not come about in time.
    """
    _must_have_its_routes(bench, code)
    if code == "W002":
        with w002_two_servers_one_store.hold(bench, name) as (other, prompted):
            yield Brought(_checked(bench, code, prompted), other)
        return
    if code == "W102" and late:
        yield _going_late(bench, name)
        return
    yield Brought(_checked(bench, code, _HOLDS[code](bench, name=name)))


def _must_have_its_routes(bench: Bench, code: str) -> None:
    found = scenario(code).absent(bench).get("")
    if found is not None and found.shows_absence:
        raise LabError(
            f"{_name(bench)} has no {code}: {found.route} is missing (it answers {found.answered})"
        )


def _going_late(bench: Bench, name: str) -> Brought:
    """W102 with its ask still pending. A rehearsal with another session shows that it will go unheard."""
    before = f"{name}-rehearsed"
    rehearsed = w102_disposal_without_revocation.cause(bench, bench.project(before), before)
    _checked(bench, "W102", rehearsed.prompted)
    delete(rehearsed)
    stage = begin(bench, bench.project(name), name)
    stage.waiting(Timing())
    return Brought(_scene(bench, "W102", stage.prompted), finish=lambda: _lose(stage))


def _lose(stage: Stage) -> None:
    at = stage.bench.timeline.now()
    dispose(stage)
    disposed(stage, at, Timing())


def _checked(bench: Bench, code: str, prompted: Prompted) -> Scene:
    scene = _scene(bench, code, prompted)
    why_not = _CHECKS[code](bench, scene)
    if why_not:
        raise LabError(f"{_name(bench)} does not have {code}: {why_not}")
    return scene


def _scene(bench: Bench, code: str, prompted: Prompted) -> Scene:
    reader, session, directory = bench.connection.reader, prompted.session, prompted.directory
    children = tuple(one.id for one in reader.children(session, directory)) if code == "W105" else ()
    listed = [ask for one in (session, *children) for ask in pending(bench, one, directory)]
    asks = [HeldAsk(ask.id, ask.session_id, directory, code not in _ASK_IS_DEAD) for ask in listed]
    if code == "W102" and not asks:
        asks = [HeldAsk(_asked(bench, session), session, directory, alive=False)]
    shells = tuple(one.id for one in reader.shells(directory) if one.session_id == session)
    return Scene(
        code,
        bench.identity.line,
        session,
        directory,
        reader.directory(),
        children,
        tuple(asks),
        shells,
        works=code in _WORKS_UNNAMED,
    )


def _asked(bench: Bench, session: str) -> str:
    found = bench.timeline.find(session, is_asked)
    return str(found.data["ask"]) if found else ""


def _name(bench: Bench) -> str:
    return bench.identity.key


def _hidden(bench: Bench, scene: Scene) -> str:
    named = scene.session in bench.connection.reader.statuses()
    if named:
        return "its bare list of statuses names the session"
    return "" if _running(bench, scene) else "the session's call does not run"


def _running(bench: Bench, scene: Scene) -> bool:
    parts = bench.connection.reader.session(scene.session, scene.directory).parts
    return any(part.status is PartStatus.RUNNING for part in parts)


def _asks(bench: Bench, scene: Scene) -> str:
    del bench
    owners = {ask.session for ask in scene.asks}
    return "" if set(scene.children or (scene.session,)) & owners else "no ask is listed"


def _went_unheard(bench: Bench, scene: Scene) -> str:
    (ask,) = scene.asks
    if any(one.id == ask.id for one in pending(bench, ask.session, ask.directory)):
        return "the ask is still listed"
    heard = bench.timeline.find(ask.session, lambda o: is_revoked(o, ask.id))
    return f"an event says that the ask is gone ({heard.kind})" if heard else ""


def _as_shutdown(bench: Bench, scene: Scene) -> str:
    found = bench.timeline.find(
        scene.session, lambda o: o.lane is Lane.STATUS and o.data.get("reason") == "shutdown"
    )
    return "" if found else "the declined turn is not recorded as a shutdown"


def _left_over(bench: Bench, scene: Scene) -> str:
    if not scene.asks:
        return "the ask of the aborted turn is not listed any more"
    status = bench.connection.reader.session(scene.session, scene.directory).status
    return "" if status is Status.IDLE else f"the session is {status.value}"


def _shell(bench: Bench, scene: Scene) -> str:
    del bench
    return "" if scene.shells else "no shell of the session is listed"


def _by_itself(bench: Bench, scene: Scene) -> str:
    """The scenario's own `hold` raises where the state is not there."""
    del bench, scene
    return ""


_CHECKS: Mapping[str, Callable[[Bench, Scene], str]] = {
    "W001": _hidden,
    "W002": _hidden,
    "W101": _asks,
    "W102": _went_unheard,
    "W103": _as_shutdown,
    "W104": _left_over,
    "W105": _asks,
    "W201": _by_itself,
    "W203": _by_itself,
    "W301": _shell,
}
