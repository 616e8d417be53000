"""How many healed trials it takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom

from wedged.nightly.surprise import LIMIT, needed, surprise, surprise_of_symptoms

COUNTS = st.integers(0, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS, st.integers(0, 40))
def test_it_is_the_predictive_distribution_of_the_rate_that_was_seen(counts: tuple[int, int], m: int) -> None:
    k, n = counts
    assert surprise(k, n, m) == pytest.approx(betabinom(m, k + 1, n - k + 1).pmf(0))
    assert surprise_of_symptoms(k, n, m) == pytest.approx(betabinom(m, k + 1, n - k + 1).pmf(m))


@pytest.mark.parametrize(("k", "n", "trials"), [(10, 10, 2), (3, 3, 3), (2, 2, 3), (1, 2, 9), (1, 10, 37)])
def test_the_rarer_it_was_the_more_trials_it_takes(k: int, n: int, trials: int) -> None:
    assert needed(k, n) == trials
    assert surprise(k, n, trials) <= LIMIT < surprise(k, n, trials - 1)


def test_what_is_no_count_is_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2"):
        surprise(3, 2, 1)
