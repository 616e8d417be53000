"""W102's arms that reach everybody on a server: config, dispose, reload, a terminal's reload, restarts.

One server sees all of them, one after another, and at last a restart: what is left of each ask is then looked
at once more. So arms whose disposal reaches one directory only are here, too, where they are about that.
"""

from collections.abc import Callable, Sequence

from wedged.facts.ask import Ask
from wedged.facts.trial import Check, ClaimOutcome
from wedged.lab.bench import Bench
from wedged.lab.scenarios import w102_everybody_judgement as judge
from wedged.lab.scenarios import w102_terminal
from wedged.lab.scenarios.w102_acts import (
    GLOBAL_DISPOSE,
    RELOAD,
    delete,
    dispose,
    disposed,
    every_directory,
)
from wedged.lab.scenarios.w102_hour import an_hour
from wedged.lab.scenarios.w102_judgement import facts, without_event
from wedged.lab.scenarios.w102_stage import Sight, is_terminal
from wedged.lab.scenarios.w102_storm import Storm
from wedged.lab.scenarios.w102_waiting import Gone, Waiting, begin_all
from wedged.lab.trials import CellId, Draft, Group, Timing, overlapping, share_out

_RESTART = "sigterm"
THEN_RESTART = ("dispose-then-restart", "interrupt-then-restart", "delete-then-restart")

Drafts = dict[CellId, Draft | str]
Before = dict[CellId, Gone | str]
# From what was seen, the ask and a late reply's status to the outcomes.
Judged = Callable[[CellId, Sight, Ask, int], tuple[ClaimOutcome, ...]]


def everybody(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    """A config that changes nothing and one that does, a global dispose, a reload, a terminal's reload, three
    ways in one directory each, and a restart: each once for all."""
    gone: Before = {}
    for arms, work in (
        (("config",), _config),
        (("global",), _global),
        (("reload",), _reload),
        (THEN_RESTART, _one_directory_each),
    ):
        if mine := [cell for cell in cells if cell[0] in arms]:
            gone |= work(bench, mine, timing)
    drafts = w102_terminal.signalled(bench, [c for c in cells if c[0] in w102_terminal.ARMS], timing)
    return drafts | _restarts(bench, [c for c in cells if c[0] in ("storm", _RESTART)], gone, timing)


def _config(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Before:
    # The first change of all writes the file anew, whatever it says; what follows is compared with that.
    every_directory(bench, [], "first")
    ready, failed = begin_all(bench, cells, timing)
    stages = [one.stage for one in ready.values()]
    same = every_directory(bench, stages, "first")
    for stage in stages:
        bench.timeline.watch(stage.session, is_terminal, timing.watch_s / 2, after=same)
    kept = {cell: one.stage.look() for cell, one in ready.items()}
    at = every_directory(bench, stages, "second")
    return failed | _finish(
        ready, at, timing, lambda cell, seen, ask, reply: judge.config(kept[cell], seen, ask, at, reply)
    )


def _global(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Before:
    ready, failed = begin_all(bench, cells, timing)
    at = every_directory(bench, [one.stage for one in ready.values()], GLOBAL_DISPOSE)
    return failed | _finish(ready, at, timing, _silent("global-no-event", at))


def _reload(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Before:
    ready, failed = begin_all(bench, cells, timing)
    at = every_directory(bench, [one.stage for one in ready.values()], RELOAD)
    return failed | _finish(ready, at, timing, lambda _, seen, ask, reply: judge.reload(seen, ask, at, reply))


def _silent(claim: str, at: float) -> Judged:
    return lambda _, seen, ask, reply: (without_event(claim, seen, ask, at, reply),)


def _finish(ready: dict[CellId, Waiting], at: float, timing: Timing, judged: Judged) -> Before:
    def finish(cell: CellId) -> Gone:
        one = ready[cell]
        went = disposed(one.stage, at, timing)
        seen = one.stage.look()
        bystander = one.bystander(at, timing)
        outcomes = judged(cell, seen, one.ask, one.stage.reply(one.ask))
        return Gone(one, seen, seen, outcomes, (went,), bystander)

    return dict(overlapping(ready, finish))


def _one_directory_each(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Before:
    """A disposal, an interrupt or a delete, each in a directory of its own, and no reply: for the restart."""
    ready, failed = begin_all(bench, cells, timing)

    def lose(cell: CellId) -> Gone:
        one, before = ready[cell], ready[cell].stage.look()
        checks: tuple[Check, ...] = ()
        at = bench.timeline.now()
        if cell[0].startswith("dispose"):
            dispose(one.stage)
            checks = (disposed(one.stage, at, timing),)
        elif cell[0].startswith("interrupt"):
            one.stage.settle(one.stage.stop(), timing.settle_s, timing)
        else:
            deleted = delete(one.stage)
            bench.timeline.watch(
                one.stage.session, lambda o: o.kind == "session.deleted", timing.watch_s, after=deleted
            )
        seen = one.stage.look()
        stored, found = seen if seen.session else before, facts(seen, one.ask, at)
        return Gone(one, seen, stored, (), checks, one.bystander(at, timing), found)

    return failed | dict(overlapping(ready, lose))


def _restarts(bench: Bench, cells: Sequence[CellId], gone: Before, timing: Timing) -> Drafts:
    """The storms run up to a restart by SIGTERM, which others wait for; then at what went before it."""
    stormy, failed = begin_all(bench, [c for c in cells if c[0] == "storm"], timing, shell=False)
    storms = {cell: Storm(one.stage, one.ask) for cell, one in stormy.items()}

    def blow(cell: CellId) -> None:
        storms[cell].begin(timing)
        for how in ("reloaded", "reopened"):
            storms[cell].load_again(how)

    blown = overlapping(storms, blow)
    drafts: Drafts = {**failed, **{cell: why for cell, why in blown.items() if isinstance(why, str)}}
    first, lost = begin_all(bench, [c for c in cells if c[0] == _RESTART], timing, own=False)
    drafts |= lost
    drafts |= {cell: why for cell, why in gone.items() if isinstance(why, str)}
    at = bench.timeline.now()
    bench.restart("SIGTERM")

    def again(cell: CellId) -> Draft:
        if cell in storms:
            return storms[cell].finish()
        was = gone.get(cell)
        if isinstance(was, Gone):
            return _after_restart(cell[0], was)
        one = first[cell]
        seen, fate = one.stage.look(), one.bystander_now()
        outcomes = judge.restarted(_RESTART, seen, one.ask, at, one.stage.reply(one.ask), fate)
        return one.stage.draft(seen, outcomes, also=one.also)

    left = [c for c, one in gone.items() if isinstance(one, Gone)]
    drafts |= overlapping([*(c for c in storms if c not in drafts), *first, *left], again)
    return drafts


def _after_restart(arm: str, was: Gone) -> Draft:
    """What went before the restart, looked at again."""
    one, later = was.waiting, was.waiting.stage.look()
    more = judge.after_restart(was.seen, later, one.ask, was.bystander)
    if was.found is None:
        outcomes = judge.with_more(was.outcomes, more)
    else:
        outcomes = judge.then_restarted(arm, {**was.found, **more}, later, one.ask)
    return one.stage.draft(was.stored, outcomes, *was.checks, also=one.also)


def groups(trials: int) -> tuple[Group, ...]:
    """A server that everything is done to, and the hour, where it was asked for."""
    arms = ("config", "global", "reload", *w102_terminal.ARMS, *THEN_RESTART, "storm", _RESTART)
    return Group(
        "everybody", share_out(arms, (), trials), False, everybody, not_on=w102_terminal.NOT_ON
    ), an_hour()
