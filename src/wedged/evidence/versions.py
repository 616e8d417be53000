"""What a class's states on several versions allow one to say. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from wedged.facts.trial import ClassState


class ChangeKind(StrEnum):
    """Which way a class changed between two versions."""

    GONE = "gone"
    CAME = "came"


@dataclass(frozen=True, slots=True)
class Change:
    """Between `before` and `after` the class went or came.

    `neighbours` says that the registry holds no version between the two; only then is the change *in*
    `after`.
    """

    kind: ChangeKind
    before: str
    after: str
    neighbours: bool

    @property
    def sentence(self) -> str:
        """``present in Y, gone by X``, or ``present in Y, fixed in X`` where the two are neighbours."""
        if self.kind is ChangeKind.GONE:
            return f"present in {self.before}, {'fixed in' if self.neighbours else 'gone by'} {self.after}"
        return f"not in {self.before}, present {'since' if self.neighbours else 'by'} {self.after}"


def changes(states: Mapping[str, ClassState], registry: Sequence[str]) -> tuple[Change, ...]:
    """Every change that the states show, oldest first.

    `states` maps server keys (``v1@1.17.18``) to the class's state; `registry` is every version of one line
    that was published, oldest first, as keys. Keys that the registry does not hold have no place in its
    order and are passed over. Only ``present`` and ``gone`` speak; what is between them (flaky,
    inconclusive, not run) keeps the two from being neighbours.
    """
    places = {key: place for place, key in enumerate(dict.fromkeys(registry))}
    tried = sorted(
        (key for key, state in states.items() if key in places and state in _SPEAKING), key=places.__getitem__
    )
    return tuple(
        Change(
            ChangeKind.GONE if states[after] is ClassState.GONE else ChangeKind.CAME,
            before,
            after,
            neighbours=places[after] - places[before] == 1,
        )
        for before, after in pairwise(tried)
        if states[before] is not states[after]
    )


_SPEAKING = (ClassState.PRESENT, ClassState.GONE)
