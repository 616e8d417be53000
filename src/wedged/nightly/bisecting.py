"""Between which two versions a claim changed: binary search over what the registry has. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wedged.evidence import changes
from wedged.facts.trial import ClassState, Verdict

# What a verdict says to the search; the others say nothing, and a neighbour is tried.
_SHOWS = {
    Verdict.HOLDS: True,
    Verdict.FLAKY: True,
    Verdict.DOES_NOT_HOLD: False,
    Verdict.ABSENT: False,
}


@dataclass(frozen=True, slots=True)
class Search:
    """`versions` are server keys, oldest first; the claim shows at one end and not at the other. `told` holds
    what was measured so far."""

    versions: tuple[str, ...]
    told: Mapping[str, Verdict]

    def shows(self, version: str) -> bool | None:
        """Whether the claim shows on `version`; None where that is not known."""
        verdict = self.told.get(version)
        return None if verdict is None else _SHOWS.get(verdict)

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The places of the nearest two measured versions between which it changed, None where the ends do
        not differ or one of them is not known."""
        last = len(self.versions) - 1
        first_shows, last_shows = self.shows(self.versions[0]), self.shows(self.versions[last])
        if first_shows is None or last_shows is None or first_shows == last_shows:
            return None
        known = [place for place, version in enumerate(self.versions) if self.shows(version) is not None]
        low = max(
            place for place in known if self.shows(self.versions[place]) == first_shows and place < last
        )
        # A change that went back and forth has several pairs; the last one is reported.
        return low, min(place for place in known if place > low)

    @property
    def next(self) -> str | None:
        """What to measure next: an end, else the untried version nearest to the middle; None: it is over."""
        for end in (self.versions[0], self.versions[-1]):
            if end not in self.told:
                return end
        found = self.bounds
        if found is None:
            return None
        low, high = found
        untried = [place for place in range(low + 1, high) if self.versions[place] not in self.told]
        middle = (low + high) / 2
        return (
            self.versions[min(untried, key=lambda place: (abs(place - middle), place))] if untried else None
        )

    @property
    def steps_left(self) -> int:
        """How many more measurements it takes at most, as long as every one says something."""
        found = self.bounds
        return (found[1] - found[0] - 1).bit_length() if found else 0

    @property
    def sentence(self) -> str:
        """What is known of the change, in the words that the pages use.

        ``present in Y, fixed in X`` only where no version lies between the two.
        """
        found = self.bounds
        if found is None:
            said = " and ".join(f"{v}: {self.told.get(v, 'not tried')}" for v in _ends(self.versions))
            return f"no change between the two ends ({said})"
        states = {
            version: ClassState.PRESENT if self.shows(version) else ClassState.GONE
            for version in (self.versions[place] for place in found)
        }
        return changes(states, self.versions)[0].sentence


def _ends(versions: Sequence[str]) -> tuple[str, ...]:
    return (versions[0], versions[-1])
