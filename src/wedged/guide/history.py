"""What the nights said, one after another: class x night, time to heal, the flake ledger. Pure.

``history.jsonl`` has one line a class, server and night; a night appends and never changes what stands.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

import msgspec

from wedged.errors import EvidenceError
from wedged.facts.markdown_text import table_cell
from wedged.facts.trial import ClassState
from wedged.guide.matrix import STATE_SIGNS

_NIGHTS = 30
_LEDGER = 100
# What a night says of a class on several servers is the first of these that any of them has.
_WORST = (
    ClassState.FLAKY,
    ClassState.PRESENT,
    ClassState.INCONCLUSIVE,
    ClassState.NOT_RUN,
    ClassState.GONE,
    ClassState.ABSENT,
)


class Night(msgspec.Struct, frozen=True, omit_defaults=True):
    """One class on one server in one night: `k` of `n` trials showed the defining claim; `heal_s` is the
    median of the seconds in which its cures moved a session; `flaky` are the ids of the claims that were."""

    run: str
    started: str
    code: str
    server: str
    state: ClassState
    k: int = 0
    n: int = 0
    heal_s: float | None = None
    flaky: tuple[str, ...] = ()


def encode_nights(nights: Iterable[Night]) -> bytes:
    """The lines of `nights`."""
    return b"".join(msgspec.json.encode(night) + b"\n" for night in nights)


def decode_nights(data: bytes) -> list[Night]:
    """The nights in a history; a last line without its end is what a killed writer left, and is none.

    Raises:
        EvidenceError: a line is none; the message names it.
    """
    decoder = msgspec.json.Decoder(Night)
    found = []
    for number, text in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
        try:
            found.append(decoder.decode(text))
        except msgspec.MsgspecError as error:
            raise EvidenceError(f"history.jsonl, line {number}: {error}") from None
    return found


def history_page(nights: Sequence[Night], classes: Sequence[tuple[str, str]]) -> str:
    """The Markdown of ``history.md``; `classes` are code and name of each, in their order."""
    if not nights:
        return f"{_HEAD}\nNo night is recorded yet.\n"
    parts = [_HEAD, _last(nights, classes), _months(nights, classes), _healing(nights), _ledger(nights)]
    return "\n".join(parts)


def _last(nights: Sequence[Night], classes: Sequence[tuple[str, str]]) -> str:
    began: dict[str, str] = {}
    for night in nights:  # the shards of one run began one after another
        began[night.run] = min(night.started, began.get(night.run, night.started))
    runs = sorted((started, run) for run, started in began.items())[-_NIGHTS:]
    said: dict[tuple[str, str], set[ClassState]] = defaultdict(set)
    shown = {run for _, run in runs}
    for night in nights:
        if night.run in shown:
            said[night.code, night.run].add(night.state)
    heads = " | ".join(started[5:10] for started, _ in runs)
    lines = [f"## The last {len(runs)} nights\n", f"| class | {heads} |", "|---|" + "---|" * len(runs)]
    for code, name in classes:
        cells = [_sign(said[code, run]) for _, run in runs]
        lines.append(f"| [{code}](classes/{name}.md) | {' | '.join(cells)} |")
    key = " · ".join(f"{STATE_SIGNS[state]} {state.value}" for state in _WORST)
    return "\n".join([*lines, "", f"{key}. Of several servers, the first of these that any has.", ""])


def _sign(states: set[ClassState]) -> str:
    return next((STATE_SIGNS[state] for state in _WORST if state in states), "")


def _months(nights: Sequence[Night], classes: Sequence[tuple[str, str]]) -> str:
    """How many of a month's verdicts said that the class is there."""
    there: dict[tuple[str, str], int] = defaultdict(int)
    total: dict[tuple[str, str], int] = defaultdict(int)
    for night in nights:
        key = (night.started[:7], night.code)
        total[key] += 1
        there[key] += night.state in (ClassState.PRESENT, ClassState.FLAKY)
    codes = [code for code, _ in classes]
    lines = ["## Month by month\n", f"| month | {' | '.join(codes)} |", "|---|" + "---|" * len(codes)]
    for month in sorted({month for month, _ in total}, reverse=True):
        cells = [f"{there[month, c]}/{total[month, c]}" if total[month, c] else "" for c in codes]
        lines.append(f"| {table_cell(month)} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", "Verdicts that found the class, of all of the month (server x night).", ""])


def _healing(nights: Sequence[Night]) -> str:
    took: dict[tuple[str, str], list[float]] = defaultdict(list)
    for night in nights:
        if night.heal_s is not None:
            took[night.code, night.started[:4]].append(night.heal_s)
    lines = [
        "## Time to heal\n",
        "| class | year | median | longest night | nights x servers |",
        "|---|---|---|---|---|",
    ]
    for (code, year), seconds in sorted(took.items()):
        figures = (f"{median(seconds):.2f} s", f"{max(seconds):.2f} s", str(len(seconds)))
        lines.append(f"| {table_cell(code)} | {table_cell(year)} | {' | '.join(figures)} |")
    return "\n".join([*lines, "", "How long the cures of a page took to move a session.", ""])


def _ledger(nights: Sequence[Night]) -> str:
    seen: dict[tuple[str, str], list[str]] = defaultdict(list)
    for night in nights:
        for claim in night.flaky:
            seen[claim, night.server].append(night.started[:10])
    rows = sorted(seen.items(), key=lambda row: (-len(row[1]), row[0]))
    lines = ["## Flake ledger\n"]
    if not rows:
        return "\n".join([*lines, "No claim was flaky in any night.", ""])
    lines += ["| claim | server | nights | first | last |", "|---|---|---|---|---|"]
    for (claim, server), dates in rows[:_LEDGER]:
        cells = (table_cell(claim), table_cell(server), str(len(dates)), min(dates), max(dates))
        lines.append(f"| {' | '.join(cells)} |")
    more = len(rows) - _LEDGER
    return "\n".join([*lines, "", f"… and {more} more." if more > 0 else "", ""])


_HEAD = """---
title: History
description: What each night said, how long cures took, and which claims flaked.
---
# Night after night
"""
