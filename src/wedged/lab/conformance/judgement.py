"""What a rule is given, and what it says. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wedged.facts.server import Line
from wedged.lab.conformance.exchange import Exchange

_SHOWN = 4


class Verdict(StrEnum):
    """What the record says of one rule."""

    KEPT = "kept"
    BROKEN = "broken"
    NOT_EXERCISED = "not exercised"


@dataclass(frozen=True, slots=True)
class HeldAsk:
    """An ask of the held state: its session, and the directory in which it can be answered.

    `alive` is whether a turn waits for it, and goes on doing so until somebody answers.
    """

    id: str
    session: str
    directory: str
    alive: bool = True


@dataclass(frozen=True, slots=True)
class Scene:
    """The state that a client met.

    `directory` is the session's, `own_directory` the server's own. `works` says that a turn or a call of the
    session really runs, here or on another server of the same data.
    """

    code: str
    line: Line
    session: str
    directory: str
    own_directory: str
    children: tuple[str, ...] = ()
    asks: tuple[HeldAsk, ...] = ()
    shells: tuple[str, ...] = ()
    works: bool = False

    def asked_in(self, exchange: Exchange) -> str:
        """The directory for which the request was answered: the one it named, or the server's own."""
        return exchange.directory or self.own_directory

    def ask(self, ask_id: str) -> HeldAsk | None:
        """The held ask of that id."""
        return next((one for one in self.asks if one.id == ask_id), None)


Said = tuple[Verdict, tuple[str, ...]]
Record = Sequence[Exchange]


@dataclass(frozen=True, slots=True)
class Rule:
    """`sentence` is what a right client does; `id` begins with the code of the class that it is about."""

    id: str
    sentence: str
    judge: Callable[[Scene, Record, float], Said]

    @property
    def code(self) -> str:
        """The failure class."""
        return self.id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one rule says of a client; `evidence` are the lines it goes by."""

    rule: Rule
    verdict: Verdict
    evidence: tuple[str, ...]


def kept(*evidence: str) -> Said:
    """A client did the right thing where it could have gone wrong."""
    return Verdict.KEPT, evidence


def broken(*evidence: str) -> Said:
    """A client did the wrong thing."""
    return Verdict.BROKEN, evidence


def not_exercised(why: str) -> Said:
    """Nothing that the client sent speaks for or against it."""
    return Verdict.NOT_EXERCISED, (why,)


def lines(exchanges: Record) -> tuple[str, ...]:
    """The first few as evidence, and how many more there are."""
    shown = tuple(exchange.line for exchange in exchanges[:_SHOWN])
    more = len(exchanges) - len(shown)
    return (*shown, f"and {more} more") if more else shown
