"""One trial's session with its sub-agents, looked at through every channel at one moment."""

from collections.abc import Sequence
from dataclasses import dataclass

from wedged.errors import ServerSaidNo
from wedged.facts.process import ProcessFacts, Shell
from wedged.facts.recovery import Target
from wedged.facts.session import SessionFacts, ToolPart
from wedged.facts.trial import Lane, Observation
from wedged.lab.bench import Bench, Prompted
from wedged.lab.probe import turns_asked

RUNNING = "running"


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen of the trial called `name`. `t` is when the look began, seconds on the timeline.

    `session` is None where the server no longer has it. `shells` are those that the list of the session's
    own directory names and whose command carries the name. `below` are processes with the name below the
    server, `family` those that the server ever started, whoever their parent is now. `turns` counts the
    model's requests for a turn of the session.
    """

    t: float
    name: str
    session: SessionFacts | None
    children: tuple[SessionFacts, ...]
    shells: tuple[Shell, ...]
    below: tuple[ProcessFacts, ...]
    family: tuple[ProcessFacts, ...]
    turns: int

    @property
    def owners(self) -> frozenset[str]:
        """The session and its sub-agents'."""
        sessions = (self.session,) if self.session else ()
        return frozenset(session.id for session in (*sessions, *self.children))

    def part(self, call_id: str) -> ToolPart | None:
        """The session's tool call that the model gave this id."""
        parts = self.session.parts if self.session else ()
        return next((part for part in parts if part.call_id == call_id), None)

    def shell(self, name: str) -> Shell | None:
        """The shell of that name, as listed."""
        return next((shell for shell in self.shells if carries(name, shell.command)), None)

    def runs(self, name: str) -> bool:
        """Whether the process of the shell of that name is below the server."""
        return any(carries(name, argument) for one in self.below for argument in one.argv[-1:])

    def survives(self, name: str) -> bool:
        """Whether that process runs, whoever its parent is."""
        return any(carries(name, argument) for one in self.family for argument in one.argv[-1:])


def carries(name: str, command: str) -> bool:
    """Whether this command line is that of the shell called `name`: the name is its last word."""
    return command.rstrip().endswith(f": {name}")


def sight(bench: Bench, prompted: Prompted, *, names: Sequence[str] = ()) -> Sight:
    """Look now. `names` are further shells of the trial: sub-agents' have names of their own."""
    reader, at = bench.connection.reader, bench.timeline.now()
    known = (prompted.script.name, *names)

    def ours(command: str) -> bool:
        return any(carries(name, command) for name in known)

    try:
        session = reader.session(prompted.session, prompted.directory)
    except ServerSaidNo as error:
        if error.status != 404:
            raise
        session = None
    children = reader.children(prompted.session, prompted.directory) if session and names else ()
    shells = tuple(shell for shell in reader.shells(prompted.directory) if ours(shell.command))
    below = tuple(p for p in bench.server.tree() if p.argv and ours(p.argv[-1]))
    look = Sight(
        t=at,
        name=prompted.script.name,
        session=session,
        children=children,
        shells=shells,
        below=below,
        family=tuple(p for p in family(bench) if p.argv and ours(p.argv[-1])),
        turns=len(turns_asked(bench.timeline.of(prompted.session))),
    )
    bench.timeline.add(Lane.CLIENT, "looked", prompted.session, **_as_data(look))
    return look


def family(bench: Bench) -> tuple[ProcessFacts, ...]:
    """Everything that any incarnation of the server ever started and that still runs."""
    found = {p.pid: p for life in bench.incarnations for p in life.server.family()}
    return tuple(found.values())


def target(shell: Shell) -> Target:
    """What ending this shell is aimed at."""
    return Target(shell.session_id, shell.directory, shell_id=shell.id)


def shell_events(seen: Sequence[Observation], shell_id: str) -> tuple[Observation, ...]:
    """The events that name this shell."""
    return tuple(o for o in seen if o.lane is Lane.EVENT and o.data.get("shell") == shell_id)


def _as_data(look: Sight) -> dict[str, object]:
    """What the look saw, for the trial's timeline: the outcomes can be derived from it again."""
    session = look.session
    return {
        "session": session.status.value if session else "not there",
        "outcome": session.outcome if session else "",
        "parts": [
            {"call": part.call_id, "tool": part.tool, "status": part.status.value}
            for part in (session.parts if session else ())
        ],
        "children": [{"session": child.id, "parent": child.parent_id} for child in look.children],
        "shells": [
            {"shell": shell.id, "session": shell.session_id, "status": shell.status, "by": shell.listed_by}
            for shell in look.shells
        ],
        "processes": [" ".join(process.argv) for process in look.below],
        "survivors": [" ".join(process.argv) for process in look.family],
        "turns": look.turns,
    }
