"""How many inputs were tried, and what came of them, by test; printed at the end of a run."""

from collections import Counter

from hypothesis import event

TRIED: dict[str, Counter[str]] = {}


def came_of(test: str) -> Counter[str]:
    """The counter of one test."""
    return TRIED.setdefault(test, Counter())


def count(counter: Counter[str], kind: str) -> None:
    """One more."""
    counter[kind] += 1
    event(kind)
