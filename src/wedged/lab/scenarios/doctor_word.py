"""What doctor said of one session, beside what it ought to have said of the state that the lab held."""

from collections.abc import Collection
from dataclasses import dataclass

from wedged.diagnose import Diagnosis, diagnose
from wedged.facts.finding import Confidence
from wedged.facts.opinion import as_values
from wedged.lab.bench import Bench, Prompted
from wedged.lab.one_session import look_at


def doctor_on(bench: Bench, session: str) -> Diagnosis:
    """Doctor's look at one session of the bench's server, no grace given."""
    window = look_at(bench, session, sample_s=0)
    return diagnose(window, 0, request=bench.connection.actor.request)


@dataclass(frozen=True, slots=True)
class Word:
    """`codes` of the session's findings, sorted; those of high confidence in `sure`.

    `offers`: any of them came with something to be done. `unread` is what could not be read, "" for nothing.
    """

    codes: tuple[str, ...]
    sure: frozenset[str]
    offers: bool
    unread: str

    @staticmethod
    def of(made: Diagnosis, session: str) -> "Word":
        """What a diagnosis says of one session."""
        mine = [finding for finding in made.findings if finding.session == session]
        return Word(
            tuple(sorted({finding.code for finding in mine})),
            frozenset(finding.code for finding in mine if finding.confidence is Confidence.HIGH),
            any(finding.recovery for finding in mine),
            "; ".join(gap.what for gap in made.unknown),
        )

    @staticmethod
    def on(bench: Bench, prompted: Prompted) -> "Word":
        """What doctor says of one session of the bench's server now, with no grace."""
        return Word.of(doctor_on(bench, prompted.session), prompted.session)

    def says(self, expected: Collection[str]) -> bool:
        """Whether it said exactly these codes, having read everything."""
        return self.codes == tuple(sorted(expected)) and not self.unread

    @property
    def words(self) -> str:
        """In one line."""
        said = ", ".join(f"{code}{'' if code in self.sure else ' (not sure)'}" for code in self.codes)
        return f"doctor: {said or 'no finding'}" + (f"; not read: {self.unread}" if self.unread else "")

    def opinion(self, expected: Collection[str]) -> dict[str, object]:
        """As an outcome's values."""
        return as_values(expected, self.codes)
