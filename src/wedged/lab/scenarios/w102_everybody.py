"""W102's arms that reach everybody on a server: config, dispose, reload, restarts, an hour's silence."""

import os
from collections.abc import Callable, Sequence

from wedged.facts.ask import Ask
from wedged.facts.server import Line
from wedged.facts.trial import Check, ClaimOutcome
from wedged.lab.bench import Bench
from wedged.lab.scenarios import w102_everybody_judgement as judge
from wedged.lab.scenarios.w102_acts import GLOBAL_DISPOSE, RELOAD, disposed, every_directory
from wedged.lab.scenarios.w102_judgement import without_event
from wedged.lab.scenarios.w102_stage import Sight, Stage, begin, is_terminal
from wedged.lab.scenarios.w102_storm import Storm
from wedged.lab.timeline import is_over
from wedged.lab.trials import CellId, Draft, Group, Timing, overlapping

# Set to have the arm run that takes an hour.
HOUR = "WEDGED_HOUR"
_HOUR_S = 3900.0
_NOT_NOW = f"it takes more than an hour: set {HOUR}=1 to have it run"
_RESTART = "sigterm"

Asked = tuple[Stage, Ask]
Drafts = dict[CellId, Draft | str]


def _begin(bench: Bench, cells: Sequence[CellId], timing: Timing, *, own: bool) -> dict[CellId, Asked | str]:
    """Every cell's session, its ask pending; with `own`, each in a directory of its own."""

    def ask(cell: CellId) -> Asked:
        name = f"w102-{cell[0]}-{cell[1]}"
        stage = begin(bench, bench.project(name) if own else bench.project(), name)
        return stage, stage.waiting(timing)

    return overlapping(cells, ask)


def _ready(begun: dict[CellId, Asked | str]) -> tuple[dict[CellId, Asked], Drafts]:
    """Those that wait, and the sentences of those that do not."""
    waiting = {cell: one for cell, one in begun.items() if not isinstance(one, str)}
    return waiting, {cell: why for cell, why in begun.items() if isinstance(why, str)}


def everybody(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    """A config that changes nothing and one that does, a global dispose, a reload, a restart: each once for
    all."""
    drafts: Drafts = {}
    for arms, work in (
        (("config",), _config),
        (("global",), _global),
        (("reload",), _reload),
        (("storm", _RESTART), _restarts),
    ):
        if mine := [cell for cell in cells if cell[0] in arms]:
            drafts |= work(bench, mine, timing)
    return drafts


def _config(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    # The first change of all writes the file anew, whatever it says; what follows is compared with that.
    every_directory(bench, [], "first")
    ready, failed = _ready(_begin(bench, cells, timing, own=True))
    stages = [stage for stage, _ in ready.values()]
    same = every_directory(bench, stages, "first")
    for stage in stages:
        bench.timeline.watch(stage.session, is_terminal, timing.watch_s / 2, after=same)
    kept = {cell: stage.look() for cell, (stage, _) in ready.items()}
    at = every_directory(bench, stages, "second")
    return failed | _finish(
        ready, at, timing, lambda cell, seen, ask, reply: judge.config(kept[cell], seen, ask, at, reply)
    )


def _global(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    ready, failed = _ready(_begin(bench, cells, timing, own=True))
    at = every_directory(bench, [stage for stage, _ in ready.values()], GLOBAL_DISPOSE)
    return failed | _finish(
        ready,
        at,
        timing,
        lambda _, *seen: (without_event("global-no-event", seen[0], seen[1], at, seen[2]),),
    )


def _reload(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    ready, failed = _ready(_begin(bench, cells, timing, own=True))
    at = every_directory(bench, [stage for stage, _ in ready.values()], RELOAD)
    return failed | _finish(ready, at, timing, lambda _, seen, ask, reply: judge.reload(seen, ask, at, reply))


# From what was seen, the ask and a late reply's status to the outcomes.
Judged = Callable[[CellId, Sight, Ask, int], tuple[ClaimOutcome, ...]]


def _finish(ready: dict[CellId, Asked], at: float, timing: Timing, judged: Judged) -> Drafts:
    def finish(cell: CellId) -> Draft:
        stage, ask = ready[cell]
        went = disposed(stage, at, timing)
        seen = stage.look()
        return stage.draft(seen, judged(cell, seen, ask, stage.reply(ask)), went)

    return overlapping(ready, finish)


def _restarts(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    """The storms run up to a restart by SIGTERM, which others wait for, too."""
    stormy, failed = _ready(_begin(bench, [c for c in cells if c[0] == "storm"], timing, own=True))
    storms = {cell: Storm(*one) for cell, one in stormy.items()}

    def blow(cell: CellId) -> None:
        storms[cell].begin(timing)
        for how in ("reloaded", "reopened"):
            storms[cell].load_again(how)

    blown = overlapping(storms, blow)
    drafts: Drafts = {**failed, **{cell: why for cell, why in blown.items() if isinstance(why, str)}}
    first, lost = _ready(_begin(bench, [c for c in cells if c[0] == _RESTART], timing, own=False))
    drafts |= lost
    at = bench.timeline.now()
    bench.restart("SIGTERM")

    def again(cell: CellId) -> Draft:
        if cell in storms:
            return storms[cell].finish()
        stage, ask = first[cell]
        seen = stage.look()
        return stage.draft(seen, judge.restarted(_RESTART, seen, ask, at, stage.reply(ask)))

    drafts |= overlapping([*(c for c in storms if c not in drafts), *first], again)
    return drafts


def idle(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    """Nothing is sent for more than an hour."""
    ready, failed = _ready(_begin(bench, cells, timing, own=True))

    def wait(cell: CellId) -> Draft:
        stage, ask = ready[cell]
        at = bench.timeline.now()
        bench.timeline.watch(stage.session, lambda o: is_terminal(o) or is_over(o), _HOUR_S, after=at)
        seen = stage.look()
        gone = Check(
            "an hour has passed, or the ask went before", not seen.lists(ask) or seen.t - at > _HOUR_S
        )
        reply = stage.reply(ask)
        return stage.draft(seen, (without_event("idle-no-event", seen, ask, at, reply),), gone)

    return failed | overlapping(ready, wait)


def groups(trials: int) -> tuple[Group, ...]:
    """A server that everything is done to, and the hour, where it was asked for."""
    count = max(2, trials // 5)
    asked_for = bool(os.environ.get(HOUR))
    return (
        Group(
            "everybody",
            dict.fromkeys(("config", "global", "reload", "storm", _RESTART), count),
            False,
            everybody,
        ),
        Group(
            "an hour",
            {"idle": 2},
            False,
            idle,
            not_on={} if asked_for else {"idle": dict.fromkeys(Line, _NOT_NOW)},
        ),
    )
