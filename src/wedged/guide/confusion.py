"""The confusion matrix: each held state x what doctor said of it, from the lab's trials. Pure."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from wedged.facts.markdown_text import table_cell
from wedged.facts.opinion import NOTHING, Opinion
from wedged.guide.verdict_table import raw_anchor

_HEAD = """---
title: Doctor against the lab
description: What wedged doctor said of each state that the lab held, healthy ones included.
---
# Doctor against the lab

The lab knows what it did to each session. Doctor does not: it looks at the server, as it would at yours.
One row a state that was held, one column for each thing that doctor said. A count off the expected column
fails the build.
"""


def confusion_page(opinions: Sequence[Opinion], classes: Sequence[tuple[str, str]]) -> str:
    """The Markdown of ``confusion.md``. `classes` holds each one's code and name
    (``W101-ungated-external-ask``)."""
    if not opinions:
        return f"{_HEAD}\nThis run holds no look of doctor.\n"
    verdicts = sorted({_words(words) for o in opinions for words in (o.said, o.expected)}, key=_nothing_last)
    wrong = wrong_ones(opinions)
    lines = [_HEAD, _summary(opinions, wrong)]
    head = " | ".join(table_cell(verdict) for verdict in verdicts)
    for code, name in classes:
        mine = [o for o in opinions if o.code == code]
        if not mine:
            continue
        lines += [f"## [{code}](classes/{name}.md)\n"]
        lines += [f"| held state | server | expected | {head} |", "|---|---|---|" + "---:|" * len(verdicts)]
        lines += [_row(name, group, verdicts) for group in _groups(mine)]
        lines.append("")
    return "\n".join(lines) + "\n"


def wrong_ones(opinions: Sequence[Opinion]) -> tuple[str, ...]:
    """One sentence for each look in which doctor said something else than it ought to."""
    return tuple(
        f"{o.code} {o.arm} {o.n} on {o.server}: expected {_words(o.expected)}, doctor said {_words(o.said)}"
        for o in opinions
        if not o.right
    )


def _summary(opinions: Sequence[Opinion], wrong: Sequence[str]) -> str:
    healthy = [o for o in opinions if not o.expected]
    ill = len(opinions) - len(healthy)
    said = (
        f"{len(opinions)} looks: {ill} at a state that has a code, {len(healthy)} at one that has none. "
        f"Doctor was right in {len(opinions) - len(wrong)}.\n"
    )
    shown = "".join(f"    - {table_cell(sentence, 300)}\n" for sentence in wrong)
    return f'{said}\n!!! failure "Off the diagonal"\n\n{shown}' if wrong else said


def _groups(mine: Sequence[Opinion]) -> list[list[Opinion]]:
    def key(one: Opinion) -> tuple[str, str, tuple[str, ...]]:
        return one.arm, one.server, one.expected

    return [list(group) for _, group in groupby(sorted(mine, key=key), key=key)]


def _row(name: str, group: Sequence[Opinion], verdicts: Sequence[str]) -> str:
    first = group[0]
    counts = Counter(_words(o.said) for o in group)
    expected = _words(first.expected)
    cells = [
        "" if not counts[v] else f"{counts[v]}" if v == expected else f"**{counts[v]} ✗**" for v in verdicts
    ]
    state = f"[{table_cell(first.arm)}](classes/{name}.md#{raw_anchor(first.server, first.arm)})"
    return f"| {state} | {table_cell(first.server)} | {table_cell(expected)} | {' | '.join(cells)} |"


def _words(codes: Sequence[str]) -> str:
    return " and ".join(codes) or NOTHING


def _nothing_last(verdict: str) -> tuple[bool, str]:
    return verdict == NOTHING, verdict
