"""How surprising a row of healed trials is after what was seen before. Pure, exact."""

from fractions import Fraction

LIMIT = 0.05
# Beyond this many trials nobody asks: a claim so rare is not told from one that is gone.
_MOST = 1000


def surprise(k: int, n: int, m: int) -> float:
    """The probability that the next `m` trials are all healed, if nothing has changed since `k` of `n` showed
    the symptom.

    The rate behind k of n is itself not known, so it is averaged over all rates that may be (a uniform prior,
    which makes the rule of succession): after 3 of 3 the next trial is healed with probability 1/5, not 0.

    Raises:
        ValueError: `k` of `n` is no proportion, or `m` is negative.
    """
    if not 0 <= k <= n or m < 0:
        raise ValueError(f"{k} of {n}, then {m} healed, can't be counted")
    chance = Fraction(1)
    for i in range(m):
        chance *= Fraction(n - k + 1 + i, n + 2 + i)
    return float(chance)


def surprise_of_symptoms(k: int, n: int, m: int) -> float:
    """The same for `m` trials that all show the symptom."""
    return surprise(n - k, n, m)


def needed(k: int, n: int) -> int:
    """How many healed trials in a row it takes, after `k` of `n`, to call the symptom gone: the smallest
    number whose `surprise` is at most `LIMIT`.

    After 10 of 10 that is 2, after 3 of 3 it is 3, after 1 of 10 it is 37.
    """
    return next((m for m in range(1, _MOST) if surprise(k, n, m) <= LIMIT), _MOST)
