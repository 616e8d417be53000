"""W102's sessions that wait together for what reaches all of them: begun at once, kept up to a restart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wedged.facts.ask import Ask
from wedged.facts.trial import Check, ClaimOutcome
from wedged.lab.bench import Bench
from wedged.lab.scenarios.w102_judgement import fate_of
from wedged.lab.scenarios.w102_neighbour import Neighbour, beside
from wedged.lab.scenarios.w102_stage import Sight, Stage, begin
from wedged.lab.trials import CellId, Timing, overlapping


@dataclass(frozen=True)
class Waiting:
    """A session whose ask is pending, and a neighbour's shell in its directory where there is one."""

    stage: Stage
    ask: Ask
    neighbour: Neighbour | None = None

    @property
    def also(self) -> tuple[str, ...]:
        """The neighbour's session."""
        return (self.neighbour.stage.session,) if self.neighbour else ()

    def bystander(self, at: float, timing: Timing) -> str:
        """What became of the neighbour's shell since `at`, "" where there is none. It is let go."""
        if self.neighbour is None:
            return ""
        return fate_of(self.neighbour.left(at, timing), self.neighbour.last_words)

    def bystander_now(self) -> str:
        """What is stored of the neighbour's shell, which is not let go."""
        return fate_of(self.neighbour.stage.stored(0), self.neighbour.last_words) if self.neighbour else ""


@dataclass(frozen=True)
class Gone:
    """What was seen of an ask that went, before the server was ended. `stored` is the look that has its call
    (where its session was deleted: one from before that). `found` are the facts of an arm that says something
    after the restart only; the others have their `outcomes`."""

    waiting: Waiting
    seen: Sight
    stored: Sight
    outcomes: tuple[ClaimOutcome, ...]
    checks: tuple[Check, ...]
    bystander: str
    found: Mapping[str, object] | None = None


# Those that wait, and the sentences of those that do not.
Ready = tuple[dict[CellId, Waiting], dict[CellId, str]]


def begin_all(
    bench: Bench, cells: Sequence[CellId], timing: Timing, *, own: bool = True, shell: bool = True
) -> Ready:
    """Every cell's session, its ask pending; with `own`, each in a directory of its own; with `shell`, beside
    another session's shell."""

    def ask(cell: CellId) -> Waiting:
        name = f"w102-{cell[0]}-{cell[1]}"
        directory = bench.project(name) if own else bench.project()
        neighbour = beside(bench, directory, f"{name}-shell", timing) if shell else None
        stage = begin(bench, directory, name)
        return Waiting(stage, stage.waiting(timing), neighbour)

    begun = overlapping(cells, ask)
    waiting = {cell: one for cell, one in begun.items() if not isinstance(one, str)}
    return waiting, {cell: why for cell, why in begun.items() if isinstance(why, str)}
