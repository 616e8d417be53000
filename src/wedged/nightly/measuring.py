"""A claim that somebody asks about, and the trials that it takes to answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wedged.catalog import CLASSES, by_code
from wedged.errors import UnknownCode
from wedged.facts.failure_class import Claim, FailureClass
from wedged.facts.server import ServerSpec, SpecKind
from wedged.facts.trial import Verdict
from wedged.nightly.comparing import family
from wedged.nightly.expectations import Expectations, Expected, Seen
from wedged.nightly.surprise import needed

_FEWEST = 2
_MOST = 40


@dataclass(frozen=True, slots=True)
class Experiment:
    """One claim of one class, with how many trials its arm and the control arms get."""

    failure_class: FailureClass
    claim: Claim
    trials: int

    @property
    def plan(self) -> Mapping[str, int]:
        """The claim's arm, and those of the class's control claims, without which nothing counts."""
        controls = (claim.arm for claim in self.failure_class.claims if claim.control)
        most = max(_FEWEST, self.trials)
        return {self.claim.arm: most} | dict.fromkeys(controls, most)


def experiment(name: str, trials: int, prior: Iterable[Expected] = ()) -> Experiment:
    """The experiment for `name`, a class (its defining claim) or a claim's id.

    It gets `trials`, or as many more as it takes to call the claim gone after the `prior` counts.

    Raises:
        UnknownCode: there is no such class or claim.
    """
    code, _, rest = name.strip().partition(".")
    of = by_code(code)
    claim = of.defining
    if rest:
        try:
            claim = of.claim(f"{of.code}.{rest}")
        except KeyError:
            known = ", ".join(one.id for one in of.claims)
            raise UnknownCode(f"{of.code} has no claim {rest[:60]!r}; it has {known}") from None
    counts = [(line.k, line.n) for line in prior if line.claim == claim.id and line.k]
    return Experiment(of, claim, max([trials, *(needed(k, n) for k, n in counts)]))


def trials_by_class(expected: Iterable[Expected]) -> dict[str, int]:
    """For each class, how many trials it takes to call its defining claim gone, the rarer it shows the more;
    at most `_MOST`, as a night has an end."""
    defining = {of.defining.id for of in CLASSES}
    found: dict[str, int] = {}
    for line in expected:
        if line.claim in defining and line.k:
            found[line.code] = min(_MOST, max(found.get(line.code, 0), needed(line.k, line.n)))
    return found


def lacks_witness(seen: Seen) -> bool:
    """Whether only a known-bad server in the same run is missing for `does-not-hold`."""
    silent = seen.verdict is Verdict.INCONCLUSIVE and seen.n > 0 and seen.k == 0
    return silent and seen.why.startswith("no known-bad server")


def known_bad(expected: Expectations, claim: str, beside: Seen) -> ServerSpec | None:
    """Another server on which the file says that `claim` holds: the newest of the line of `beside`, else the
    newest of any."""
    holding = [
        line
        for line in expected.values()
        if line.claim == claim and line.verdict is Verdict.HOLDS and line.server != beside.server
    ]
    near = [line for line in holding if family(line.server) == family(beside.server)]
    specs = [ServerSpec.parse(line.server) for line in near or holding]
    return next((spec for spec in reversed(specs) if spec.kind in (SpecKind.V1, SpecKind.V2)), None)


def on(seen: Sequence[Seen], server: str) -> Seen | None:
    """What was seen on one server."""
    return next((one for one in seen if one.server == server), None)
