"""A comparison on one screen. Pure; every word of a server or a file is escaped."""

from collections.abc import Callable, Iterable

from wedged.facts.plain_text import plain
from wedged.nightly.comparing import CHANGES, DOUBTS, Comparison, Difference, Kind
from wedged.nightly.expectations import Expected, Seen

# What fits a terminal of 24 lines and the hint below it.
_SHOWN_CHANGES = 5
_SHOWN_DOUBTS = 4
_WIDTH = 110


def summary(comparison: Comparison, sentence_of: Callable[[str], str] = lambda _: "") -> str:
    """What changed, with the evidence of both sides; then what is not known; then the counts.

    `sentence_of` gives the sentence of a claim's id, "" where there is none.
    """
    changed = comparison.of(*CHANGES)
    doubtful = comparison.of(*(kind for kind in DOUBTS if kind is not Kind.DRIFT))
    drift = dict.fromkeys((one.server, one.why) for one in comparison.of(Kind.DRIFT))
    lines = [_cut(f"DRIFT: {server}: {why}") for server, why in list(drift)[:_SHOWN_DOUBTS]]
    lines += [line for one in changed[:_SHOWN_CHANGES] for line in _change(one, sentence_of)]
    lines += _more(changed, _SHOWN_CHANGES, "changes")
    lines += [
        _cut(f"? {one.claim} on {one.server}: {one.kind}: {one.why}") for one in doubtful[:_SHOWN_DOUBTS]
    ]
    lines += _more(doubtful, _SHOWN_DOUBTS, "that are not known")
    counts = {kind: len(comparison.of(kind)) for kind in Kind}
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    lines.append(f"{told or 'nothing was compared'} (claim x server)")
    return "\n".join(map(plain, lines)) + "\n"


def _change(one: Difference, sentence_of: Callable[[str], str]) -> list[str]:
    between = ""
    if one.expected is not None and one.expected.server != one.server:
        between = f" (between {one.expected.server} and {one.server})"
    lines = [f"{str(one.kind).upper()}: {one.claim} on {one.server}{between}"]
    if sentence := sentence_of(one.claim):
        lines.append(_cut(f"    {sentence}"))
    lines.append(_cut(f"    before: {_side(one.expected)}"))
    lines.append(_cut(f"    now:    {_side(one.seen)}{f' · {one.why}' if one.why else ''}"))
    return lines


def _side(side: Expected | Seen | None) -> str:
    if side is None:
        return "nothing is known"
    count = f" {side.k}/{side.n}" if side.n else ""
    where = f", run {side.run} of {side.started[:10]}" if side.run else ""
    trail = f", {side.evidence}" if isinstance(side, Seen) and side.evidence else ""
    return f"{side.verdict}{count} on {side.server}{where}{trail}"


def _more(every: Iterable[Difference], shown: int, what: str) -> list[str]:
    left = len(tuple(every)) - shown
    return [f"… and {left} more {what}"] if left > 0 else []


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
