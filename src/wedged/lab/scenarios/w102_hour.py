"""W102's hour: nothing is sent for longer than a server keeps what is idle."""

import os
from collections.abc import Sequence

from wedged.facts.server import Line
from wedged.facts.trial import Check
from wedged.lab.an_hour import HOUR
from wedged.lab.bench import Bench
from wedged.lab.scenarios.w102_judgement import without_event
from wedged.lab.scenarios.w102_stage import is_terminal
from wedged.lab.scenarios.w102_waiting import begin_all
from wedged.lab.timeline import is_over
from wedged.lab.trials import CellId, Draft, Group, Timing, overlapping

_HOUR_S = 3900.0
_NOT_NOW = f"it takes more than an hour: set {HOUR}=1 to have it run"


def idle(bench: Bench, cells: Sequence[CellId], timing: Timing) -> dict[CellId, Draft | str]:
    """Nothing is sent for more than an hour."""
    ready, failed = begin_all(bench, cells, timing, shell=False)

    def wait(cell: CellId) -> Draft:
        stage, ask = ready[cell].stage, ready[cell].ask
        at = bench.timeline.now()
        bench.timeline.watch(stage.session, lambda o: is_terminal(o) or is_over(o), _HOUR_S, after=at)
        seen = stage.look()
        gone = Check(
            "an hour has passed, or the ask went before", not seen.lists(ask) or seen.t - at > _HOUR_S
        )
        reply = stage.reply(ask)
        outcome = without_event("idle-no-event", seen, ask, at, reply, may_stay=True)
        return stage.draft(seen, (outcome,), gone)

    return {**failed, **overlapping(ready, wait)}


def an_hour() -> Group:
    """The arm, with its reason for not being run where it was not asked for."""
    not_now = {} if os.environ.get(HOUR) else {"idle": dict.fromkeys(Line, _NOT_NOW)}
    return Group("an hour", {"idle": 2}, False, idle, not_on=not_now)
