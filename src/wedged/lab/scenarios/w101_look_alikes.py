"""What resembles W101 and is not it: each brought about on a real server, and doctor pointed at it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil

from wedged.diagnose import diagnose
from wedged.facts.session import Status
from wedged.facts.snapshot import Window
from wedged.facts.trial import Check
from wedged.lab.bench import Bench, Prompted
from wedged.lab.one_session import Statuses, look_at
from wedged.lab.probe import in_flight
from wedged.lab.scenarios import w101_look_alike_judgement as judge
from wedged.lab.scenarios.w101_cases import stored
from wedged.lab.scenarios.w101_judgement import is_asked
from wedged.lab.scenarios.w101_look_alike_states import (
    ANSWERED,
    DRIP,
    ELSEWHERE,
    LAG,
    LONG,
    PLUGIN,
    RETRY,
    SILENT,
    SOCKET,
    TRAP,
    LookAlike,
    call_runs,
)
from wedged.lab.slow_page import slow_page
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call, Turn

# Long enough for a second look to differ, where the state is one that moves.
_SAMPLE_S = 1.0
_GRACE_S = 60.0

Run = Callable[[Bench, int, Timing], Draft]
# What only the trial itself can see, in words; "" where it did not see it.
Outside = Callable[[Bench, Prompted], str]


def _nothing(*_: object) -> str:
    return ""


def _socket_open(bench: Bench, prompted: Prompted) -> str:
    # Whose answer came over a socket is not to be seen on the server's side: its sessions share them.
    idle = bench.model.idle_sockets()
    kept = [
        c
        for c in psutil.Process(bench.server.process.pid).net_connections("tcp")
        if c.status == psutil.CONN_ESTABLISHED and c.raddr.port == bench.model.port and c.laddr.port in idle
    ]
    asked = in_flight(bench.timeline.of(prompted.session))
    return "the model's answer ended, a socket to it still open" if kept and not asked else ""


def _not_listed_here(bench: Bench, prompted: Prompted) -> str:
    reader = bench.connection.reader
    listed = prompted.session in reader.statuses() or any(
        ask.session_id == prompted.session for ask in reader.asks()
    )
    return "" if listed else "in no list of the server's own directory"


def _held_back(bench: Bench, prompted: Prompted) -> str:
    begun = any(prompted.script.name in line for line in _lines(bench))
    return "" if begun else "no process of it: the plugin holds it back"


def _steady(state: LookAlike, outside: Outside, bench: Bench, n: int, timing: Timing) -> Draft:
    """A state that lasts: look at it twice, then end the turn."""
    prompted = state.prompt(bench, n)
    try:
        bench.timeline.watch(prompted.session, state.reached, timing.settle_s)
        window = look_at(bench, prompted.session, sample_s=_SAMPLE_S)
        return _draft(state, bench, prompted, window, outside(bench, prompted))
    finally:
        _end(bench, prompted)


def _webfetch(bench: Bench, n: int, timing: Timing) -> Draft:
    with slow_page() as page:
        fetch = Call("webfetch", {"url": page.url, "format": "text", "timeout": 120})
        state = LookAlike("webfetch", lambda _: (Turn(calls=(fetch,)),), call_runs, judge.call_runs)
        asked = "its page asked for and not sent"
        return _steady(state, lambda *_: asked if page.asked.is_set() else "", bench, n, timing)


def _lag(bench: Bench, n: int, timing: Timing) -> Draft:
    """The turn ends between two reads of one look: what the look holds of the status is out of date."""
    prompted = LAG.prompt(bench, n)
    lists: list[Statuses] = []

    def ends_it(statuses: Statuses) -> None:
        lists.append(statuses)
        # The first list belongs to the first look.
        if len(lists) == 2:
            Path(prompted.directory, f"{prompted.script.name}.go").touch()
            bench.timeline.watch(prompted.session, is_over, timing.settle_s, after=prompted.at)

    try:
        bench.timeline.watch(prompted.session, LAG.reached, timing.settle_s)
        window = look_at(bench, prompted.session, sample_s=_SAMPLE_S, after_statuses=ends_it)
        lagged = len(lists) == 2 and lists[1].get(prompted.session) is Status.BUSY
        return _draft(LAG, bench, prompted, window, "the status in hand says busy" if lagged else "")
    finally:
        _end(bench, prompted)


def _answered(bench: Bench, n: int, timing: Timing) -> Draft:
    """One look at a young ask, and the answer right after it."""
    prompted = ANSWERED.prompt(bench, n)
    try:
        bench.timeline.watch(prompted.session, ANSWERED.reached, timing.settle_s)
        window = look_at(bench, prompted.session, sample_s=0)
        answered = bench.timeline.now()
        for ask in window.latest.asks:
            with bench.timeline.call(prompted.session, "reply once"):
                bench.connection.actor.reply(
                    ask.id, "once", session_id=prompted.session, directory=prompted.directory
                )
        went_on = bench.timeline.watch(prompted.session, is_over, timing.bound_s, after=answered)
        asked = bench.timeline.find(prompted.session, is_asked)
        took = f"{answered - asked.t:.1f} s after it was asked" if asked else ""
        words = f"answered {took}, and the turn went on to its end" if asked and went_on else ""
        # The same look finds it where the grace is no excuse: a doctor that sees no ask would pass otherwise.
        sees = Check("the same look reports the ask once its age counts", bool(diagnose(window, 0).findings))
        return _draft(ANSWERED, bench, prompted, window, words, _GRACE_S, (sees,))
    finally:
        _end(bench, prompted)


def _draft(
    state: LookAlike,
    bench: Bench,
    prompted: Prompted,
    window: Window,
    outside: str,
    grace: float = 0,
    checks: tuple[Check, ...] = (),
) -> Draft:
    """Judge by what doctor makes of the window. Without an ask no age excuses a finding: the grace is 0."""
    made = diagnose(window, grace, request=bench.connection.actor.request)
    seen = bench.timeline.of(prompted.session)
    sight = judge.Sight(prompted, window.latest, seen, outside, _lines(bench))
    wanted = [call for turn in prompted.script.turns for call in turn.calls]
    checks += tuple(stored(sight.part, call) for call in wanted)
    outcomes = judge.judged(f"not-{state.name}", sight, state.witness, made)
    return Draft(prompted, checks, outcomes, bench.timeline.now())


def _lines(bench: Bench) -> tuple[str, ...]:
    return tuple(" ".join(process.argv) for process in bench.server.tree())


def _end(bench: Bench, prompted: Prompted) -> None:
    """What goes on must disturb no other trial."""
    with bench.timeline.call(prompted.session, "abort"):
        bench.connection.actor.abort(prompted.session, directory=prompted.directory)


LOOK_ALIKES: dict[str, Run] = {
    LONG.arm: partial(_steady, LONG, _nothing),
    TRAP.arm: partial(_steady, TRAP, _nothing),
    "like-webfetch": _webfetch,
    PLUGIN.arm: partial(_steady, PLUGIN, _held_back),
    DRIP.arm: partial(_steady, DRIP, _nothing),
    SILENT.arm: partial(_steady, SILENT, _nothing),
    SOCKET.arm: partial(_steady, SOCKET, _socket_open),
    RETRY.arm: partial(_steady, RETRY, _nothing),
    LAG.arm: _lag,
    ELSEWHERE.arm: partial(_steady, ELSEWHERE, _not_listed_here),
    ANSWERED.arm: _answered,
}
