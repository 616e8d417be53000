"""What a look changes: the findings that are new, and those that are over. Pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from wedged.diagnose import Diagnosis
from wedged.facts.finding import Finding, FindingStatus
from wedged.facts.snapshot import Gap

# "3 older idle sessions" and "4 older idle sessions" are one and the same gap.
_COUNT = re.compile(r"^\d+ ")


@dataclass(frozen=True, slots=True)
class Standing:
    """A finding as it was last seen. `unread` is what that look could not read, and so did not need."""

    finding: Finding
    unread: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Changes:
    """`unsure` are findings that this look does not show, without having read what would show them: they
    stand. `standing` is what stands afterwards, by the finding's id."""

    appeared: tuple[Finding, ...]
    ended: tuple[Finding, ...]
    unsure: tuple[Finding, ...]
    standing: Mapping[str, Standing]

    @property
    def any(self) -> bool:
        """Whether there is something to tell."""
        return bool(self.appeared or self.ended)


def changes(before: Mapping[str, Standing], diagnosis: Diagnosis, gone: Collection[str] = ()) -> Changes:
    """What `diagnosis` changes in what stood `before`, in its own order.

    `gone` are sessions that the server says do not exist: their findings are over. Any other finding that is
    not there is over only if the look read all that the look had read which saw it last, and asked its
    directory: what is unknown never ends a finding. What is past never appears, and ends what stood.
    """
    unread = unread_of(diagnosis)
    asked = {scope.directory for scope in diagnosis.latest.scopes}
    there = {f.id: Standing(f, unread) for f in diagnosis.findings if f.status is not FindingStatus.PAST}
    past = {f.id for f in diagnosis.findings} - there.keys()
    missing = [one for id_, one in before.items() if id_ not in there]
    unsure = [
        one
        for one in missing
        if one.finding.id not in past
        and one.finding.session not in gone
        and (not unread <= one.unread or not _asked(one.finding, asked))
    ]
    kept = {one.finding.id for one in unsure}
    return Changes(
        appeared=tuple(one.finding for id_, one in there.items() if id_ not in before),
        ended=tuple(one.finding for one in missing if one.finding.id not in kept),
        unsure=tuple(one.finding for one in unsure),
        standing=there | {one.finding.id: one for one in unsure},
    )


def unread_of(diagnosis: Diagnosis) -> frozenset[str]:
    """What could not be read or seen."""
    return frozenset(map(key, (*diagnosis.unknown, *diagnosis.latest.blind)))


def key(gap: Gap) -> str:
    """What tells one gap from another, without the number that differs from look to look."""
    return _COUNT.sub("", gap.what)


def _asked(finding: Finding, asked: Collection[str]) -> bool:
    return not finding.directory or finding.directory in asked
