"""Proof that the evidence channels were alive after the observation: without it, silence shows nothing."""

from collections.abc import Callable
from dataclasses import dataclass

from wedged.errors import WedgedError
from wedged.facts.session import Status
from wedged.facts.trial import Check, Lane
from wedged.lab.bench import Bench, Prompted, shell
from wedged.lab.turns import Call, Script, Turn


@dataclass(frozen=True, slots=True)
class Canaries:
    """Two sessions in known states, started before the trials and still in them afterwards.

    `working` runs a shell (a session known to be busy, a process known to be there); `asking` waits on a
    person in a directory whose config asks for every shell (an ask known to be listed).
    """

    working: Prompted
    asking: Prompted

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

        reader = bench.connection.reader
        return (
            check("event stream alive: a marker turn was seen to end", marker_turn),
            check("model log alive: the marker turn's request is in it", model_log),
            check(
                "status list alive: a session known to be busy is listed",
                lambda: reader.statuses(self.working.directory).get(self.working.session) is Status.BUSY,
            ),
            check(
                "ask list alive: an ask known to wait is listed",
                lambda: any(a.session_id == self.asking.session for a in reader.asks(self.asking.directory)),
            ),
            check(
                "process tree alive: a shell known to run is in it",
                lambda: any(self.working.script.name in " ".join(p.argv) for p in bench.server.tree()),
            ),
        )


def start_canaries(bench: Bench, directory: str, seconds: float) -> Canaries:
    """Prompt the two sessions, in `directory` and in a directory of their own.

    Returns when the working one's shell runs, after `seconds` at the latest. That was the server's first
    turn: it is slow, and belongs in no trial's window. Whether both got there is for `Canaries.prove`.
    """
    asking_in = bench.project("canary", permission={bench.shell_tool: "ask"})
    # The name stays in the shell's own command line, where the process tree shows it: a shell that has
    # something left to do after the sleep does not replace itself by it.
    sleeper = Call(bench.shell_tool, shell("sleep 590; : canary-working") | {"timeout": 600_000})
    echo = Call(bench.shell_tool, shell("echo canary"))
    working = bench.prompt(Script("canary-working", (Turn(calls=(sleeper,)),)), directory)
    asking = bench.prompt(Script("canary-asking", (Turn(calls=(echo,)),)), asking_in)
    bench.timeline.watch(working.session, lambda o: o.lane is Lane.PART and o.kind == "running", seconds)
    return Canaries(working, asking)


def check(rule: str, holds: Callable[[], bool]) -> Check:
    """Try it: an error of ours on the way is a rule that did not pass, with the error as its detail."""
    try:
        return Check(rule, holds())
    except WedgedError as error:
        return Check(rule, False, str(error))
