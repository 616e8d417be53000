"""The one drawing function of the roster figure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.transforms import blended_transform_factory

from wedged.facts.markdown_text import one_line
from wedged.figures.palette import Palette
from wedged.figures.roster import Differs, Mark, Steps, differences
from wedged.figures.svg import drawable, drawing, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH, _LEFT, _RIGHT = 7.2, 1.75, 0.2
_ROW, _GAP, _FOOT, _MARK = 0.62, 0.3, 0.5, 0.2
# How much of the axis one character of a mark's words takes, and how many rows of words there are.
_CHARACTER, _TIERS = 0.0148, 3


def draw(steps: Sequence[Steps], marks: Sequence[Mark], ends: float, *, alt: str, palette: Palette) -> str:
    """The SVG text of the counts in one palette."""
    placed = _placed(marks, ends)
    head = _MARK * (1 + max((tier for _, tier in placed), default=0)) + 0.1
    height = head + len(steps) * (_ROW + _GAP) + _FOOT - _GAP
    most = max(count for one in steps for _, count in one.points)
    with drawing():
        figure = Figure(figsize=(_WIDTH, height), facecolor=palette.page)
        for index, one in enumerate(steps):
            bottom = height - head - _ROW - index * (_ROW + _GAP)
            axes = figure.add_axes(
                (_LEFT / _WIDTH, bottom / height, (_WIDTH - _LEFT - _RIGHT) / _WIDTH, _ROW / height)
            )
            wrong = differences(one, steps[0], ends) if index else ()
            _draw_row(axes, one, wrong, most, ends, palette)
            for mark, tier in placed:
                _draw_mark(axes, mark, tier if index == 0 else None, ends, palette)
            if index == len(steps) - 1:
                axes.set_xlabel("seconds since the prompt", color=palette.faint)
            else:
                axes.tick_params(labelbottom=False)
        return to_svg(figure, title=" / ".join(drawable(one_line(one.name, 60)) for one in steps), alt=alt)


def _draw_row(
    axes: "Axes", steps: Steps, wrong: Sequence[Differs], most: int, ends: float, palette: Palette
) -> None:
    top = max(most, 1) * 1.25
    axes.set_facecolor(palette.page)
    axes.set_xlim(0, ends)
    axes.set_ylim(0, top)
    axes.set_yticks([0.5 * top], [drawable(one_line(steps.name, 24))])
    axes.tick_params(length=0, colors=palette.ink, labelsize=10.5)
    axes.tick_params(axis="x", length=3, colors=palette.faint, color=palette.rule)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(palette.rule)
    times = [t for t, _ in steps.points] + [ends]
    counts = [count for _, count in steps.points]
    axes.fill_between(
        times, [*counts, counts[-1]], step="post", color=palette.settled, alpha=0.55, linewidth=0, zorder=1
    )
    axes.step(times, [*counts, counts[-1]], where="post", color=palette.open_state, linewidth=2, zorder=3)
    for one in wrong:
        low, high = sorted((one.count, one.truth))
        axes.fill_between(
            [one.begin, one.end], [low, low], [high, high], facecolor="none", edgecolor=palette.stuck,
            hatch="///", linewidth=0, alpha=0.7, zorder=2,
        )  # fmt: skip
    _draw_counts(axes, steps, wrong, top, ends, palette)


def _draw_counts(
    axes: "Axes", steps: Steps, wrong: Sequence[Differs], top: float, ends: float, palette: Palette
) -> None:
    """The numbers themselves, wherever their stretch has room; a wrong one says so without colour, too."""
    begins = sorted(
        {t for t, _ in steps.points} | {t for one in wrong for t in (one.begin, one.end)} - {ends}
    )
    for t, until in zip(begins, [*begins[1:], ends], strict=True):
        off = next((one for one in wrong if one.begin <= t < one.end), None)
        count = str(steps.at(t))
        choices = [count] if off is None else [f"{count}, not {off.truth}", count]
        words = next((w for w in choices if _CHARACTER * ends * (len(w) + 0.8) <= until - t), None)
        if words is None:
            continue
        axes.text(
            t + 0.008 * ends, 0.5 * top, words, color=palette.ink if off is None else palette.stuck,
            fontsize=10.5, weight="normal" if off is None else "bold", va="center", zorder=5,
            bbox={"facecolor": palette.page, "edgecolor": "none", "alpha": 0.8, "pad": 0.6},
        )  # fmt: skip


def _draw_mark(axes: "Axes", mark: Mark, tier: int | None, ends: float, palette: Palette) -> None:
    axes.axvline(mark.t, color=palette.faint, linewidth=0.9, linestyle=(0, (3, 2)), zorder=2)
    if tier is None:
        return
    above = blended_transform_factory(axes.transData, axes.transAxes)
    words = drawable(one_line(mark.words, 40))
    right = mark.t + _CHARACTER * ends * len(words) > ends
    axes.text(
        mark.t, 1.02 + tier * _MARK / _ROW, words, transform=above, ha="right" if right else "left",
        va="bottom", color=palette.faint, fontsize=9.5,
    )  # fmt: skip


def _placed(marks: Sequence[Mark], ends: float) -> list[tuple[Mark, int]]:
    """Each mark with the row its words stand in: the lowest that is free there."""
    free = [float("-inf")] * _TIERS
    placed = []
    for mark in marks:
        width = _CHARACTER * ends * (len(one_line(mark.words, 40)) + 1)
        left = min(mark.t, ends - width)
        tier = next((tier for tier, until in enumerate(free) if until <= left), _TIERS - 1)
        free[tier] = left + width
        placed.append((mark, tier))
    return placed
