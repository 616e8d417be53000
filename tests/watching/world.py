"""A server and a clock that do what a test says, for the watch: no second of it is really waited."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tests.diagnose.looks import BORN, ask, look, session

from wedged.client.v1.requests import request
from wedged.errors import CannotLook, Unreachable
from wedged.facts.process import ProcessFacts, Tree
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.snapshot import Gap, Snapshot
from wedged.watching.bell import Heard
from wedged.watching.watch import Change, Rules, Watch


@dataclass
class Stream:
    """An event stream that a test ends by setting `why`."""

    why: str = ""
    refused: bool = False
    closed: bool = False

    def close(self) -> None:
        self.closed = True


@dataclass
class World:
    """A server with `asks` that wait, and the time. `events` happen at their second of the watch."""

    asks: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    pid: int = 100
    down: bool = False
    born: int = BORN
    time: float = 0.0
    events: dict[float, Callable[[], Heard | None]] = field(default_factory=dict)
    looks: list[tuple[float, bool, tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    dials: list[float] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)
    told: list[tuple[float, Change]] = field(default_factory=list)
    refuses: bool = False

    def watch(self, rules: Rules) -> int:
        return Watch(self.dial, self, lambda change: self.told.append((self.time, change)), rules).run()

    def story(self) -> list[str]:
        """What was told, in short: the kind, and the last letter of the finding's subject."""
        return [
            f"{change.kind}{' ' + change.finding.subject.id[-1] if change.finding else ''}"
            for _, change in self.told
        ]

    def dial(self) -> "World":
        self.dials.append(self.time)
        if self.down:
            raise Unreachable("cannot connect")
        return self

    # The bell.

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float) -> Heard:
        deadline = self.time + seconds
        while due := sorted(at for at in self.events if at <= deadline):
            heard = self._happen(due[0])
            if heard is not None:
                return heard
        self.time = max(self.time, deadline)
        return Heard()

    def pause(self, seconds: float) -> None:
        deadline = self.time + seconds
        for at in sorted(at for at in self.events if at <= deadline):
            self._happen(at)
        self.time = max(self.time, deadline)

    def _happen(self, at: float) -> Heard | None:
        self.time = max(self.time, at)
        return self.events.pop(at)()

    # The outlook.

    def take(
        self, peek: Snapshot | None, named: Sequence[str], loaded: Sequence[str], sessions: Sequence[str]
    ) -> Snapshot:
        if self.down:
            raise CannotLook("it hung up")
        self.looks.append((self.time, peek is None, tuple(named), tuple(loaded)))
        seen = look(
            tuple(ask(one, f"ses_{one[-1]}") for one in self.asks),
            tuple(session(f"ses_{one[-1]}") for one in self.asks),
            tuple(Gap(what, "it failed") for what in self.gaps),
        )
        server = ProcessFacts(self.pid, 1, float(self.pid), "opencode")
        return replace(seen, taken_ms=self.born + int(self.time * 1000), processes=Tree(server))

    def is_gone(self, session_id: str) -> bool:
        return session_id in self.gone

    def request(self, action: Action, target: Target) -> Request:
        return request(action, target)

    def follow(self) -> Stream:
        self.streams.append(Stream("no stream", True) if self.refuses else Stream())
        return self.streams[-1]

    def close(self) -> None:
        """Nothing is held."""
