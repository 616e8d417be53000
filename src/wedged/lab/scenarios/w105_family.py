"""A parent and its sub-agent: how they are brought about, looked at, and handed over."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wedged.diagnose import Diagnosis, diagnose
from wedged.facts.trial import ClaimOutcome
from wedged.lab import gated
from wedged.lab.bench import Bench, Prompted
from wedged.lab.one_session import look_at
from wedged.lab.scenarios.w102_stage import Stage, begin_with, only_child, pending, writes
from wedged.lab.scenarios.w105_judgement import Pair
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call, Script, Turn

# The sub-agent's one call, and the file that it makes.
Fault = Callable[[Bench, str], tuple[Call, Path]]


@dataclass(frozen=True)
class Family:
    """A parent and its one sub-agent, under way."""

    parent: Stage
    child: Stage

    @property
    def sessions(self) -> tuple[str, str]:
        """Both sessions, the sub-agent's first."""
        return self.child.session, self.parent.session

    def look(self) -> Pair:
        """See both now."""
        bench, parent = self.parent.bench, self.parent
        listed = pending(bench, parent.session, parent.directory)
        return Pair(parent.look(), self.child.look(), listed)

    def doctor(self) -> Diagnosis:
        """Doctor's look at both, as if they were alone on the server, no grace given."""
        bench = self.parent.bench
        window = look_at(bench, self.child.session, sample_s=0, also=(self.parent.session,))
        return diagnose(window, 0, request=bench.connection.actor.request)

    def draft(self, seen: Pair, outcomes: tuple[ClaimOutcome, ...]) -> Draft:
        """What the trial hands over: the calls of both are checked."""
        own = self.child.draft(seen.child, ())
        return self.parent.draft(seen.parent, outcomes, *own.checks, also=(self.child.session,))


def outside(bench: Bench, name: str) -> tuple[Call, Path]:
    """The fault: the sub-agent writes outside the project."""
    return writes(bench, name)


def inside(bench: Bench, name: str) -> tuple[Call, Path]:
    """No fault: it writes inside, which nobody is asked about."""
    path = Path(bench.project()) / f"{name}.txt"
    return gated.on_file(bench.identity.line, "write", path, content="made\n"), path


def cause(bench: Bench, directory: str, name: str, timing: Timing, fault: Fault = outside) -> Family:
    """Have a session start a sub-agent that makes the call."""
    parent, script, call, made = order(bench, directory, name, fault)
    session = only_child(bench, parent, timing.settle_s)
    bench.model.attribute(script, session)
    child = Stage(bench, Prompted(session, directory, script, parent.prompted.at), (call,), made)
    return Family(parent, child)


def order(
    bench: Bench, directory: str, name: str, fault: Fault, **more: object
) -> tuple[Stage, Script, Call, Path]:
    """The parent's stage, and the sub-agent's script, call and file. `more` goes with the order."""
    call, made = fault(bench, f"{name}-sub")
    script = bench.model.learn(Script(f"{name}-sub", (Turn(calls=(call,)),)))
    order = gated.sub_agent(bench.identity.line, f"Do it. {script.mark}")
    order = Call(order.tool, {**order.input, **more})
    return begin_with(bench, directory, name, order), script, call, made


def clear(family: Family) -> None:
    """V1 leaves the ask of an interrupted turn in its list: no other trial is to meet it."""
    for ask in pending(family.child.bench, family.child.session, family.child.directory):
        family.child.reply(ask)
