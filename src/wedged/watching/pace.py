"""When to look next, and where. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from wedged.catalog.ask_standing import standing
from wedged.facts.snapshot import Snapshot
from wedged.watching.bell import Heard

# One look may take this share of the time: on a server whose look is slow, watching slows down.
_SHARE_POLLING = 0.05
_SHARE_RUNG = 0.2
# A burst of events is one reason to look.
_SETTLE_S = 0.3
_LONGEST_SETTLE_S = 10.0
_LATE_S = 0.05
DIRECTORIES = 20


@dataclass(frozen=True, slots=True)
class Pace:
    """How often: each `interval_s` seconds without a reason, sooner with one."""

    interval_s: float = 30.0
    grace_s: float = 60.0

    def until_next(self, seen: Snapshot, cost_s: float) -> float:
        """Seconds from a look that took `cost_s` to the next one that needs no event: the interval, or sooner
        when an ask reaches the grace by then."""
        wait = max(self.interval_s, cost_s / _SHARE_POLLING)
        born = (standing(ask, seen).since_ms for ask in seen.asks)
        ages = [(seen.taken_ms - since) / 1000 for since in born if since is not None]
        young = [self.grace_s - age + _LATE_S for age in ages if age < self.grace_s]
        return max(0.0, min([wait, *young]))


def settle_s(since_last_s: float, cost_s: float) -> float:
    """Seconds to let pass after an event: until its burst is over, and longer where looks are slow."""
    return max(_SETTLE_S, min(cost_s / _SHARE_RUNG - since_last_s, _LONGEST_SETTLE_S))


def directories(before: Sequence[str], heard: Heard) -> tuple[str, ...]:
    """The directories that a look may ask without loading any: those that spoke, and those of `before` that
    were not unloaded since; at most `DIRECTORIES`, those that spoke first."""
    unloaded: Collection[str] = heard.disposed - heard.directories
    found = dict.fromkeys((*sorted(heard.directories), *before))
    return tuple(one for one in found if one not in unloaded)[:DIRECTORIES]
