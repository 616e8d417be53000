"""W101: what `always` opens and for whom, measured across sessions.

What was approved is kept by the instance, so each trial has a directory of its own and contaminates nobody.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from wedged.client.v1 import routes as v1_routes
from wedged.client.v2 import routes as v2_routes
from wedged.errors import LabError
from wedged.facts.ask import Ask
from wedged.facts.recovery import Request
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import Check, ClaimOutcome, Lane
from wedged.lab import gated
from wedged.lab.bench import Bench, Prompted
from wedged.lab.probe import probe
from wedged.lab.scenarios import w101_judgement as judge
from wedged.lab.scenarios.w101_cases import stored
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Script, Turn

# A second directory, in which nothing is ever approved; all trials may share it.
_ELSEWHERE = "always-elsewhere"
# The event of a disposal is on the timeline without its directory.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One session that makes one folder outside the project."""

    prompted: Prompted
    folder: Path

    def settled(self, bench: Bench, seconds: float) -> "Attempt":
        """The same, once the server has asked or the turn is over, after `seconds` at the latest."""
        bench.timeline.watch(self.prompted.session, lambda o: judge.is_asked(o) or is_over(o), seconds)
        return self


def run_always(bench: Bench, n: int, timing: Timing) -> Draft:
    """One trial: one session is answered `always`, and the others say what that opened.

    Raises:
        LabError: the first session did not ask exactly once, or did not go on when it was answered.
    """
    name = f"w101-always-{n}"
    here, there = bench.project(f"always-{n}"), bench.project(_ELSEWHERE)
    outside = bench.home.outside / name
    for path in (outside / "open", outside / "other"):
        path.mkdir(parents=True)

    def attempt(step: str, directory: str, below: str = "open") -> Attempt:
        folder = outside / below / step
        call = gated.makes(bench.identity.line, folder)
        script = Script(f"{name}-{step}", (Turn(calls=(call,)),))
        return Attempt(bench.prompt(script, directory), folder)

    first, waiting = (
        each.settled(bench, timing.settle_s) for each in [attempt(s, here) for s in ("first", "waiting")]
    )
    _answer_always(bench, first, timing)
    opened, other, elsewhere = (
        each.settled(bench, timing.settle_s)
        for each in [
            attempt("opened", here),
            attempt("other", here, "other"),
            attempt("elsewhere", there),
        ]
    )
    looks = [
        _look(bench, opened, _runs("always-opens-the-path-for-the-directory")),
        _look(bench, waiting, _asks("always-frees-no-other-session")),
        _look(bench, other, _asks("always-opens-no-other-path")),
        _look(bench, elsewhere, _asks("always-opens-no-other-directory")),
    ]
    _dispose(bench, here, (waiting, other), timing)
    forgotten = attempt("forgotten", here).settled(bench, timing.settle_s)
    looks.append(_look(bench, forgotten, _asks("always-is-forgotten")))
    attempts = (opened, waiting, other, elsewhere, forgotten)
    return Draft(
        first.prompted,
        tuple(check for _, check in looks),
        tuple(said for said, _ in looks),
        bench.timeline.now(),
        tuple(each.prompted.session for each in attempts),
    )


ALWAYS: dict[str, Callable[[Bench, int, Timing], Draft]] = {"always": run_always}

Judge = Callable[[judge.Scene], ClaimOutcome]


def _answer_always(bench: Bench, first: Attempt, timing: Timing) -> None:
    prompted = first.prompted
    asks = _asks_of(bench, prompted)
    if len(asks) != 1:
        raise LabError(f"{len(asks)} asks of the first session are listed; the answer needs exactly one")
    at = bench.timeline.now()
    with bench.timeline.call(prompted.session, "reply always"):
        bench.connection.actor.reply(
            asks[0].id, "always", session_id=prompted.session, directory=prompted.directory
        )
    bench.timeline.wait_for(prompted.session, is_over, "the approved turn to end", timing.settle_s, after=at)
    if not first.folder.exists():
        raise LabError("the approved call did not make its folder")


def _asks_of(bench: Bench, prompted: Prompted) -> tuple[Ask, ...]:
    asks = bench.connection.reader.asks(prompted.directory)
    return tuple(ask for ask in asks if ask.session_id == prompted.session)


def _dispose(bench: Bench, directory: str, waiting: tuple[Attempt, ...], timing: Timing) -> None:
    """End the turns that wait, then have the server let go of the directory, until it says that it has.

    Disposed of with asks pending, a directory of a busy server may answer 503 to everything from then on.
    """
    for each in waiting:
        if bench.timeline.find(each.prompted.session, is_over):
            continue  # V2's `always` frees other sessions too
        at = bench.timeline.now()
        bench.connection.actor.abort(each.prompted.session, directory)
        bench.timeline.wait_for(
            each.prompted.session, is_over, "the aborted turn to end", timing.settle_s, after=at
        )
    if bench.identity.line is Line.V1:
        _dispose_instance(bench, directory, timing)
    else:
        _evict_location(bench, directory)


def _dispose_instance(bench: Bench, directory: str, timing: Timing) -> None:
    with _ONE_AT_A_TIME:
        at = bench.timeline.now()
        bench.connection.actor.send(Request("POST", v1_routes.scoped("/instance/dispose", directory)))
        bench.timeline.wait_for(
            "",
            lambda o: o.kind == "server.instance.disposed",
            "the directory's instance to be disposed of",
            timing.settle_s,
            after=at,
        )


def _evict_location(bench: Bench, directory: str) -> None:
    # Its answer is the word for it: a list of what is loaded may show the next one of that name already.
    bench.connection.actor.send(Request("DELETE", v2_routes.scoped(v2_routes.LOCATIONS, directory)))


def _look(bench: Bench, attempt: Attempt, judged: Judge) -> tuple[ClaimOutcome, Check]:
    """What became of one session, and whether its call is stored as it was made."""
    prompted = attempt.prompted
    # The session's own list is left out: for it the server would load its newer engine in each directory.
    seen = replace(probe(bench, prompted, about_asks=False), asks=_asks_of(bench, prompted))
    made = attempt.folder.exists()
    bench.timeline.add(Lane.FILE, "folder made" if made else "folder missing", prompted.session)
    scene = judge.Scene(prompted, seen, made, bench.timeline.of(prompted.session))
    check = stored(scene.gated, prompted.script.turns[0].calls[0])
    step = prompted.script.name.rpartition("-")[2]
    return judged(scene), Check(f"{step}: {check.rule}", check.passed, check.detail)


def _runs(claim: str) -> Judge:
    """The call ran, and nobody was asked."""

    def judged(scene: judge.Scene) -> ClaimOutcome:
        asked = any(map(judge.is_asked, scene.timeline))
        ran = scene.gated is not None and scene.gated.status is PartStatus.COMPLETED and scene.folder_made
        return judge.outcome(claim, judge.is_turn_over(scene) and ran and not asked, asked, _why(scene))

    return judged


def _asks(claim: str) -> Judge:
    """The session waits on an ask of its own."""

    def judged(scene: judge.Scene) -> ClaimOutcome:
        waits = scene.probe.session.status is Status.BUSY and len(scene.asks) == 1 and not scene.folder_made
        return judge.outcome(claim, waits, judge.is_turn_over(scene) and scene.folder_made, _why(scene))

    return judged


def _why(scene: judge.Scene) -> str:
    made = "made" if scene.folder_made else "missing"
    return f"session {scene.probe.session.status}, {len(scene.asks)} asks listed, folder {made}"
