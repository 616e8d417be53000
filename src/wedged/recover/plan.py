"""What can be done about the findings of one session, in order, and which one finding is meant. Pure."""

from dataclasses import dataclass

from wedged.catalog import by_code
from wedged.diagnose import Diagnosis, aim, restrict
from wedged.errors import Refused
from wedged.facts.finding import Finding, FindingStatus, RecoveryOffer
from wedged.facts.recovery import Step, Target

_UNWELL = (FindingStatus.STUCK, FindingStatus.WAITING_ON_YOU, FindingStatus.LATENT)


@dataclass(frozen=True, slots=True)
class Planned:
    """A step with its real ids. `offer` is what doctor offers, None for what is done on another server."""

    step: Step
    target: Target
    offer: RecoveryOffer | None


@dataclass(frozen=True, slots=True)
class Plan:
    """One finding and its class's steps, in the class's own order, but for what this dialect can't say; none
    where the finding is not sure enough for doctor to offer any."""

    finding: Finding
    steps: tuple[Planned, ...]

    @property
    def ours(self) -> tuple[Planned, ...]:
        """The steps that a program may take: no approval, nothing that belongs to another server."""
        return tuple(one for one in self.steps if one.offer and not one.step.action.approves)


def plans(diagnosis: Diagnosis, session: str, code: str = "", subject: str = "") -> tuple[Plan, ...]:
    """The plans for a session and its sub-agents, worst first; with a `code` or the id of a `subject`, for
    those findings alone. What is past needs no plan."""
    found = restrict(diagnosis, session).findings
    return tuple(
        Plan(one, _steps(one, diagnosis))
        for one in found
        if one.status is not FindingStatus.PAST and code in ("", one.code) and subject in ("", one.subject.id)
    )


def choose(found: tuple[Plan, ...]) -> Plan:
    """The one plan that is meant.

    Raises:
        Refused: there are several; the message names what tells them apart.
    """
    (first, *others) = found
    if not others:
        return first
    one_code = len({one.finding.code for one in found}) == 1
    option = "--subject" if one_code else "--code"
    named = dict.fromkeys(one.finding.subject.id if one_code else one.finding.code for one in found)
    raise Refused(
        f"{len(found)} findings match; name the one that is meant: "
        + " or ".join(f"{option} {name}" for name in named)
    )


def still(diagnosis: Diagnosis, finding: Finding) -> Finding | None:
    """The same finding in a later diagnosis, None where it is gone or past."""
    standing = (one for one in diagnosis.findings if one.status is not FindingStatus.PAST)
    return next((one for one in standing if one.id == finding.id), None)


def left(diagnosis: Diagnosis, session: str) -> tuple[Finding, ...]:
    """What a session and its sub-agents have now, but for what is past."""
    return tuple(one for one in restrict(diagnosis, session).findings if one.status is not FindingStatus.PAST)


def unwell(finding: Finding) -> bool:
    """Whether a session with this finding is not well: a notice only wants to be known."""
    return finding.status in _UNWELL


def _steps(finding: Finding, diagnosis: Diagnosis) -> tuple[Planned, ...]:
    offers = {offer.id: offer for offer in finding.recovery}
    return tuple(
        Planned(step, aim(step, finding, diagnosis.latest), offers.get(step.id))
        for step in by_code(finding.code).steps(finding.variant)
        # A step without an offer is one that this dialect has no request for, or a finding that is not sure.
        if step.id in offers or step.elsewhere
    )
