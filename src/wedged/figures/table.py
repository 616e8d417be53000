"""The data table below a figure: the same observations in words, so that nobody needs the picture."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from wedged.facts.markdown_text import one_line, table_cell
from wedged.facts.trial import Observation

ROWS_A_STRIP = 60


def detail(observation: Observation, width: int = 110) -> str:
    """An observation's data in one line: ``status running, tool bash``."""
    pairs = (
        f"{key} {value if isinstance(value, str | int | float) else repr(value)}"
        for key, value in observation.data.items()
        if value not in (None, "", (), [], {})
    )
    return one_line(", ".join(pairs), width)


def _rows(title: str, observations: Iterable[Observation]) -> list[str]:
    ordered = sorted(observations, key=lambda o: o.t)
    rows = []
    # Ten heartbeats in a row are one line of a table.
    for (lane, kind, words), group in groupby(ordered, key=lambda o: (o.lane, o.kind, detail(o))):
        same = list(group)
        times = f"{same[0].t:.3f}" + (f" to {same[-1].t:.3f}" if len(same) > 1 else "")
        kind_cell = table_cell(kind, 60) + (f" ({len(same)} times)" if len(same) > 1 else "")
        rows.append(f"| {times} | {table_cell(title, 60)} | {lane} | {kind_cell} | {table_cell(words)} |")
    return rows


def observation_table(strips: Sequence[tuple[str, Sequence[Observation]]]) -> str:
    """A Markdown table of titled lists of observations, in order of time; at most 60 rows a list, and what
    is left out is said."""
    lines = ["| seconds | run | lane | what | detail |", "|---:|---|---|---|---|"]
    for title, observations in strips:
        rows = _rows(title, observations)
        lines.extend(rows[:ROWS_A_STRIP])
        if len(rows) > ROWS_A_STRIP:
            left = len(rows) - ROWS_A_STRIP
            lines.append(f"| … | {table_cell(title, 60)} | | {left} more rows in the raw data | |")
    return "\n".join(lines) + "\n"
