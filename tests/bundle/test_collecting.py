"""Deadlines and failures of collectors: what was read is kept, what was not is named."""

import threading
from collections.abc import Iterator

import pytest

from wedged.bundle.collecting import Basket, Collector, collect
from wedged.errors import Unreachable


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    gate = threading.Event()
    yield gate
    gate.set()


def test_one_that_hangs_keeps_what_it_had_and_stops_no_other(gate: threading.Event) -> None:
    ended = threading.Event()

    def hangs(basket: Basket) -> None:
        try:
            basket.add("first", 1)
            gate.wait(60)
            basket.add("second", 2)
        finally:
            ended.set()

    def works(basket: Basket) -> None:
        basket.add("third", 3)

    harvest = collect((Collector("slow", 0.2, hangs), Collector("quick", 60, works)))
    assert harvest.pieces == {"first": 1, "third": 3}
    assert [(one.collector, one.state) for one in harvest.collectors] == [
        ("slow", "partial"),
        ("quick", "complete"),
    ]
    assert [(gap.collector, gap.why) for gap in harvest.gaps] == [("slow", "not done within 0.2 s")]
    gate.set()
    assert ended.wait(10), "it ends where it next wants to keep something"
    assert "second" not in harvest.pieces


def test_one_that_fails_is_a_gap_with_its_words() -> None:
    def refused(_: Basket) -> None:
        raise Unreachable("nothing accepts connections there")

    def defect(basket: Basket) -> None:
        basket.add("half", "")
        raise KeyError("name")

    harvest = collect((Collector("server", 60, refused), Collector("defect", 60, defect)))
    assert [one.state for one in harvest.collectors] == ["nothing", "partial"]
    assert [gap.why for gap in harvest.gaps] == [
        "nothing accepts connections there",
        "the collector itself failed: KeyError: 'name'",
    ]


def test_a_named_gap_is_not_complete() -> None:
    harvest = collect((Collector("logs", 60, lambda basket: basket.gap("logs", "there are none")),))
    assert [one.state for one in harvest.collectors] == ["nothing"]
