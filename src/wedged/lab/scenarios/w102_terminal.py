"""W102 on V1's terminal client: SIGUSR2, at which it has its own server reload, and so dispose of everything.

Without a port nobody but the client can ask its server: its screen and the store are the witnesses. Told a
port, the client listens with another set of instances than the one that it reloads.
"""

import signal
from collections.abc import Sequence
from pathlib import Path

from wedged.errors import LabError
from wedged.facts.server import Line
from wedged.facts.trial import Check, Lane
from wedged.lab.bench import Bench, Prompted
from wedged.lab.process_tree import is_running, send
from wedged.lab.scenarios import w102_terminal_judgement as judge
from wedged.lab.scenarios.w102_other_ways import made_by
from wedged.lab.scenarios.w102_stage import Stage, is_terminal, writes
from wedged.lab.scenarios.w102_waiting import begin_all
from wedged.lab.terminal import open_terminal, own_state
from wedged.lab.terminal_server import terminal_server
from wedged.lab.trials import CellId, Draft, Timing, overlapping
from wedged.lab.turns import Script, Turn
from wedged.waiting import wait_for, wait_until

SCREEN, PORT = "sigusr2", "sigusr2-port"
ARMS = (SCREEN, PORT)
_THEMES = "V2's terminal client reads its themes anew on SIGUSR2, and nothing else"
NOT_ON = {arm: dict.fromkeys((Line.V2_PREVIEW, Line.V2_RELEASED), _THEMES) for arm in ARMS}

_DIALOG = "Permission required"
_UP_S = 60.0
_TAKEN = "the terminal took the signal, and runs on"


def signalled(bench: Bench, cells: Sequence[CellId], timing: Timing) -> dict[CellId, Draft | str]:
    """Both arms at once: a client for each trial of the one, one for all trials of the other."""
    on_screen = [cell for cell in cells if cell[0] == SCREEN]
    listening = [cell for cell in cells if cell[0] == PORT]
    drafts: dict[CellId, Draft | str] = {}

    def work(cell: CellId) -> None:
        if cell[0] == SCREEN:
            drafts[cell] = _on_screen(bench, cell, timing)
        else:
            drafts.update(_listening(bench, listening, timing))

    for cell, said in overlapping([*on_screen, *listening[:1]], work).items():
        if isinstance(said, str):
            mine = [cell] if cell[0] == SCREEN else listening
            drafts |= dict.fromkeys((one for one in mine if one not in drafts), said)
    return drafts


def _on_screen(bench: Bench, cell: CellId, timing: Timing) -> Draft:
    name = f"w102-{cell[0]}-{cell[1]}"
    directory = bench.project(name)
    call, made = writes(bench, name)
    script = bench.model.learn(Script(name, (Turn(calls=(call,)),)))
    since = bench.timeline.now()
    argv = [*bench.installed.argv, "--prompt", f"Do it. {script.mark}"]
    env = own_state(bench.home, name, animated=False)
    with open_terminal(bench.server.keeper, bench.home, argv, cwd=Path(directory), env=env) as terminal:
        # The store has it before the screen shows it.
        session = wait_for(lambda: made_by(bench, directory), "the terminal's session", _UP_S, every=0.2)
        bench.model.attribute(script, session)
        stage = Stage(bench, Prompted(session, directory, script, since), (call,), made)
        terminal.wait_for(_DIALOG, _UP_S)
        client = next((p for p in terminal.below() if p.parent == terminal.process.pid), None)
        if client is None:
            raise LabError("the terminal's client is gone")
        bench.timeline.add(Lane.CLIENT, "SIGUSR2 to the terminal", session)
        send(client, signal.SIGUSR2)
        wait_until(lambda: _ended(stage), timing.bound_s, every=0.1)
        # A client that takes its dialog back has time to.
        wait_until(lambda: _DIALOG not in terminal.text, timing.watch_s, every=0.2)
        shown = _DIALOG in terminal.text
        terminal.type("\r")
        ran = bool(wait_until(made.exists, timing.watch_s, every=0.1))
        seen = judge.Screen(stage.stored(0), shown, ran, _DIALOG in terminal.text)
        bench.timeline.add(Lane.CLIENT, "allowed on the screen", session, shown=shown, still=seen.still_shown)
        taken = Check(_TAKEN, is_running(client))
    return stage.draft(stage.look(), judge.on_screen(seen), taken)


def _ended(stage: Stage) -> bool:
    part = stage.stored(0)
    return part is not None and part.status.terminal


def _listening(bench: Bench, cells: Sequence[CellId], timing: Timing) -> dict[CellId, Draft | str]:
    with terminal_server(bench) as there:
        ready, failed = begin_all(bench.through(there.incarnation), cells, timing)
        at = bench.timeline.now()
        for one in ready.values():
            bench.timeline.add(Lane.CLIENT, "SIGUSR2 to the terminal", one.stage.session)
        there.tell(signal.SIGUSR2)
        for one in ready.values():
            bench.timeline.watch(one.stage.session, is_terminal, timing.watch_s, after=at)
        taken = Check(_TAKEN, is_running(there.client))

        def finish(cell: CellId) -> Draft:
            one = ready[cell]
            seen = one.stage.look()
            bystander = one.bystander(at, timing)
            outcomes = judge.listening(seen, one.ask, at, one.stage.reply(one.ask), bystander)
            return one.stage.draft(seen, outcomes, taken, also=one.also)

        return {**failed, **overlapping(ready, finish)}
