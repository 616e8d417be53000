"""From a judgement's two witnesses to a claim's outcome; each class's judgement names its code once."""

from wedged.facts.trial import ClaimOutcome, Outcome


def outcome_of(
    code: str, claim: str, symptom: bool, opposite: bool, why: str, **values: object
) -> ClaimOutcome:
    """The claim ``code.claim``: its symptom, else its opposite's witness, else unclear. `why` is one
    sentence."""
    kind = Outcome.SYMPTOM if symptom else Outcome.HEALED if opposite else Outcome.UNCLEAR
    return ClaimOutcome(f"{code}.{claim}", kind, why, values)
