"""What a run said, beside what was expected. Pure.

A server that the file doesn't know (a new release) is held against the newest older one of its line that the
file knows: what is the same there is as expected, what differs is a change *between the two*.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from wedged.evidence.verdicts import by_version
from wedged.facts.trial import Verdict
from wedged.nightly.expectations import UNKNOWN, Expectations, Expected, Seen, expectations
from wedged.nightly.surprise import LIMIT, needed, surprise, surprise_of_symptoms


class Kind(StrEnum):
    """How a verdict stands to what was expected."""

    DRIFT = "unknown: the server has another shape"
    AS_EXPECTED = "as expected"
    GONE = "gone"
    CAME_BACK = "came back"
    NEW = "new on a new version"
    SHOWN = "shown for the first time"
    FLAKY_NOW = "flaky now"
    STEADY_NOW = "steady now"
    FEATURE = "the feature came or went"
    NOT_LISTED = "not in the file yet"
    TOO_FEW = "too few trials to call it gone"
    UNSURE = "inconclusive"
    NOT_RUN = "not run"
    STILL_UNKNOWN = "as little known as before"


CHANGES = (Kind.GONE, Kind.CAME_BACK, Kind.NEW, Kind.SHOWN, Kind.FLAKY_NOW, Kind.STEADY_NOW, Kind.FEATURE)
DOUBTS = (Kind.DRIFT, Kind.TOO_FEW, Kind.UNSURE, Kind.NOT_RUN)
_LONGEST_WHY = 160


@dataclass(frozen=True, slots=True)
class Difference:
    """One claim on one server: `seen` (None: the run holds nothing of it) beside `expected` (None: nothing in
    the file fits). `why` is one sentence where the kind alone doesn't say it."""

    kind: Kind
    claim: str
    server: str
    expected: Expected | None
    seen: Seen | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every claim and server that was compared, by kind, then claim (defining ones first), then version."""

    differences: tuple[Difference, ...]

    def of(self, *kinds: Kind) -> tuple[Difference, ...]:
        """Those of these kinds."""
        return tuple(one for one in self.differences if one.kind in kinds)

    @property
    def exit_code(self) -> int:
        """1 where something changed, else 3 where something is not known that should be, else 0.

        A run that compared nothing knows nothing: 3.
        """
        if self.of(*CHANGES):
            return 1
        return 3 if self.of(*DOUBTS) or not self.differences else 0


def compare(
    expected: Expectations,
    seen: Iterable[Seen],
    *,
    asked: Collection[tuple[str, str]] | None = None,
    defining: Collection[str] = (),
    drifted: Mapping[str, str] = MappingProxyType({}),
) -> Comparison:
    """Hold `seen` against `expected`.

    `asked` names the classes and servers that the run was to cover; expectations of theirs that it says
    nothing about are not-run. None: every class and server of the file. What the run saw beyond them is
    compared too. The ids of `defining` claims come first among their kind.

    `drifted` names the servers of a shape that nobody has reviewed, each with its sentence: whatever the
    run says of them is unknown.
    """
    found = [
        replace(one, kind=Kind.DRIFT, why=drifted[one.server]) if one.server in drifted else one
        for one in (_one(expected, verdict) for verdict in seen)
    ]
    told = {(one.claim, one.server) for one in found}
    for (claim, server), line in expected.items():
        wanted = asked is None or (line.code, server) in asked
        if wanted and (claim, server) not in told:
            kind = Kind.STILL_UNKNOWN if line.verdict in UNKNOWN else Kind.NOT_RUN
            found.append(Difference(kind, claim, server, line, None, "the run holds nothing of it"))
    for code, server in () if asked is None else sorted(asked):
        if not any(one.server == server and one.claim.startswith(f"{code}.") for one in found):
            words = "nothing of this class on this server: lost, or never begun"
            found.append(Difference(Kind.NOT_RUN, f"{code}.*", server, None, None, words))
    order = list(Kind)
    return Comparison(
        tuple(
            sorted(
                found,
                key=lambda d: (
                    order.index(d.kind),
                    d.claim not in defining,
                    d.claim,
                    by_version(d.server),
                ),
            )
        )
    )


def _one(expected: Expectations, seen: Seen) -> Difference:
    line = expected.get((seen.claim, seen.server)) or _older(expected, seen)
    kind, why = _judge(line, seen)
    return Difference(kind, seen.claim, seen.server, line, seen, why)


def _older(expected: Expectations, seen: Seen) -> Expected | None:
    """The newest line of this claim on an older server of the same line of servers."""
    here = by_version(seen.server)
    older = [
        line
        for (claim, server), line in expected.items()
        if claim == seen.claim
        and line.verdict not in UNKNOWN
        and family(server) == family(seen.server)
        and by_version(server) < here
    ]
    return max(older, key=lambda line: by_version(line.server), default=None)


def family(server: str) -> str:
    """``v1`` or ``v2``: within one, an older server says what to expect of a newer one."""
    return server.partition("@")[0]


def accept(expected: Expectations, seen: Iterable[Seen]) -> dict[tuple[str, str], Expected]:
    """The expectations after a reviewer has agreed with a run.

    Only what differs is touched: a verdict that is as expected keeps its line, with the counts and the run
    that it had, unless it rests on more trials now; a verdict that says nothing never replaces one that does;
    and neither do trials too few to tell another rate from the one that is held.
    """
    lines = dict(expected)
    for one in seen:
        held = lines.get((one.claim, one.server))
        if held is not None:
            kind, _ = _judge(held, one)
            firmer = held.verdict is one.verdict and one.n > held.n
            if kind in (*DOUBTS, Kind.STILL_UNKNOWN) or (kind is Kind.AS_EXPECTED and not firmer):
                continue
        why = one.why[:_LONGEST_WHY] if one.verdict in UNKNOWN else ""
        lines[one.claim, one.server] = Expected(
            one.claim, one.server, one.verdict, one.k, one.n, one.run, one.started, why
        )
    return expectations(lines.values())


def _judge(line: Expected | None, seen: Seen) -> tuple[Kind, str]:
    now = seen.verdict
    if now in UNKNOWN:
        if line is None or (line.verdict in UNKNOWN and line.server == seen.server):
            return Kind.STILL_UNKNOWN, seen.why
        return (Kind.NOT_RUN if now is Verdict.NOT_RUN else Kind.UNSURE), seen.why
    symptom = now in (Verdict.HOLDS, Verdict.FLAKY)
    if line is None:
        return (Kind.NEW if symptom else Kind.NOT_LISTED), "no older server of this line is in the file"
    if line.verdict in UNKNOWN:
        return (Kind.SHOWN if symptom else Kind.NOT_LISTED), f"here the file says {line.verdict}"
    return _CHANGE.get((line.verdict, now), _same)(line, seen)


def _same(line: Expected, seen: Seen) -> tuple[Kind, str]:
    return Kind.AS_EXPECTED, "" if line.server == seen.server else f"as on {line.server}"


def _gone(line: Expected, seen: Seen) -> tuple[Kind, str]:
    chance = surprise(line.k, line.n, seen.n)
    if chance > LIMIT:
        return Kind.TOO_FEW, (
            f"0 of {seen.n} after {line.k} of {line.n} happens by chance {chance:.0%} of the time; "
            f"{needed(line.k, line.n)} healed trials in a row are needed"
        )
    sentence = f"by chance with probability {chance:.2g}" if chance >= 1e-4 else "by chance hardly ever"
    return Kind.GONE, f"0 of {seen.n} after {line.k} of {line.n}: {sentence}"


def _steady(line: Expected, seen: Seen) -> tuple[Kind, str]:
    chance = surprise_of_symptoms(line.k, line.n, seen.n)
    if chance > LIMIT:
        return Kind.AS_EXPECTED, f"{seen.n} of {seen.n} fits a rate of {line.k} of {line.n}"
    return Kind.STEADY_NOW, f"{seen.n} of {seen.n} after {line.k} of {line.n}: by chance {chance:.2g}"


def _back(line: Expected, seen: Seen) -> tuple[Kind, str]:
    return (Kind.CAME_BACK if line.server == seen.server else Kind.NEW), ""


def _flaky(line: Expected, seen: Seen) -> tuple[Kind, str]:
    del line
    return Kind.FLAKY_NOW, f"{seen.k} of {seen.n}"


def _feature(line: Expected, seen: Seen) -> tuple[Kind, str]:
    del line
    return Kind.FEATURE, seen.why


def _removed(line: Expected, seen: Seen) -> tuple[Kind, str]:
    del line
    return Kind.GONE, f"the feature is not there any more: {seen.why}"


_H, _D, _F, _A = Verdict.HOLDS, Verdict.DOES_NOT_HOLD, Verdict.FLAKY, Verdict.ABSENT
# What was expected and what is now; a pair that is not here is no change.
_CHANGE: Mapping[tuple[Verdict, Verdict], Callable[[Expected, Seen], tuple[Kind, str]]] = {
    (_H, _D): _gone,
    (_F, _D): _gone,
    (_H, _F): _flaky,
    (_D, _F): _flaky,
    (_F, _H): _steady,
    (_D, _H): _back,
    (_A, _H): _back,
    (_A, _F): _back,
    (_H, _A): _removed,
    (_F, _A): _removed,
    (_D, _A): _feature,
    (_A, _D): _feature,
}
