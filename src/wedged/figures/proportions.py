"""Proportions with their exact intervals, one row each: what is always, what is never, at one look."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wedged.facts.markdown_text import one_line, table_cell
from wedged.figures.figure import Figure, alt_sentence, save
from wedged.figures.palette import Palette

_WIDTH, _LEFT, _RIGHT = 7.2, 2.5, 0.9
_ROW, _HEAD, _FOOT = 0.42, 0.15, 0.62


@dataclass(frozen=True, slots=True)
class Proportion:
    """`k` of `n` trials, with the ends of the interval as shares of one; nothing is drawn for `n` of 0."""

    label: str
    k: int
    n: int
    low: float
    high: float


def draw_proportions(rows: Sequence[Proportion], *, axis: str, alt: str, stem: Path) -> Figure:
    """Draw the rows from above to below; `axis` says of what the shares are.

    Raises:
        ValueError: there is no row, or `alt` is no alt sentence.
    """
    alt = alt_sentence(alt)
    if not rows:
        raise ValueError("a figure of proportions needs at least one row")
    lines = [f"| {axis} | k of n | exact 95% interval |", "|---|---|---|"]
    lines += [f"| {table_cell(r.label)} | {r.k} of {r.n} | {r.low:.0%} to {r.high:.0%} |" for r in rows]
    table = "\n".join(lines)
    return save(lambda palette: _draw(rows, axis, alt, palette), alt=alt, table=table, stem=stem)


def _draw(rows: Sequence[Proportion], axis: str, alt: str, palette: Palette) -> str:
    # matplotlib takes half a second to import.
    from matplotlib.figure import Figure as Canvas

    from wedged.figures.svg import drawable, drawing, to_svg

    height = _ROW * len(rows) + _HEAD + _FOOT
    with drawing():
        figure = Canvas(figsize=(_WIDTH, height), facecolor=palette.page)
        inner = (_WIDTH - _LEFT - _RIGHT) / _WIDTH
        axes = figure.add_axes((_LEFT / _WIDTH, _FOOT / height, inner, _ROW * len(rows) / height))
        axes.set_facecolor(palette.page)
        axes.set_xlim(-2, 102)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), [drawable(one_line(row.label, 30)) for row in rows])
        axes.set_xticks((0, 50, 100), ("never", "half", "always"))
        axes.tick_params(length=0, colors=palette.ink, labelsize=10.5)
        axes.set_xlabel(drawable(axis), color=palette.faint)
        for spine in axes.spines.values():
            spine.set_visible(False)
        for share in (0, 50, 100):
            axes.axvline(share, color=palette.rule, linewidth=0.8, zorder=0)
        for place, row in enumerate(rows):
            if not row.n:
                continue
            often = 2 * row.k > row.n
            shape, colour = ("s", palette.stuck) if often else ("o", palette.open_state)
            axes.plot(
                [100 * row.low, 100 * row.high], [place, place], color=colour, linewidth=4, alpha=0.35,
                solid_capstyle="butt",
            )  # fmt: skip
            # The shape says it too, not the colour alone.
            axes.plot([100 * row.k / row.n], [place], marker=shape, markersize=9, color=colour)
            axes.text(
                104, place, f"{row.k} of {row.n}", va="center", ha="left", color=palette.ink, fontsize=10.5
            )
        return to_svg(figure, title=axis, alt=alt)
