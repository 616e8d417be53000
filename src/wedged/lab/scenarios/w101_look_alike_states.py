"""What resembles W101 and is not it, as arms: what the model does, and when the state may be looked at."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wedged.facts.server import Line
from wedged.facts.trial import Lane, Observation
from wedged.lab.bench import Bench, Prompted, shell
from wedged.lab.scenarios import w101_look_alike_judgement as judge
from wedged.lab.scenarios.w101_cases import Scope, Turns
from wedged.lab.scenarios.w101_judgement import is_asked
from wedged.lab.timeline import is_over
from wedged.lab.turns import Call, Script, Turn

# A plugin that holds each call back for two minutes, in V1's form and in V2's.
_WAIT = "async () => { await new Promise((done) => setTimeout(done, 120000)) }"
_HOLD_V1 = f"""export const Hold = async () => ({{
  "tool.execute.before": {_WAIT},
}})
"""
_HOLD_V2 = f"""export default {{
  id: "wedged.hold",
  setup: async (ctx) => {{
    await ctx.tool.hook("execute.before", {_WAIT})
  }},
}}
"""


@dataclass(frozen=True, slots=True)
class LookAlike:
    """One arm. `reached` is the observation from which on the state may be looked at; `plugin` is the
    JavaScript of a plugin for a line."""

    name: str
    turns: Turns
    reached: Callable[[Observation], bool]
    witness: judge.Witness
    project: str = "project"
    plugin: Callable[[Line], str] = lambda _: ""

    @property
    def arm(self) -> str:
        """The arm's name."""
        return f"like-{self.name}"

    def prompt(self, bench: Bench, n: int) -> Prompted:
        """Bring trial `n` on its way."""
        directory = bench.project(self.project, plugin=self.plugin(bench.identity.line))
        scope = Scope(bench, f"w101-{self.arm}-{n}", Path(directory))
        return bench.prompt(Script(scope.name, self.turns(scope)), directory)


def call_runs(observation: Observation) -> bool:
    """A call of the model runs."""
    return observation.lane is Lane.PART and observation.kind == "running"


def model(kind: str) -> Callable[[Observation], bool]:
    """The model's log says `kind`."""
    return lambda o: o.lane is Lane.MODEL and o.kind == kind


def _retries(observation: Observation) -> bool:
    # A status on V1, an event on V2.
    return observation.kind == ("retry" if observation.lane is Lane.STATUS else "session.retry.scheduled")


def _hold(line: Line) -> str:
    return _HOLD_V1 if line is Line.V1 else _HOLD_V2


def _command(line: str) -> Turns:
    """A shell call whose own command line carries the trial's name, and whose timeout is far away."""
    return lambda scope: (
        Turn(calls=(Call(scope.bench.shell_tool, shell(f"{line}; : {scope.name}") | {"timeout": 600_000}),)),
    )


def _refused(scope: Scope) -> tuple[Turn, ...]:
    # Each second trial meets the other of the two codes that are tried again.
    status = 429 if scope.name.endswith(("1", "3", "5", "7", "9")) else 500
    return (Turn(status=status, retry_after=30),) * 3


def _old_folder(scope: Scope) -> tuple[Turn, ...]:
    # 1.2.27 asks about a folder outside only where it is there already.
    folder = scope.outside / "a"
    folder.mkdir(parents=True)
    return (Turn(calls=(scope.make(folder if scope.line is Line.V1 else folder / "a"),)),)


LONG = LookAlike("long-shell", _command("sleep 590"), call_runs, judge.shell_runs)
TRAP = LookAlike("trap", _command("trap '' TERM INT HUP; sleep 180"), call_runs, judge.shell_runs)
PLUGIN = LookAlike(
    "plugin", _command("echo held"), call_runs, judge.call_runs, project="holds-calls-back", plugin=_hold
)
DRIP = LookAlike(
    "drip", lambda _: (Turn(text="word " * 1000, rate=3),), model("first byte"), judge.model_drips
)
SILENT = LookAlike(
    "silent", lambda _: (Turn(text="late", first_byte_s=60),), model("request"), judge.model_silent
)
SOCKET = LookAlike("keep-alive", _command("sleep 590"), call_runs, judge.shell_runs_and)
RETRY = LookAlike("retry", _refused, _retries, judge.retries)
ELSEWHERE = LookAlike(
    "other-directory", _command("sleep 590"), call_runs, judge.shell_runs_and, project="elsewhere"
)
LAG = LookAlike(
    "lag",
    lambda scope: _command(f"until [ -e {scope.name}.go ]; do sleep 0.1; done")(scope),
    call_runs,
    judge.over,
)
ANSWERED = LookAlike(
    "answered",
    _old_folder,
    lambda o: is_asked(o) or is_over(o),
    judge.asks,
)
