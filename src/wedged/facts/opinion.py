"""What doctor said of a state that the lab held, beside what it ought to have said."""

from collections.abc import Iterable
from dataclasses import dataclass

from wedged.facts.trial import Trial

NOTHING = "nothing"
# The keys under which a trial's outcome carries them.
EXPECTED, SAID = "doctor_ought", "doctor_said"


@dataclass(frozen=True, slots=True)
class Opinion:
    """One look of doctor at one held state. `expected` and `said` are sorted codes, empty for health."""

    code: str
    arm: str
    server: str
    n: int
    expected: tuple[str, ...]
    said: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether doctor said what it ought to, no more and no less."""
        return self.expected == self.said


def as_values(expected: Iterable[str], said: Iterable[str]) -> dict[str, object]:
    """An opinion as the values of a `ClaimOutcome`."""
    return {EXPECTED: sorted(set(expected)), SAID: sorted(set(said))}


def opinions(trials: Iterable[Trial]) -> tuple[Opinion, ...]:
    """The opinions in valid trials: one an outcome that carries one. What is no list of words is left out."""
    found = []
    for trial in trials:
        for outcome in trial.outcomes if trial.valid else ():
            expected, said = outcome.values.get(EXPECTED), outcome.values.get(SAID)
            if isinstance(expected, list) and isinstance(said, list):
                words = tuple(sorted(map(str, expected))), tuple(sorted(map(str, said)))
                found.append(Opinion(trial.code, trial.arm, trial.server, trial.n, *words))
    return tuple(found)
