"""W102's storm: from what two clients sent to what that says about each claim. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.w102_judgement import NOT_FOUND, outcome

# Fewer replies than this are no storm.
_SOME = 3


@dataclass(frozen=True, slots=True)
class Phase:
    """One stretch of time after something was done. `naive` and `reference` are the statuses of their
    replies, `…_shows` whether they had a dialog at its beginning, `…_left` at its end."""

    name: str
    naive_shows: bool
    reference_shows: bool
    naive: tuple[int, ...] = ()
    reference: tuple[int, ...] = ()
    naive_left: bool = False
    reference_left: bool = False

    def answered(self, naive: tuple[int, ...], reference: tuple[int, ...]) -> "Phase":
        """The same with further replies."""
        return replace(self, naive=(*self.naive, *naive), reference=(*self.reference, *reference))

    def left(self, naive: bool, reference: bool) -> "Phase":
        """The same at its end."""
        return replace(self, naive_left=naive, reference_left=reference)


def storm(phases: Sequence[Phase]) -> tuple[ClaimOutcome, ...]:
    """The phases, in order: ``clicked``, ``reloaded``, ``reopened``, ``restarted``."""
    by_name = {phase.name: phase for phase in phases}
    clicked, restarted = by_name["clicked"], by_name["restarted"]
    sent = [status for phase in phases for status in phase.reference]
    goes_on = len(clicked.naive) >= _SOME and set(clicked.naive) == {NOT_FOUND} and clicked.naive_left
    counts = ", ".join(f"{phase.name} {len(phase.naive)}" for phase in phases)
    refused = [status for phase in phases for status in phase.naive if status == NOT_FOUND]
    last = phases[-1]
    return (
        outcome(
            "storm-goes-on",
            goes_on,
            not clicked.naive_left,
            f"replies that were sent again and again: {counts}; {len(refused)} of them answered 404",
            refused=len(refused),
        ),
        _comes_back("reload-brings-it-back", by_name["reloaded"]),
        _comes_back("reopen-brings-it-back", by_name["reopened"]),
        outcome(
            "restart-ends-it",
            not restarted.naive_left,
            restarted.naive_left,
            f"after the restart the client shows {'a' if restarted.naive_left else 'no'} dialog",
        ),
        outcome(
            "reference-asks-once",
            len(sent) <= 1 and not last.reference_left,
            len(sent) > 1 or last.reference_left,
            f"{len(sent)} replies of the reference client: {', '.join(map(str, sent)) or 'none'}",
            sent=len(sent),
        ),
    )


def _comes_back(claim: str, phase: Phase) -> ClaimOutcome:
    back = phase.naive_shows and set(phase.naive) == {NOT_FOUND}
    why = f"{phase.name}: {'a' if phase.naive_shows else 'no'} dialog, {len(phase.naive)} replies"
    return outcome(claim, back, not phase.naive_shows, why)
