"""Which evidence a merged run shows, and how old each piece is; the browser computes the age. Pure.

A page that is built once must not say "fresh": it may be read weeks later. So the page carries dates, and
``javascripts/freshness.js`` marks what is older than 48 hours amber and what is older than 7 days red.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wedged.evidence import Cell
from wedged.evidence.record import LeftOut
from wedged.facts.markdown_text import table_cell

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")


@dataclass(frozen=True, slots=True)
class Shown:
    """The evidence shown for one class on one server: run, when it began (UTC), and what a newer run said
    that is not shown ("" for nothing)."""

    code: str
    server: str
    run: str
    started: str
    passed_over: str = ""


def shown(cells: Iterable[Cell], left_out: Iterable[LeftOut]) -> tuple[Shown, ...]:
    """One entry a class and server. `left_out` is the merged record's: of a newer run that had no result (a
    lost shard, a registry that was away) the older evidence stays, and why is told."""
    newer = {(one.code, one.server): one for one in sorted(left_out, key=lambda one: one.started)}
    found = []
    for cell in cells:
        over = newer.get((cell.code, cell.server))
        said = ""
        if over is not None and over.started > cell.started:
            said = f"run {over.run} of {over.started[:10]}: {over.why}"
        found.append(Shown(cell.code, cell.server, cell.run, cell.started, said))
    return tuple(found)


def stamp(started: str) -> str:
    """A date as HTML that the script judges: ``<time class="wedged-age" datetime="…">2026-11-29</time>``.

    A run folder comes from anybody: what is no date is not put into the page.
    """
    if not _DATE.fullmatch(started):
        return "an unknown date"
    return f'<time class="wedged-age" datetime="{started}">{started[:10]}</time>'


def freshness_page(entries: Iterable[Shown]) -> str:
    """The Markdown of ``freshness.md``: what each cell of the matrix rests on, oldest first."""
    rows = sorted(entries, key=lambda one: (one.started, one.code, one.server))
    lines = [_HEAD, "| class | server | evidence of | run | passed over |", "|---|---|---|---|---|"]
    for one in rows:
        cells = (table_cell(one.code), table_cell(one.server), stamp(one.started), f"`{table_cell(one.run)}`")
        lines.append(f"| {' | '.join(cells)} | {table_cell(one.passed_over, 160)} |")
    return "\n".join(lines) + "\n"


_HEAD = """---
title: Freshness
description: How old the evidence behind each verdict is.
---
# How old the evidence is

Each class on each server shows the newest run that has a result there. A run that was lost hides nothing: the
last good evidence stays, with its date, and the last column says what was passed over. Your browser computes
the ages: amber after 48 hours, red after 7 days.
"""
