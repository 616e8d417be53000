"""Exact statistics for small counts. scipy takes half a second to import, so it is imported on first use."""

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Interval:
    """`k` of `n`, with the exact (Clopper-Pearson) two-sided interval of the proportion."""

    k: int
    n: int
    low: float
    high: float
    confidence: float = 0.95

    @property
    def proportion(self) -> float:
        """k / n."""
        return self.k / self.n


@dataclass(frozen=True, slots=True)
class ExactTest:
    """Two proportions and Fisher's exact two-sided `p`.

    There is no odds ratio: where the data separate completely (0/10 against 10/10) it is not finite.
    """

    first: Interval
    second: Interval
    p: float


@lru_cache(maxsize=1024)
def exact_interval(k: int, n: int, confidence: float = 0.95) -> Interval:
    """The exact interval of k successes in n trials.

    Raises:
        ValueError: not 0 <= k <= n with n at least 1, or a confidence not between 0 and 1.
    """
    if n < 1 or not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a proportion")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, {confidence} does not")
    # The bounds are quantiles of beta distributions. scipy.stats has them too, at twice the import time.
    from scipy.special import betaincinv

    half = (1 - confidence) / 2
    low = float(betaincinv(k, n - k + 1, half)) if k else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - half)) if k < n else 1.0
    return Interval(k, n, low, high, confidence)


@lru_cache(maxsize=1024)
def fisher_exact(k1: int, n1: int, k2: int, n2: int) -> ExactTest:
    """Fisher's exact test, two-sided, that k1 of n1 and k2 of n2 come from the same proportion.

    Raises:
        ValueError: one of the two is not a proportion.
    """
    first, second = exact_interval(k1, n1), exact_interval(k2, n2)
    from scipy.stats import fisher_exact as fisher

    return ExactTest(first, second, float(fisher([[k1, n1 - k1], [k2, n2 - k2]]).pvalue))
