"""The matrix: class x version and claim x version, each cell with its way to the evidence. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from wedged.evidence import ClassVerdict
from wedged.facts.failure_class import FailureClass
from wedged.facts.markdown_text import own_cell, table_cell
from wedged.facts.trial import ClassState, Trial, Verdict
from wedged.guide.freshness import stamp
from wedged.guide.verdict_table import STATE_WORDS, VERDICT_WORDS, Notes, raw_anchor, state_word

# A shape beside the words: a reader scans for shapes, a screen reader reads the words.
STATE_SIGNS = {
    ClassState.PRESENT: "●",
    ClassState.GONE: "○",
    ClassState.FLAKY: "◐",
    ClassState.ABSENT: "∅",
    ClassState.INCONCLUSIVE: "?",
    ClassState.NOT_RUN: "·",
}
_VERDICT_SIGNS = {
    Verdict.HOLDS: "●",
    Verdict.DOES_NOT_HOLD: "○",
    Verdict.FLAKY: "◐",
    Verdict.ABSENT: "∅",
    Verdict.INCONCLUSIVE: "?",
    Verdict.NOT_RUN: "·",
}

_HEAD = """---
title: Matrix
description: Which failure reproduces on which server version.
---
# What reproduces where

One column a server of this run. A class takes the verdict of its defining claim; below, each claim has
its own.
A cell leads to the trials behind it. [What the words mean](method.md).
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One class with what the run said of it."""

    failure_class: FailureClass
    verdicts: tuple[ClassVerdict, ...]
    trials: tuple[Trial, ...]

    def on(self, server: str) -> ClassVerdict | None:
        """The verdict on one server."""
        return next((v for v in self.verdicts if v.server == server), None)


def matrix_page(rows: Sequence[Row], notices: Sequence[str] = ()) -> str:
    """The Markdown of ``matrix.md``; `notices` come before every verdict: they say which not to trust."""
    servers = tuple(dict.fromkeys(v.server for row in rows for v in row.verdicts))
    parts = [_HEAD, *(f'!!! warning ""\n\n    {table_cell(notice)}\n' for notice in notices)]
    if not servers:
        return "\n".join([*parts, "This run holds no verdict.\n"])
    parts += [_classes(rows, servers), _key()]
    parts += [_claims(row, servers) for row in rows]
    return "\n".join(parts)


def _head(first: str, servers: Sequence[str]) -> list[str]:
    cells = " | ".join(map(table_cell, servers))
    return [f"| {first} | {cells} |", "|---|" + "---|" * len(servers)]


def _classes(rows: Sequence[Row], servers: Sequence[str]) -> str:
    lines, notes = ["## Classes\n", *_head("class", servers)], Notes()
    for row in rows:
        of = row.failure_class
        cells = [_class_cell(row, server, notes) for server in servers]
        lines.append(f"| [{of.code}](classes/{of.name}.md) {own_cell(of.slug)} | {' | '.join(cells)} |")
    return "\n".join([*lines, *notes.rows()]) + "\n"


def _class_cell(row: Row, server: str, notes: Notes) -> str:
    verdict = row.on(server)
    if verdict is None:
        return f"{STATE_SIGNS[ClassState.NOT_RUN]} not run"
    word = state_word(verdict, row.verdicts)
    words = f"{STATE_SIGNS[verdict.state]} {word}"
    defining = verdict.claim(row.failure_class.defining.id)
    count = f" {defining.k}/{defining.n}" if defining.n else ""
    return (
        _linked(words, row, row.failure_class.defining.arm, server)
        + count
        + notes.mark(verdict.state, verdict.why, word)
        + f"<br><small>{stamp(verdict.started)}</small>"
    )


def _claims(row: Row, servers: Sequence[str]) -> str:
    of = row.failure_class
    shown = [server for server in servers if row.on(server) is not None]
    if not shown:
        return ""
    lines = [f"## {of.code} {of.slug}\n", f'??? abstract "{len(of.claims)} claims"\n']
    table, notes = _head("claim", shown), Notes()
    for claim in of.claims:
        cells = []
        for server in shown:
            verdict = row.on(server)
            if verdict is None:
                continue
            one = verdict.claim(claim.id)
            word = VERDICT_WORDS[one.verdict]
            count = f" {one.k}/{one.n}" if one.n else ""
            linked = _linked(f"{_VERDICT_SIGNS[one.verdict]} {word}", row, claim.arm, server)
            cells.append(linked + count + notes.mark(one.verdict, one.why, word))
        mark = " (defining)" if claim.defining else " (control)" if claim.control else ""
        table.append(f"| `{claim.id}`{mark}<br>{own_cell(claim.sentence)} | {' | '.join(cells)} |")
    return "\n".join([*lines, *(f"    {line}".rstrip() for line in (*table, *notes.rows()))]) + "\n"


def _linked(words: str, row: Row, arm: str, server: str) -> str:
    """The words, leading to the row of raw data where there is one."""
    if not any(t.server == server and t.arm == arm and t.evidence for t in row.trials):
        return words
    return f"[{words}](classes/{row.failure_class.name}.md#{raw_anchor(server, arm)})"


def _key() -> str:
    words = [f"{STATE_SIGNS[state]} {STATE_WORDS[state]}" for state in ClassState]
    return f"{' · '.join(words)}. k/n counts the trials that showed the claim.\n"
