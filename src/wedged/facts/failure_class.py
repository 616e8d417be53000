"""A failure class: its text, its claims, its cures. The catalogue holds one instance of it per code."""

from collections.abc import Callable
from dataclasses import dataclass

from wedged.facts.finding import Considered, Finding
from wedged.facts.recovery import Step
from wedged.facts.snapshot import Window


@dataclass(frozen=True, slots=True)
class Claim:
    """One testable sentence.

    `arm` is the arm of the experiment whose trials speak for it. `defining` marks the one claim that gives
    the class its verdict, `control` the one whose trials must be healthy before any other claim counts.
    `source` says where the sentence comes from.
    """

    id: str
    sentence: str
    arm: str
    source: str
    defining: bool = False
    control: bool = False


@dataclass(frozen=True, slots=True)
class LookAlike:
    """A state that resembles the class, and the test that tells them apart.

    `claim` is the id of the claim that doctor reports nothing for it, "" where no trial brings it about.
    """

    looks_like: str
    test: str
    claim: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way in which the class shows itself. `fingerprint` is what one sees, `recovery` the steps that fit
    it where they differ from the class's own."""

    name: str
    sentence: str
    fingerprint: tuple[str, ...]
    recovery: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """What a matcher saw: what it reports, what it dismissed and why."""

    findings: tuple[Finding, ...] = ()
    considered: tuple[Considered, ...] = ()


@dataclass(frozen=True, slots=True)
class FailureClass:
    """Everything the project says about one way to be stuck.

    `title` is the text people paste; `aliases` are what else they type into a search box. `match` is pure:
    a window and a grace in seconds in, a `Match` out. `search_weight` is how much the page counts in the
    guide's search beside a hand-written one: words that fit several classes find the commonest first.
    `danger` is what the cures destroy in a state that looks alike, "" for nothing; `harm` are the ids of the
    claims that measure it.
    """

    code: str
    slug: str
    title: str
    summary: str
    aliases: tuple[str, ...]
    see: tuple[str, ...]
    claims: tuple[Claim, ...]
    recovery: tuple[Step, ...]
    look_alikes: tuple[LookAlike, ...]
    links: tuple[tuple[str, str], ...]
    match: Callable[[Window, float], Match]
    variants: tuple[Variant, ...] = ()
    search_weight: float = 4.0
    danger: str = ""
    harm: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Code and slug in one, as notebook and page are named: ``W101-ungated-external-ask``."""
        return f"{self.code}-{self.slug}"

    @property
    def defining(self) -> Claim:
        """The claim that gives the class its verdict."""
        return next(claim for claim in self.claims if claim.defining)

    def steps(self, variant: str) -> tuple[Step, ...]:
        """The recovery steps for a variant; the class's own where the variant has none or is not known."""
        named = next((one for one in self.variants if one.name == variant), None)
        return named.recovery if named and named.recovery else self.recovery

    def claim(self, claim_id: str) -> Claim:
        """The claim with this id.

        Raises:
            KeyError: the class has no such claim.
        """
        for claim in self.claims:
            if claim.id == claim_id:
                return claim
        raise KeyError(claim_id)
