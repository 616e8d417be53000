"""Proof that the evidence channels were alive after the observation: without it, silence shows nothing."""

from collections.abc import Callable
from dataclasses import dataclass

from wedged.errors import WedgedError
from wedged.facts.session import Status
from wedged.facts.trial import Check, Lane, Observation
from wedged.lab.bench import Bench, Prompted, shell
from wedged.lab.turns import Call, Script, Turn


@dataclass(frozen=True, slots=True)
class Canary:
    """A session that runs a shell: known to be busy, with a process known to be there, from before the trials
    until after them."""

    working: Prompted

    def prove(self, bench: Bench, seconds: float) -> tuple[Check, ...]:
        """Try each channel now, each for up to `seconds`. A marker turn must be seen from end to end."""
        marker = f"marker-{bench.timeline.count()}"
        prompted: list[Prompted] = []

        def marker_turn() -> bool:
            prompted.append(bench.prompt(Script(marker), self.working.directory))
            bench.wait_idle(prompted[0], seconds)
            return True

        def model_log() -> bool:
            seen = bench.timeline.of(prompted[0].session) if prompted else ()
            return any(o.lane is Lane.MODEL and o.kind == "request" for o in seen)

        directory = self.working.directory
        reader = bench.connection.reader
        return (
            check("event stream alive: a marker turn was seen to end", marker_turn),
            check("model log alive: the marker turn's request is in it", model_log),
            check(
                "status list alive: a session known to be busy is listed",
                lambda: reader.statuses(directory).get(self.working.session) is Status.BUSY,
            ),
            check(
                "ask list alive: an ask known to wait is listed",
                lambda: _lists_what_waits(bench, directory, seconds),
            ),
            check(
                "process tree alive: a shell known to run is in it",
                lambda: any(self.working.script.name in " ".join(p.argv) for p in bench.server.tree()),
            ),
        )


def start_canary(bench: Bench, directory: str, seconds: float) -> Canary:
    """Prompt the session, and return when its shell runs, after `seconds` at the latest.

    This is the server's first turn: it is slow, and belongs in no trial's window. Whether it got there is for
    `Canary.prove`.
    """
    # The name stays in the shell's own command line, where the process tree shows it: a shell that has
    # something left to do after the sleep does not replace itself by it.
    name = f"canary-working-{bench.timeline.count()}"
    sleeper = Call(bench.shell_tool, shell(f"sleep 590; : {name}") | {"timeout": 600_000})
    working = bench.prompt(Script(name, (Turn(calls=(sleeper,)),)), directory)
    bench.timeline.watch(working.session, lambda o: o.lane is Lane.PART and o.kind == "running", seconds)
    return Canary(working)


def _lists_what_waits(bench: Bench, directory: str, seconds: float) -> bool:
    """An ask that still waits, by the event stream, is in the list.

    Where none does in this directory, one is made to wait, by a config that asks for every shell.
    """
    if _lists_one_of(_still_waiting(bench.timeline.everything()), bench, directory):
        return True
    directory = bench.project("canary", permission={bench.shell_tool: "ask"})
    echo = Call(bench.shell_tool, shell("echo canary"))
    script = Script(f"canary-asking-{bench.timeline.count()}", (Turn(calls=(echo,)),))
    asking = bench.prompt(script, directory)
    bench.timeline.watch(asking.session, lambda o: o.lane is Lane.ASK, seconds)
    return _lists_one_of({asking.session}, bench, directory)


def _lists_one_of(waiting: set[str], bench: Bench, directory: str) -> bool:
    return any(ask.session_id in waiting for ask in bench.connection.reader.asks(directory))


def _still_waiting(seen: tuple[Observation, ...]) -> set[str]:
    """The sessions that asked, and neither got an answer nor ended their turn afterwards."""
    waiting: set[str] = set()
    for observation in seen:
        if observation.lane is Lane.ASK and observation.kind == "permission.asked":
            waiting.add(observation.subject)
        elif observation.lane is Lane.ASK or observation.kind == "idle":
            waiting.discard(observation.subject)
    return waiting


def check(rule: str, holds: Callable[[], bool]) -> Check:
    """Try it: an error of ours on the way is a rule that did not pass, with the error as its detail."""
    try:
        return Check(rule, holds())
    except WedgedError as error:
        return Check(rule, False, str(error))
