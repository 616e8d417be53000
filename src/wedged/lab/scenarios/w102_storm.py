"""The storm: both clients at one ask that is gone, and what a reload, a reopened window and a restart do."""

from dataclasses import dataclass, field

from wedged.facts.ask import Ask
from wedged.facts.trial import Check, Lane
from wedged.lab.scenarios import w102_storm_judgement as judge
from wedged.lab.scenarios.w102_acts import dispose, disposed
from wedged.lab.scenarios.w102_clients import Client, Naive, Reference
from wedged.lab.scenarios.w102_stage import Stage, pending
from wedged.lab.trials import Draft, Timing
from wedged.waiting import pause

# A client's own retry, and how often in each phase. The report counted 109 in its worst minute.
_EVERY_S = 0.25
_TIMES = 5


@dataclass
class Storm:
    """One ask and its two clients, taken from phase to phase."""

    stage: Stage
    ask: Ask
    naive: Client = field(default_factory=Naive)
    reference: Client = field(default_factory=Reference)
    phases: list[judge.Phase] = field(default_factory=list)
    _went: Check | None = None
    _heard: int = 0

    def begin(self, timing: Timing) -> None:
        """Both show their dialog; the ask goes; then both answer."""
        self._hear()
        at = self.stage.bench.timeline.now()
        dispose(self.stage)
        self._went = disposed(self.stage, at, timing)
        self.stage.bench.timeline.watch(self.stage.session, lambda o: o.lane is Lane.ASK, 0.5, after=at)
        self._phase("clicked")

    def load_again(self, how: str) -> None:
        """Load both anew; a closed and opened window keeps nothing but its memory."""
        if how == "reopened":
            self.naive, self.reference = Naive(self.naive.memory), Reference(self.reference.memory)
        self._load()
        self._phase(how)

    def finish(self) -> Draft:
        """After the server's restart: load once more, and judge."""
        self.load_again("restarted")
        seen = self.stage.look()
        checks = (self._went,) if self._went else ()
        return self.stage.draft(seen, judge.storm(tuple(self.phases)), *checks)

    def _phase(self, name: str) -> None:
        timeline = self.stage.bench.timeline
        timeline.add(Lane.CLIENT, name, self.stage.session)
        phase = judge.Phase(name, bool(self.naive.shown), bool(self.reference.shown))
        for _ in range(_TIMES):
            self._hear()
            replies = self._answer("naive", self.naive), self._answer("reference", self.reference)
            phase = phase.answered(*replies)
            listed = len(pending(self.stage.bench, self.stage.session, self.stage.directory))
            shown = {"naive": len(self.naive.shown), "reference": len(self.reference.shown)}
            timeline.add(Lane.CLIENT, "dialogs", self.stage.session, **shown, pending=listed)
            pause(_EVERY_S)
        self.phases.append(phase.left(bool(self.naive.shown), bool(self.reference.shown)))

    def _answer(self, who: str, client: Client) -> tuple[int, ...]:
        if self.ask.id not in client.shown:
            return ()
        status = self.stage.reply(self.ask)
        client.answered(self.ask.id, status)
        self.stage.bench.timeline.add(Lane.CLIENT, f"{who} answers", self.stage.session, status=status)
        return (status,)

    def _hear(self) -> None:
        seen = self.stage.bench.timeline.of(self.stage.session)
        for observation in seen[self._heard :]:
            self.naive.hear(observation)
            self.reference.hear(observation)
        self._heard = len(seen)

    def _load(self) -> None:
        bench = self.stage.bench
        session = bench.connection.reader.session(self.stage.session, self.stage.directory)
        listed = [ask.id for ask in pending(bench, self.stage.session, self.stage.directory)]
        self.naive.load(session.parts, listed)
        self.reference.load(session.parts, listed)
