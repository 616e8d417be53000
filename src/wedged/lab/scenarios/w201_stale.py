"""A stale call on a real server, and the ways to reach it."""

import time
from dataclasses import dataclass

import httpx

from wedged.catalog.w201_variants import PROMPT
from wedged.client.v1 import routes as v1
from wedged.client.v2 import routes as v2
from wedged.errors import LabError
from wedged.facts.recovery import Step, Target
from wedged.facts.server import Line
from wedged.facts.trial import Lane, Observation
from wedged.lab.bench import Bench, Prompted
from wedged.lab.scenarios.w201_judgement import Told
from wedged.lab.scenarios.w201_sight import Sight, sight, the_part
from wedged.lab.timeline import is_over
from wedged.lab.trials import Timing
from wedged.lab.turns import Script, Turn
from wedged.recover import run_step

_PATIENCE_S = 45.0


@dataclass(frozen=True, slots=True)
class Stale:
    """A stale call, as the crash has left it, and what may be done to it."""

    bench: Bench
    prompted: Prompted
    timing: Timing

    @property
    def v1(self) -> bool:
        """Whether the server speaks V1."""
        return self.bench.identity.line is Line.V1

    def look(self) -> Sight:
        """The session now."""
        return sight(self.bench, self.prompted)

    def cure(self, step: Step, message: str = "") -> Sight:
        """Carry out one of the class's own recovery steps; the session right afterwards."""
        connection, prompted = self.bench.connection, self.prompted
        target = Target(
            prompted.session,
            prompted.directory,
            message=message,
            part=the_part(self.look()),
            at_ms=time.time_ns() // 1_000_000,
        )
        with self.bench.timeline.call(prompted.session, step.id):
            run_step(step, target, connection.reader, connection.actor)
        return self.look()

    def ask(self, turn: Turn | None = None, step: Step | None = None) -> Told:
        """Send a prompt and wait for the turn's end; what the model was told. `step`: by which cure."""
        bench, session, at = self.bench, self.prompted.session, self.bench.timeline.now()
        script = Script(f"{self.prompted.script.name}-next", (turn,) if turn else ())
        bench.model.learn(script)
        bench.model.attribute(script, session)
        words = f"{PROMPT.message} {script.mark}"
        if step is None:
            with bench.timeline.call(session, "prompt"):
                bench.connection.actor.prompt(session, words, directory=self.prompted.directory)
        else:
            self.cure(step, words)
        bench.timeline.watch(session, is_over, self.timing.settle_s, after=at)
        asked = bench.timeline.find(session, is_turn, at)
        return Told.of(asked)

    def request(self, what: str, method: str, path: str, body: object = None) -> httpx.Response:
        """Send a request as it is; the answer, whatever it is.

        Raises:
            LabError: there was none.
        """
        session = self.prompted.session
        directory = {"directory": self.prompted.directory} if self.v1 else {}
        try:
            with (
                self.bench.server.raw_client(_PATIENCE_S) as client,
                self.bench.timeline.call(session, what),
            ):
                answer = client.request(method, path, json=body, params=directory)
        except httpx.HTTPError as error:
            raise LabError(f"{what} was not answered: {type(error).__name__}") from error
        self.bench.timeline.add(Lane.CLIENT, f"{what} answered", session, status=answer.status_code)
        return answer

    def path(self, rest: str) -> str:
        """A path of the session, in either line."""
        base = v1.session if self.v1 else v2.session
        return base(self.prompted.session) + rest


def is_turn(o: Observation) -> bool:
    """The model is asked for a turn."""
    return o.lane is Lane.MODEL and o.kind == "request" and bool(o.data["offers_tools"])
