"""W102's bystander: a shell of another session in a directory whose ask is to go."""

from dataclasses import dataclass
from pathlib import Path

from wedged.facts.session import ToolPart
from wedged.facts.trial import Lane, Observation
from wedged.lab import gated
from wedged.lab.bench import Bench
from wedged.lab.scenarios.w102_stage import Stage, begin_with, is_terminal
from wedged.lab.trials import Timing


@dataclass(frozen=True)
class Neighbour:
    """Its session, and the file that lets its shell come to its own end. `last_words` are then its output."""

    stage: Stage
    go: Path

    @property
    def last_words(self) -> str:
        """What its shell prints at its own end, and at no other."""
        return through(self.stage.prompted.script.name)

    def left(self, after: float, timing: Timing) -> ToolPart | None:
        """What is stored of its call once the shell was let go, however it came to its end since `after`."""
        # One that still runs can now come to its own end.
        self.go.touch()
        self.stage.bench.timeline.watch(self.stage.session, is_terminal, timing.settle_s, after=after)
        return self.stage.stored(0)


def through(name: str) -> str:
    """The last words of the shell of this name."""
    return f"through-{name}"


def call_runs(o: Observation) -> bool:
    """A call of the model runs."""
    return o.lane is Lane.PART and o.kind == "running"


def beside(bench: Bench, directory: str, name: str, timing: Timing) -> Neighbour:
    """Have a shell of this name run in the directory, in a session of its own."""
    go = Path(directory, f"{name}.go")
    wait = f"until [ -e {go.name} ]; do sleep 0.2; done; echo {through(name)}"
    stage = begin_with(bench, directory, name, gated.shell_call(bench.identity.line, wait))
    bench.timeline.watch(stage.session, call_runs, timing.settle_s)
    return Neighbour(stage, go)
