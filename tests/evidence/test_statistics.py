"""Exact figures, checked against what can be computed by hand."""

import subprocess
import sys
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wedged.evidence import exact_interval, fisher_exact

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_none_and_all_of_ten() -> None:
    # The one-sided bound has a closed form: 1 - (alpha/2) ** (1/n).
    none, all_ = exact_interval(0, 10), exact_interval(10, 10)
    assert (none.low, all_.high) == (0.0, 1.0)
    assert none.high == pytest.approx(1 - 0.025 ** (1 / 10))
    assert all_.low == pytest.approx(0.025 ** (1 / 10))
    assert (none.proportion, all_.proportion) == (0.0, 1.0)


@given(COUNTS, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_bounds_are_where_the_tails_are_half_of_alpha(counts: tuple[int, int], confidence: float) -> None:
    k, n = counts
    found = exact_interval(k, n, confidence)
    half = (1 - confidence) / 2
    assert 0 <= found.low <= found.proportion <= found.high <= 1
    if k > 0:
        assert _at_least(k, n, found.low) == pytest.approx(half, rel=1e-6)
    if k < n:
        assert 1 - _at_least(k + 1, n, found.high) == pytest.approx(half, rel=1e-6)


def _at_least(k: int, n: int, p: float) -> float:
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


@pytest.mark.parametrize(("k", "n"), [(0, 0), (1, 0), (-1, 5), (6, 5)])
def test_what_is_no_proportion_is_refused(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="not a proportion"):
        exact_interval(k, n)
    with pytest.raises(ValueError, match="not a proportion"):
        fisher_exact(0, 5, k, n)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_is_a_probability(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        exact_interval(1, 2, confidence)


def test_complete_separation_has_a_p_of_two_tables() -> None:
    found = fisher_exact(0, 10, 10, 10)
    assert found.p == pytest.approx(2 / comb(20, 10))
    assert (found.first.k, found.second.k) == (0, 10)


def test_the_lady_tasting_tea() -> None:
    # Fisher's own: 3 of 4 cups right, two-sided 34/70.
    assert fisher_exact(3, 4, 1, 4).p == pytest.approx(34 / 70)


@given(COUNTS, COUNTS)
def test_the_order_of_the_groups_does_not_matter(a: tuple[int, int], b: tuple[int, int]) -> None:
    assert fisher_exact(*a, *b).p == pytest.approx(fisher_exact(*b, *a).p)
    assert fisher_exact(*a, *a).p == pytest.approx(1.0)


def test_reading_a_run_does_not_load_scipy() -> None:
    code = "import sys, wedged.evidence; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
