"""W301: what the model is told to do, and how a trial waits until it is done."""

from dataclasses import dataclass, replace

from wedged.facts.process import ProcessFacts
from wedged.facts.recovery import Request
from wedged.facts.trial import Check, Lane, Observation
from wedged.lab.bench import Bench, Prompted, shell
from wedged.lab.scenarios.w301_sight import Sight, carries, family, sight
from wedged.lab.timeline import is_over
from wedged.lab.turns import Call, Script, Turn

# Nothing in a trial takes so long, and the keeper ends what is left.
LONG = "sleep 590"
# How long is no evidence of anything where a trial only has to get somewhere.
_PATIENCE_S = 45.0


def background(name: str, command: str = LONG, **more: object) -> Call:
    """A call that starts a shell of this name in the background."""
    return Call("shell", shell(f"{command}; : {name}") | {"background": True} | more)


def foreground(name: str, command: str) -> Call:
    """A call that runs a shell of this name to its end."""
    return Call("shell", shell(f"{command}; : {name}") | {"timeout": 600_000})


@dataclass(frozen=True, slots=True)
class SubAgent:
    """A sub-agent whose only act is `call`; `script` is what its model answers by."""

    name: str
    call: Call
    in_background: bool = False

    @property
    def script(self) -> Script:
        """Its script; the prompt that its parent gives it carries the mark."""
        return Script(self.name, (Turn(calls=(self.call,)),))

    @property
    def order(self) -> Call:
        """The parent's call."""
        prompt = f"Do what the script says. {self.script.mark}"
        more: dict[str, object] = {"background": True} if self.in_background else {}
        wanted: dict[str, object] = {"agent": "general", "description": "A task", "prompt": prompt}
        return Call("subagent", wanted | more)


def sub_agent(name: str, *, in_background: bool = False, command: str = LONG) -> SubAgent:
    """The sub-agent of the trial `name`, with a background shell of its own."""
    kid = f"{name}-kid"
    return SubAgent(kid, background(kid, command), in_background)


@dataclass(frozen=True)
class Stage:
    """One trial under way: its session, the calls that its model makes, and the names of its sub-agents'
    shells."""

    bench: Bench
    prompted: Prompted
    calls: tuple[Call, ...]
    kids: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The trial's name, which its shell's command line ends with."""
        return self.prompted.script.name

    @property
    def session(self) -> str:
        """Its session."""
        return self.prompted.session

    def look(self) -> Sight:
        """See it through every channel."""
        return sight(self.bench, self.prompted, names=self.kids)

    def expecting(self, *calls: Call) -> "Stage":
        """The same, where the server has to have stored these calls, whatever the model was told to make."""
        return replace(self, calls=calls)

    def knowing(self, *names: str) -> "Stage":
        """The same, where the trial has further processes of these names."""
        return replace(self, kids=(*self.kids, *names))

    def look_at_processes(self, name: str) -> tuple[ProcessFacts, ...]:
        """The processes of the shell of that name, whoever their parent is now."""
        return tuple(p for p in family(self.bench) if p.argv and carries(name, p.argv[-1]))

    def started(self, seconds: float) -> Observation | None:
        """The event that says that a shell of this session has been started, waited for."""
        return self.bench.timeline.watch(
            self.session, lambda o: o.kind == "shell.created", seconds, after=self.prompted.at
        )

    def note_process(self) -> None:
        """Put on the timeline whether the shell's own process runs now."""
        alive = bool(self.look_at_processes(self.name))
        kind = "shell alive" if alive else "shell gone"
        self.bench.timeline.add(Lane.PROCESS, kind, self.session, id=self.name)

    def settle(self, seconds: float) -> Observation | None:
        """Until the server says that the turn is over."""
        return self.bench.timeline.watch(self.session, is_over, seconds, after=self.prompted.at)

    def must_settle(self, seconds: float) -> Observation:
        """The same, where no claim is about whether the turn ends.

        Raises:
            DeadlinePassed: it did not, in a time that a busy machine would need.
        """
        awaited, patience = f"the turn of {self.name} to be over", max(seconds, _PATIENCE_S)
        return self.bench.timeline.wait_for(self.session, is_over, awaited, patience, self.prompted.at)

    def settle_after(self, at: float, seconds: float) -> Observation | None:
        """Until the server says that a turn is over, later than `at`."""
        return self.bench.timeline.watch(self.session, is_over, seconds, after=at)

    def asked_twice(self, seconds: float) -> Observation | None:
        """The request that follows the calls, waited for."""
        first = self.asked_after(self.prompted.at, seconds)
        return self.asked_after(first.t, seconds) if first else None

    def told_after(self, at: float, seconds: float) -> Observation | None:
        """The first request of this session later than `at` in which the model is told of a shell's end,
        waited for. A shell that ends early is told within the turn."""

        def is_told(o: Observation) -> bool:
            return is_request(o) and "<shell" in words_of(o)

        return self.bench.timeline.watch(self.session, is_told, seconds, after=at)

    def asked_after(self, at: float, seconds: float) -> Observation | None:
        """The first request for a turn of this session later than `at`, waited for."""
        return self.bench.timeline.watch(self.session, is_request, seconds, after=at)

    def request(self, what: str, method: str, path: str, body: dict[str, object] | None = None) -> object:
        """One request of ours, on the timeline."""
        with self.bench.timeline.call(self.session, what):
            return self.bench.connection.actor.send(Request(method, path, body))

    def stored(self, seen: Sight) -> Check:
        """Each call stands in the server's store with exactly the input that the model gave it."""
        rule = "each call is stored by the server with exactly this input"
        wrong = []
        for place, wanted in enumerate(self.calls):
            part = seen.part(self.prompted.script.call_id(0, place))
            if part is None:
                wrong.append(f"call {place} is not stored")
            elif part.tool != wanted.tool or any(part.input.get(k) != v for k, v in wanted.input.items()):
                wrong.append(f"call {place} is stored as {part.tool} {part.input.get('command', '')}")
        return Check(rule, not wrong, "; ".join(wrong))


def begin(
    bench: Bench, directory: str, name: str, *calls: Call, kid: SubAgent | None = None, words: str = ""
) -> Stage:
    """Create the session and have its model make these calls, the sub-agent's order after them."""
    if kid is not None:
        bench.model.learn(kid.script)
        calls = (*calls, kid.order)
    script = Script(name, (Turn(text=words, calls=calls),))
    return Stage(bench, bench.prompt(script, directory), calls, (kid.name,) if kid else ())


def is_request(o: Observation) -> bool:
    """The model is asked for a turn."""
    return o.lane is Lane.MODEL and o.kind == "request" and bool(o.data["offers_tools"])


def words_of(request: Observation | None) -> str:
    """What the model was told anew; "" where it was not asked."""
    return str(request.data.get("new_text", "")) if request else ""
