"""One session over time: what really goes on, and what each kind of client has in its roster."""

from dataclasses import dataclass

from wedged.facts.trial import Lane
from wedged.lab.scenarios.w301_states import Stage
from wedged.lab.timeline import is_over
from wedged.roster import naive, read_work, right
from wedged.waiting import wait_until

_EVERY_S = 0.2


@dataclass(frozen=True)
class RosterWatch:
    """Puts ``rosters`` on the session's client lane: how many of its shells' processes run, and both clients'
    counts. A read with gaps is left out."""

    stage: Stage

    def until_over(self, seconds: float) -> None:
        """Sample until the session's turn is over, at most `seconds`."""
        timeline, at = self.stage.bench.timeline, self.stage.prompted.at

        def over() -> bool:
            self.sample()
            return timeline.find(self.stage.session, is_over, after=at) is not None

        wait_until(over, seconds, every=_EVERY_S)

    def for_a_while(self, seconds: float) -> None:
        """Sample for `seconds`."""

        def never() -> None:
            self.sample()

        wait_until(never, seconds, every=_EVERY_S)

    def sample(self) -> None:
        """Look once, by both means. What changes while they look is no sample: they would differ by that."""
        stage, before = self.stage, self._shells()
        work = read_work(stage.bench.connection.reader, (stage.prompted.directory,))
        if not work.gaps and before == self._shells():
            counts = {
                "naive": len(naive(work).of(stage.session)),
                "right": len(right(work).of(stage.session)),
            }
            self._add(before, **counts)

    def processes(self) -> None:
        """Look once at the processes alone: the server is down."""
        self._add(self._shells())

    def _shells(self) -> int:
        names = (name for name in (self.stage.name, *self.stage.kids) if not name.endswith("-left"))
        return sum(bool(self.stage.look_at_processes(name)) for name in names)

    def _add(self, shells: int, **counts: int) -> None:
        stage = self.stage
        stage.bench.timeline.add(Lane.CLIENT, "rosters", stage.session, processes=shells, **counts)
