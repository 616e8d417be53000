"""W201 as a person sees it: the terminal client on a stale call, on a settled one, and what it draws."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wedged.catalog.w201_variants import PROMPT, SETTLE_PART
from wedged.facts.screen import Screen, as_rows
from wedged.facts.server import Line
from wedged.facts.trial import ClaimOutcome, Lane
from wedged.lab.bench import Bench, Prompted, shell
from wedged.lab.scenarios import w201_judgement as judge
from wedged.lab.scenarios.w201_crash import Cell, Fault, fault_counted, stored
from wedged.lab.scenarios.w201_sight import carrying, long_script, sight
from wedged.lab.scenarios.w201_stale import Stale
from wedged.lab.terminal import Drawing, Terminal, open_terminal, own_state
from wedged.lab.timeline import is_over
from wedged.lab.trials import CellId, Draft, Timing, overlapping
from wedged.lab.turns import Call, Script, Turn
from wedged.waiting import wait_for

ARMS = ("screen", "screen-settled", "screen-cured", "screen-without-animations", "screen-hint")
NO_HINT = {Line.V1: "V1's terminal client shows no such hint"}

HINT = "ctrl+b to move running work to the background"
_CTRL_B = "\x02"
# A client draws its first screens, loads its lists, and comes to rest, if it does.
_FIRST_S, _WATCH_S, _LONGER = 2.0, 6.0, 3
_KEY_S = 3.0
_UP_S = 45.0
# More than a clock or a cursor would cause: the report counted 12 redraws a second.
_RESTLESS = 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What a terminal showed and drew while nothing was typed, and again after ctrl+b where it was."""

    stale: bool
    drawing: Drawing
    hint: bool = False
    after: Drawing | None = None
    still_stale: bool = False


def run_screens(
    fault: Fault, bench: Bench, cells: Sequence[CellId], timing: Timing
) -> Mapping[CellId, Draft | str]:
    """Crash once, cure where the arm says so, then open a terminal for each session, all at once."""
    made: dict[CellId, Cell] = {}
    failed: dict[CellId, str] = {}

    def begin(cell_id: CellId) -> None:
        made[cell_id] = _begin(bench, cell_id, timing)

    def look(cell_id: CellId) -> None:
        cell = made[cell_id]
        if cell.arm == "screen-cured":
            _cure(bench, cell.prompted, timing)
        cell.outcomes += _judged(cell.arm, _watched(bench, cell))
        cell.seen_at = bench.timeline.now()
        cell.checks += [stored(bench, cell), fault_counted(bench, cell, 1)]

    def each(wanted: Sequence[CellId], work: Callable[[CellId], None]) -> None:
        done = overlapping([one for one in wanted if one not in failed], work)
        failed.update({cell: said for cell, said in done.items() if isinstance(said, str)})

    each(cells, begin)
    fault(bench)
    if len(bench.past) == len(bench.incarnations):
        bench.start_again()
    each(cells, look)
    return failed | {
        cell_id: Draft(cell.prompted, tuple(cell.checks), tuple(cell.outcomes), cell.seen_at)
        for cell_id, cell in made.items()
        if cell_id not in failed
    }


def _begin(bench: Bench, cell_id: CellId, timing: Timing) -> Cell:
    arm, n = cell_id
    name = f"w201-{arm}-{n}"
    settled = arm == "screen-settled"
    short = Script(name, (Turn(calls=(Call(bench.shell_tool, shell(f"echo hello; : {name}")),)),))
    prompted = bench.prompt(short if settled else long_script(bench, name), bench.project())
    if settled:
        bench.timeline.watch(prompted.session, is_over, timing.settle_s, after=prompted.at)
    else:
        wait_for(lambda: carrying(bench, name), "the call's process", timing.settle_s)
    return Cell(arm, prompted)


def _cure(bench: Bench, prompted: Prompted, timing: Timing) -> None:
    stale = Stale(bench, prompted, timing)
    if stale.v1:
        stale.cure(SETTLE_PART)
    else:
        stale.ask(step=PROMPT)


def _watched(bench: Bench, cell: Cell) -> Seen:
    prompted = cell.prompted
    stale = sight(bench, prompted).stale
    with _client(bench, prompted, animated=cell.arm != "screen-without-animations") as terminal:
        # The call's own command line: no client shows it before it has read the session.
        terminal.wait_for(f": {prompted.script.name}", _UP_S)
        drawing = _at_rest_or_not(terminal)
        screen = terminal.screen
        _put_down(bench, prompted, screen, drawing)
        if cell.arm != "screen-hint":
            return Seen(stale, drawing)
        terminal.type(_CTRL_B)
        after = terminal.watch(_KEY_S)
    return Seen(stale, drawing, HINT in screen.text, after, sight(bench, prompted).stale)


def _at_rest_or_not(terminal: Terminal) -> Drawing:
    """What it draws once its first screens are drawn: nothing, or without an end. A client that is still
    loading its lists does neither, and is given a little longer."""
    terminal.watch(_FIRST_S)
    drawing = terminal.watch(_WATCH_S)
    for _ in range(_LONGER):
        if drawing.bytes == 0 or _restless(drawing):
            break
        drawing = terminal.watch(_WATCH_S)
    return drawing


def _restless(drawing: Drawing) -> bool:
    return drawing.redraws > _RESTLESS * drawing.seconds and drawing.bytes > 0


def _client(bench: Bench, prompted: Prompted, *, animated: bool) -> Terminal:
    """The terminal client, attached to the bench's server and opened on the session."""
    server, home = bench.server, bench.home
    v1 = bench.identity.line is Line.V1
    where = ["attach", server.url, "--dir", prompted.directory] if v1 else ["--server", server.url]
    # 2.0.15 takes an older setting over into its config folder, so that is each client's own, too.
    config = home.root / f"config-{prompted.script.name}"
    (config / "opencode").mkdir(parents=True)
    passwords = ("OPENCODE_SERVER_PASSWORD", "OPENCODE_PASSWORD")
    env = own_state(home, prompted.script.name, animated=animated)
    env |= dict.fromkeys(passwords, server.password)
    if not v1:
        env["XDG_CONFIG_HOME"] = str(config)
    argv = [*bench.installed.argv, *where, "-s", prompted.session]
    return open_terminal(server.keeper, home, argv, cwd=Path(prompted.directory), env=env)


def _put_down(bench: Bench, prompted: Prompted, screen: Screen, drawing: Drawing) -> None:
    bench.timeline.add(
        Lane.CLIENT,
        "screen",
        prompted.session,
        rows=as_rows(screen),
        seconds=drawing.seconds,
        bytes=drawing.bytes,
        redraws=drawing.redraws,
        core=drawing.core,
    )


def _judged(arm: str, seen: Seen) -> tuple[ClaimOutcome, ...]:
    drawing = seen.drawing
    restless = _restless(drawing)
    quiet = drawing.bytes == 0
    why = (
        f"call {'stale' if seen.stale else 'settled'}; {drawing.bytes} bytes and {drawing.redraws} redraws "
        f"in {drawing.seconds:g} s, {drawing.core:.1%} of a core"
    )
    values: dict[str, object] = {
        "bytes_in_10_s": round(drawing.bytes * 10 / drawing.seconds),
        "redraws_in_10_s": round(drawing.redraws * 10 / drawing.seconds),
        "core": drawing.core,
    }
    if arm == "screen":
        claim = "spinner-never-rests"
        return (judge.outcome(claim, seen.stale and restless, seen.stale and quiet, why, **values),)
    if arm == "screen-without-animations":
        claim = "no-animations-no-redraws"
        return (judge.outcome(claim, seen.stale and quiet, seen.stale and restless, why, **values),)
    if arm == "screen-hint":
        return (_hint(seen, why),)
    claim = "cured-screen-rests" if arm == "screen-cured" else "settled-screen-rests"
    return (judge.outcome(claim, not seen.stale and quiet, not seen.stale and restless, why, **values),)


def _hint(seen: Seen, why: str) -> ClaimOutcome:
    shown = seen.stale and seen.hint
    same = shown and seen.still_stale and seen.after is not None and seen.after.redraws > 0
    now = "still stale" if seen.still_stale else "settled"
    said = f"hint {'shown' if seen.hint else 'not shown'}; after ctrl+b the call is {now}"
    return judge.outcome("hint-does-nothing", same, shown and not seen.still_stale, f"{why}; {said}")
