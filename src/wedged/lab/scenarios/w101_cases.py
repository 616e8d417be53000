"""W101's other arms, each one prompt in one project.

The corners of the factorial, the model's pace, every kind of ask, and what a config prevents.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wedged.facts.server import Line
from wedged.facts.session import ToolPart
from wedged.facts.trial import Check, Lane
from wedged.lab import gated
from wedged.lab.bench import Bench
from wedged.lab.probe import probe
from wedged.lab.scenarios import w101_judgement as judge
from wedged.lab.scenarios.w101_case_judgement import Judge, completes, denied, waits
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call, Script, Turn

_LABELS = [{"label": "left", "description": "Go left"}, {"label": "right", "description": "Go right"}]
QUESTION = {"questions": [{"question": "Which way?", "header": "Way", "options": _LABELS}]}


@dataclass(frozen=True, slots=True)
class Scope:
    """What a case may use: names of its own, and a file that is there to be read or edited."""

    bench: Bench
    name: str
    project: Path

    @property
    def outside(self) -> Path:
        """A folder of this trial's own, outside every project."""
        return self.bench.home.outside / self.name

    @property
    def file(self) -> Path:
        """A file outside every project, made before the prompt."""
        return self.outside / "notes.txt"

    @property
    def line(self) -> Line:
        """The server's."""
        return self.bench.identity.line

    def make(self, path: Path) -> Call:
        """The call that makes `path`, and that the server asks about where it is outside."""
        return gated.makes(self.line, path)

    def mkdir(self, folder: Path) -> Call:
        """The shell call that makes `folder`."""
        return gated.makes_folder(self.line, folder)

    def echo(self, word: str) -> Call:
        """A shell call that touches nothing."""
        return gated.shell_call(self.line, f"echo {word}")


Turns = Callable[[Scope], tuple[Turn, ...]]
Permission = Callable[[Bench], Mapping[str, object] | str | None]


@dataclass(frozen=True, slots=True)
class Case:
    """One arm. `project` and `permission` name the directory and its config.

    `waits`: an ask is expected, so the state is watched. Else the turn is given its time to end.
    """

    arm: str
    turns: Turns
    judged: Judge
    waits: bool
    project: str = "project"
    permission: Permission = lambda _: None


def one_call(make: Callable[[Scope], Call], **pace: float) -> Turns:
    """One response with one call."""
    return lambda scope: (Turn(calls=(make(scope),), rate=pace.get("rate"), jitter=pace.get("jitter", 0.0)),)


def outside(scope: Scope) -> Call:
    """The fault: the call makes something outside the project."""
    return scope.make(scope.outside / "a")


def _paced(arm: str, rate: float, jitter: float) -> Case:
    return Case(
        arm,
        one_call(outside, rate=rate, jitter=jitter),
        waits(f"{arm}-stays-busy", "external_directory"),
        waits=True,
    )


def _tool(arm: str, action: str, make: Callable[[Scope], Call]) -> Case:
    return Case(arm, one_call(make), waits(f"{arm}-stays-busy", action), waits=True)


def _one_path(bench: Bench) -> Mapping[str, object]:
    return {"external_directory": {"*": "ask", f"{bench.home.outside}/*/open/*": "allow"}}


def _below_the_open_folder(scope: Scope) -> Call:
    # It is there already: the preview asks for the nearest folder that exists.
    folder = scope.outside / "open"
    folder.mkdir()
    return scope.make(folder / "a")


def sub_agent(scope: Scope) -> tuple[Turn, ...]:
    """A sub-agent is started, and makes that call."""
    script = Script(f"{scope.name}-sub", (Turn(calls=(outside(scope),)),))
    scope.bench.model.learn(script)
    return (Turn(calls=(gated.sub_agent(scope.line, f"Do it. {script.mark}"),)),)


CASES = (
    Case(
        "one-inside",
        one_call(lambda s: s.make(s.project / s.name / "a")),
        completes("one-inside-completes"),
        waits=False,
    ),
    Case(
        "one-outside",
        one_call(outside),
        waits("one-outside-stays-busy", "external_directory"),
        waits=True,
    ),
    Case(
        "shell-outside",
        one_call(lambda s: s.mkdir(s.outside / "a")),
        waits("shell-outside-stays-busy", "external_directory"),
        waits=True,
    ),
    Case(
        "existing-folder",
        one_call(lambda s: s.mkdir(s.outside)),
        waits("existing-folder-stays-busy", "external_directory"),
        waits=True,
    ),
    _paced("slow-model", 4, 0),
    _paced("jittery-model", 40, 0.95),
    _paced("fast-model", 400, 0),
    _tool("read", "external_directory", lambda s: gated.on_file(s.line, "read", s.file)),
    _tool(
        "write",
        "external_directory",
        lambda s: gated.on_file(s.line, "write", s.outside / "new.txt", content="new\n"),
    ),
    _tool(
        "edit",
        "external_directory",
        lambda s: gated.on_file(s.line, "edit", s.file, oldString="old", newString="new"),
    ),
    _tool("question", "question", lambda _: Call("question", QUESTION)),
    Case(
        "rule",
        one_call(lambda s: s.echo(s.name)),
        waits("rule-stays-busy", "bash", "shell"),
        waits=True,
        project="asks-for-shells",
        permission=lambda bench: {bench.shell_tool: "ask"},
    ),
    Case(
        "doom-loop",
        lambda s: (Turn(calls=(s.echo(s.name),) * 3),),
        waits("doom-loop-stays-busy", "doom_loop"),
        waits=True,
    ),
    Case(
        "sub-agent",
        sub_agent,
        waits("sub-agent-stays-busy", "external_directory", child=True),
        waits=True,
    ),
    Case(
        "allow",
        one_call(outside),
        completes("allow-completes"),
        waits=False,
        project="allows",
        permission=lambda _: {"external_directory": "allow"},
    ),
    Case(
        "deny",
        one_call(outside),
        denied("deny-tells-the-model"),
        waits=False,
        project="denies",
        permission=lambda _: {"external_directory": "deny"},
    ),
    Case(
        "allowed-path",
        one_call(_below_the_open_folder),
        completes("allowed-path-completes"),
        waits=False,
        project="allows-one-path",
        permission=_one_path,
    ),
    Case(
        "other-path",
        one_call(outside),
        waits("other-path-stays-busy", "external_directory"),
        waits=True,
        project="allows-one-path",
        permission=_one_path,
    ),
)
# The two corners that the report's own arms lack.
FACTORIAL = frozenset({"one-inside", "one-outside"})


def run_case(case: Case, bench: Bench, n: int, timing: Timing) -> Draft:
    """One trial of one case."""
    directory = bench.project(case.project, permission=case.permission(bench))
    scope = Scope(bench, f"w101-{case.arm}-{n}", Path(directory))
    scope.outside.mkdir()
    scope.file.write_text("old\n")
    script = Script(scope.name, case.turns(scope))
    wanted = script.turns[0].calls[0]
    missing = [path for path in _made_by(wanted) if not path.exists()]
    prompted = bench.prompt(script, directory)
    if case.waits:
        # A sub-agent asks under its own session; its call carries the trial's name.
        bench.timeline.watch_all(
            lambda o: (
                (judge.is_asked(o) and (o.subject == prompted.session or scope.name in str(o.data)))
                or (is_over(o) and o.subject == prompted.session)
            ),
            timing.settle_s,
            after=prompted.at,
        )
        bench.timeline.watch(prompted.session, is_over, timing.watch_s, after=prompted.at)
    else:
        bench.timeline.watch(prompted.session, is_over, timing.settle_s)
    seen = probe(bench, prompted)
    made = any(path.exists() for path in missing)
    if missing:
        bench.timeline.add(Lane.FILE, "folder made" if made else "folder missing", prompted.session)
    scene = judge.Scene(prompted, seen, made, bench.timeline.of(prompted.session))
    also = tuple(child.id for child in seen.children)
    return Draft(prompted, (stored(scene.gated, wanted),), case.judged(scene), bench.timeline.now(), also)


def _made_by(call: Call) -> tuple[Path, ...]:
    """What a call makes, where it makes something."""
    command = str(call.input.get("command", ""))
    if call.tool == "write":
        return (Path(str(call.input.get("path", call.input.get("filePath", "")))),)
    return (Path(command.removeprefix("mkdir -p ")),) if command.startswith("mkdir -p ") else ()


def stored(part: ToolPart | None, wanted: Call) -> Check:
    """The server stores the call that the model made."""
    rule = "the call is stored by the server with exactly this input"
    if part is None:
        return Check(rule, False, "no such call is stored")
    same = part.tool == wanted.tool and all(part.input.get(k) == v for k, v in wanted.input.items())
    return Check(rule, same, "" if same else f"stored: {part.tool}")
