"""W201 on V2's shared service: what it does with a crashed turn when it starts, once and once more.

Ten crashes in a row would take half a minute. So the turns of `service-limit` are given a count of nine while
no server runs: their first start is the tenth resumption, their second one would be the eleventh.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from wedged.facts.server import Line
from wedged.facts.trial import ClaimOutcome
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios import w201_judgement as judge
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.w103_store import Mark, mark, marks, put, set_attempts
from wedged.lab.scenarios.w201_crash import Cell, Fault, fault_counted, stored
from wedged.lab.scenarios.w201_sight import long_call, sight
from wedged.lab.scenarios.w201_stale import is_turn
from wedged.lab.trials import CellId, Draft, Timing, overlapping
from wedged.lab.turns import Script, Turn
from wedged.waiting import wait_until

LIMIT = "service-limit"
ARMS = ("service", LIMIT)
NOT_ON = {LIMIT: {Line.V2_PREVIEW: "the preview resumes nothing after a crash, and counts no resumptions"}}

_NINE = 9


@dataclass(frozen=True, slots=True)
class Marks:
    """The session's mark for resumption: while its turn ran, after the first crash, after the second."""

    before: Mark
    first: Mark
    second: Mark


def run_service(
    fault: Fault, bench: Bench, cells: Sequence[CellId], timing: Timing
) -> Mapping[CellId, Draft | str]:
    """All trials of the service group: two crashes, each followed by a start."""

    def begin(cell: CellId) -> Cell:
        return _begin(bench, cell, timing)

    begun = overlapping(cells, begin)
    live = {key: cell for key, cell in begun.items() if isinstance(cell, Cell)}
    made: dict[CellId, Draft | str] = {key: cell for key, cell in begun.items() if isinstance(cell, str)}
    sessions = [cell.prompted.session for cell in live.values()]
    seen = [marks(bench, sessions)]
    looks: list[dict[CellId, judge.Resumption]] = []
    limited = [cell.prompted.session for cell in live.values() if cell.arm == LIMIT]
    for _ in range(2):
        fault(bench)
        ended = len(bench.past) == len(bench.incarnations)
        if limited and ended and not looks:
            set_attempts(bench, limited, _NINE)
        seen.append(marks(bench, sessions))
        back = bench.timeline.now()
        if ended:
            bench.start_again()
        said = overlapping(live, partial(_look_at, bench, live, timing, back, looks[-1] if looks else {}))
        looks.append({key: one for key, one in said.items() if isinstance(one, judge.Resumption)})
        made |= {key: one for key, one in said.items() if isinstance(one, str)}
    for key, cell in live.items():
        if key in made:
            continue
        session = cell.prompted.session
        three = [found.get(session, Mark(False)) for found in seen]
        for found in three:
            put(bench, session, found)
        if cell.arm == LIMIT:
            word = Word.on(bench, cell.prompted)
            outcomes = judge.limit(looks[0][key], looks[1][key], mark(bench, session), word)
        else:
            outcomes = _judged(looks[0][key], looks[1][key], Marks(*three), bench.identity.line)
        cell.seen_at = bench.timeline.now()
        cell.checks += [stored(bench, cell), fault_counted(bench, cell, 2)]
        made[key] = Draft(cell.prompted, tuple(cell.checks), outcomes, cell.seen_at)
    return made


def _begin(bench: Bench, cell: CellId, timing: Timing) -> Cell:
    """A turn whose model calls one long command after another: a resumed one has something to crash in."""
    name = f"w201-{cell[0]}-{cell[1]}"
    calls = tuple(Turn(calls=(long_call(bench, name, f"echo hello; sleep 590{n}"),)) for n in range(4))
    prompted = bench.prompt(Script(name, calls), bench.project())
    made = Cell(cell[0], prompted)
    wait_until(lambda: sight(bench, prompted).part is not None, timing.settle_s, every=0.1)
    wait_until(lambda: sight(bench, prompted, processes=True).alive, timing.settle_s, every=0.2)
    made.before = sight(bench, prompted)
    return made


def _look_at(
    bench: Bench,
    live: Mapping[CellId, Cell],
    timing: Timing,
    back: float,
    before: Mapping[CellId, judge.Resumption],
    cell: CellId,
) -> judge.Resumption:
    # What resumed nothing the first time, or is not to be resumed again, is watched for a shorter time.
    idle = before and not any(one.woken for one in before.values())
    short = idle or (before and cell[0] == LIMIT)
    seconds = timing.watch_s if short else timing.bound_s
    return _look(bench, live[cell].prompted, timing, back, seconds)


def _look(bench: Bench, prompted: Prompted, timing: Timing, back: float, seconds: float) -> judge.Resumption:
    """Until the model is asked again, and the call that it makes then runs; all of `seconds` else."""
    asked = bench.timeline.watch(prompted.session, is_turn, seconds, after=back)
    if asked:
        turns = sight(bench, prompted).turns

        def begun() -> bool:
            session = sight(bench, prompted).session
            return session is not None and len(session.parts) >= turns

        wait_until(begun, timing.settle_s, every=0.2)
    watched = round(bench.timeline.now() - back, 3)
    return judge.Resumption(sight(bench, prompted), judge.Told.of(asked), watched)


def _judged(
    first: judge.Resumption, second: judge.Resumption, three: Marks, line: Line
) -> tuple[ClaimOutcome, ...]:
    counted = (three.first.attempts, three.second.attempts)
    return (
        *judge.resumed(first),
        judge.outcome(
            "service-is-marked",
            three.before.is_set and three.first.is_set,
            not three.before.is_set and not three.first.is_set,
            f"while the turn ran: {three.before}; after the crash: {three.first}",
            line=line.value,
        ),
        judge.again(second, counted),
    )
