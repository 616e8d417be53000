"""What doctor reports."""

from dataclasses import dataclass
from enum import StrEnum

from wedged.facts.recovery import Action


class FindingStatus(StrEnum):
    """How a finding stands, worst first."""

    STUCK = "stuck"
    WAITING_ON_YOU = "waiting-on-you"
    LATENT = "latent"
    NOTICE = "notice"
    PAST = "past"


class Confidence(StrEnum):
    """How sure a finding is. Only ``high`` is ever acted on."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Subject:
    """The thing that is stuck: an ask, a tool part, a shell, a process, a message."""

    kind: str
    id: str
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class RecoveryOffer:
    """A step with the real ids filled in. `do` is the request: ``{"method","path","body"}``."""

    id: str
    action: Action
    sentence: str
    do: dict[str, object]
    loses: tuple[str, ...]
    leaves: tuple[str, ...]
    confirms: str
    requires: tuple[str, ...]
    safe_to_automate: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """One failure class recognised in one place.

    `since_ms` is the server's wall clock, milliseconds since 1970; `unless` names what would make the
    finding wrong; `evidence` lists the observations it rests on, one line each.
    """

    id: str
    code: str
    slug: str
    title: str
    variant: str
    status: FindingStatus
    session: str
    directory: str
    subject: Subject
    since_ms: int | None
    age_s: float | None
    confidence: Confidence
    unless: str
    evidence: tuple[str, ...]
    recovery: tuple[RecoveryOffer, ...] = ()
    candidates: tuple[str, ...] = ()
    page: str = ""


@dataclass(frozen=True, slots=True)
class Considered:
    """Something that was looked at and dismissed, and why; `--all` shows it."""

    code: str
    session: str
    why_not: str
