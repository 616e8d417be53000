"""One slow list keeps a look from that list only."""

from dataclasses import dataclass, field

from wedged.errors import NoAnswerInTime
from wedged.facts.ask import Ask
from wedged.facts.session import SessionFacts, Status
from wedged.observe.gathering import Gathering
from wedged.observe.patience import Patience

from .fake_reader import OWN, FakeReader


@dataclass
class Clock:
    """A clock that a test moves."""

    at: float = 0.0

    def __call__(self) -> float:
        return self.at


@dataclass
class Slow(FakeReader):
    """A server whose asks never come; each try takes ten seconds of `clock`."""

    clock: Clock = field(default_factory=Clock)

    def asks(self, directory: str = "") -> tuple[Ask, ...]:
        self._called("asks", directory)
        self.clock.at += 10
        raise NoAnswerInTime("no answer within 10 s")


def test_time_counts_by_kind_and_only_while_a_read_is_under_way() -> None:
    clock = Clock()
    patience = Patience(20, clock)
    for _ in range(2):
        clock.at += 1000
        assert not patience.is_over("asks")
        with patience.spent_on("asks"):
            clock.at += 10
    assert patience.is_over("asks")
    assert not patience.is_over("sessions")


def test_a_list_that_never_comes_is_not_asked_for_ever_and_the_rest_is_kept() -> None:
    places = [f"/{n}" for n in range(6)]
    made = Slow(
        known=[SessionFacts(f"s{n}", place, Status.UNKNOWN) for n, place in enumerate(places)],
        busy={f"s{n}": place for n, place in enumerate(places)},
    )
    gathering = Gathering(made, OWN, patience=Patience(20, made.clock))
    for place in ("", *places):
        gathering.list_of(place)
    gathering.read_details(())
    tried = [where for name, where in made.calls if name == "asks"]
    assert tried == ["", "/0"], "two tries of ten seconds, and no more"
    left = {gap.what: gap.why for gap in gathering.gaps}
    assert left[f"asks in {OWN}"] == left["asks in /0"] == "no answer within 10 s"
    why = "not asked: such reads have taken 20 s already"
    assert [left[f"asks in {place}"] for place in places[1:]] == [why] * 5
    assert {s.id: s.status for s in gathering.sessions.values()} == {f"s{n}": Status.BUSY for n in range(6)}
