"""What was expected beside what was seen: which kind of change, and which exit code."""

import pytest

from wedged.facts.trial import Verdict
from wedged.nightly.comparing import Kind, compare
from wedged.nightly.expectations import Expected, Seen, expectations

from .lines import ABSENT, CLAIM, FLAKY, HOLDS, NEW, NEWEST, NOT, NOT_RUN, OLD, UNSURE, line, seen


def one(expected: list[Expected], now: Seen) -> tuple[Kind, int]:
    """The kind of the one difference about what was seen, and the exit code."""
    comparison = compare(expectations(expected), [now], asked=frozenset())
    (found,) = [d for d in comparison.differences if d.seen is not None]
    return found.kind, comparison.exit_code


@pytest.mark.parametrize(
    ("before", "now", "kind", "code"),
    [
        (line(HOLDS, 10, 10), seen(HOLDS, 3, 3), Kind.AS_EXPECTED, 0),
        (line(NOT, 0, 10), seen(NOT, 0, 10), Kind.AS_EXPECTED, 0),
        (line(HOLDS, 10, 10), seen(NOT, 0, 10), Kind.GONE, 1),
        (line(HOLDS, 10, 10), seen(ABSENT), Kind.GONE, 1),
        (line(HOLDS, 10, 10), seen(FLAKY, 1, 10), Kind.FLAKY_NOW, 1),
        (line(NOT, 0, 10), seen(FLAKY, 1, 10), Kind.FLAKY_NOW, 1),
        (line(NOT, 0, 10), seen(HOLDS, 3, 3), Kind.CAME_BACK, 1),
        (line(ABSENT), seen(NOT, 0, 3), Kind.FEATURE, 1),
        (line(FLAKY, 3, 10), seen(FLAKY, 9, 10), Kind.AS_EXPECTED, 0),
        (line(FLAKY, 5, 10), seen(HOLDS, 2, 2), Kind.AS_EXPECTED, 0),
        (line(FLAKY, 1, 10), seen(HOLDS, 10, 10), Kind.STEADY_NOW, 1),
        # No "gone" from too few trials.
        (line(HOLDS, 2, 2), seen(NOT, 0, 2), Kind.TOO_FEW, 3),
        (line(HOLDS, 2, 2), seen(NOT, 0, 3), Kind.GONE, 1),
        (line(FLAKY, 1, 10), seen(NOT, 0, 10), Kind.TOO_FEW, 3),
        (line(FLAKY, 1, 10), seen(NOT, 0, 37), Kind.GONE, 1),
        # Never mistaken for gone.
        (line(HOLDS, 10, 10), seen(UNSURE, 0, 10), Kind.UNSURE, 3),
        (line(HOLDS, 10, 10), seen(NOT_RUN), Kind.NOT_RUN, 3),
        # What was never known may stay so; once it is known, that is news.
        (line(UNSURE), seen(UNSURE), Kind.STILL_UNKNOWN, 0),
        (line(NOT_RUN), seen(HOLDS, 3, 3), Kind.SHOWN, 1),
        (line(NOT_RUN), seen(NOT, 0, 3), Kind.NOT_LISTED, 0),
    ],
)
def test_each_pair_on_a_known_server(before: Expected, now: Seen, kind: Kind, code: int) -> None:
    assert one([before], now) == (kind, code)


@pytest.mark.parametrize(
    ("verdict", "k", "kind", "code"),
    [
        (HOLDS, 5, Kind.AS_EXPECTED, 0),
        (NOT, 0, Kind.GONE, 1),
        (FLAKY, 2, Kind.FLAKY_NOW, 1),
        (UNSURE, 0, Kind.UNSURE, 3),
    ],
)
def test_a_new_release_is_held_against_the_newest_older_one_of_its_line(
    verdict: Verdict, k: int, kind: Kind, code: int
) -> None:
    lines = [line(NOT, 0, 10, OLD), line(HOLDS, 10, 10, NEW), line(NOT, 0, 10, "v2@2.0.15")]
    assert one(lines, seen(verdict, k, 5, NEWEST)) == (kind, code)


def test_what_holds_on_a_new_release_and_did_not_before_is_new() -> None:
    assert one([line(NOT, 0, 10, NEW)], seen(HOLDS, 5, 5, NEWEST)) == (Kind.NEW, 1)


def test_a_claim_that_nothing_is_known_of_is_news_only_where_it_shows() -> None:
    assert one([], seen(HOLDS, 5, 5)) == (Kind.NEW, 1)
    assert one([], seen(NOT, 0, 5)) == (Kind.NOT_LISTED, 0)


def test_a_lost_shard_is_seen_by_what_was_asked() -> None:
    lines = expectations([line(HOLDS, 10, 10, OLD), line(HOLDS, 10, 10, NEW)])
    both = frozenset({("W101", OLD), ("W101", NEW)})
    told = [seen(HOLDS, 10, 10, OLD)]
    assert compare(lines, told, asked=both).exit_code == 3
    assert compare(lines, told).exit_code == 3
    assert compare(lines, told, asked=frozenset({("W101", OLD)})).exit_code == 0
    lost = compare({}, told, asked=frozenset({("W101", OLD), ("W103", OLD)})).of(Kind.NOT_RUN)
    assert [one.claim for one in lost] == ["W103.*"]


def test_a_run_that_says_nothing_is_no_success() -> None:
    assert compare({}, []).exit_code == 3


def test_a_change_outweighs_a_doubt() -> None:
    lines = expectations([line(HOLDS, 10, 10, OLD), line(HOLDS, 10, 10, NEW)])
    mixed = compare(lines, [seen(NOT, 0, 10, OLD), seen(UNSURE, 0, 0, NEW)])
    assert mixed.exit_code == 1
    assert [d.kind for d in mixed.differences] == [Kind.GONE, Kind.UNSURE]
    assert mixed.differences[0].claim == CLAIM
