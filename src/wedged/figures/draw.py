"""The one drawing function of the timeline."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.transforms import blended_transform_factory

from wedged.facts.markdown_text import one_line
from wedged.facts.trial import Lane, Observation
from wedged.figures.palette import Palette
from wedged.figures.spans import CLOSED_WORDS, OPEN_WORDS, Span, spans, state_word
from wedged.figures.svg import drawable, drawing, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from wedged.figures.timeline import Strip

LANE_NAMES = {
    Lane.CLIENT: "client",
    Lane.STATUS: "status",
    Lane.EVENT: "events",
    Lane.PART: "tool calls",
    Lane.ASK: "asks",
    Lane.MODEL: "model",
    Lane.PROCESS: "processes",
    Lane.FILE: "files",
    Lane.DATABASE: "database",
    Lane.RECORDER: "recorder",
}
_WIDTH, _LEFT, _RIGHT = 7.2, 1.02, 0.16
_LANE, _TITLE, _FOOT = 0.36, 0.46, 0.5
# Below this share of the axis two labels would touch; below that one two marks are one.
_MARKS_APART = 1 / 300
_CHARACTER = 0.0165


def draw(strips: Sequence["Strip"], *, alt: str, palette: Palette) -> str:
    """The SVG text of the strips in one palette."""
    lanes = tuple(lane for lane in Lane if any(o.lane is lane for s in strips for o in s.observations))
    lanes = lanes or (Lane.CLIENT,)
    last = max(strip.ends for strip in strips)
    band = _LANE * len(lanes)
    height = len(strips) * (band + _TITLE) + _FOOT
    with drawing():
        figure = Figure(figsize=(_WIDTH, height), facecolor=palette.page)
        for index, strip in enumerate(strips):
            top = height - index * (band + _TITLE) - _TITLE
            axes = figure.add_axes(
                (_LEFT / _WIDTH, (top - band) / height, (_WIDTH - _LEFT - _RIGHT) / _WIDTH, band / height)
            )
            _draw_strip(axes, strip, lanes, last, palette)
            if index == len(strips) - 1:
                axes.set_xlabel("seconds since the prompt", color=palette.faint)
            else:
                axes.tick_params(labelbottom=False)
        return to_svg(figure, title=" / ".join(drawable(one_line(s.title, 80)) for s in strips), alt=alt)


def _draw_strip(axes: "Axes", strip: "Strip", lanes: Sequence[Lane], last: float, palette: Palette) -> None:
    axes.set_facecolor(palette.page)
    axes.set_xlim(-0.015 * last, last)
    axes.set_ylim(len(lanes) - 0.5, -0.5)
    axes.set_yticks(range(len(lanes)), [LANE_NAMES[lane] for lane in lanes])
    axes.tick_params(length=0, colors=palette.ink, labelsize=10.5)
    axes.tick_params(axis="x", length=3, colors=palette.faint, color=palette.rule)
    axes.set_title(
        drawable(one_line(strip.title, 72)), loc="left", color=palette.ink, fontsize=12, weight="bold"
    )
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(palette.rule)
    for row in range(len(lanes)):
        axes.axhline(row, color=palette.rule, linewidth=0.6, zorder=1)
    if strip.fault is not None:
        axes.axvspan(*strip.fault, facecolor=palette.fault, alpha=0.45, linewidth=0, zorder=0)
    if strip.stuck_from is not None:
        _draw_stuck(axes, strip.stuck_from, strip.ends, palette)
    shown = [o for o in strip.observations if 0 <= o.t <= strip.ends]
    bars = [s for s in spans(strip.observations) if s.begin < strip.ends]
    for row, lane in enumerate(lanes):
        here = [s for s in bars if s.lane is lane]
        for span, (offset, thick) in zip(here, _stacked(here), strict=True):
            _draw_span(axes, span, row + offset, thick, strip.ends, palette)
    for row, lane in enumerate(lanes):
        _draw_lane(axes, [o for o in shown if o.lane is lane], row, last, palette)


def _draw_stuck(axes: "Axes", begin: float, end: float, palette: Palette) -> None:
    axes.axvspan(begin, end, facecolor="none", edgecolor=palette.stuck, alpha=0.5, hatch="///", linewidth=0)
    axes.axvline(begin, color=palette.stuck, linewidth=1.4, zorder=2)
    # The word stands above the strip: inside it, it would cover a lane.
    above = blended_transform_factory(axes.transData, axes.transAxes)
    axes.text(
        end, 1.03, "stuck, and open-ended →", transform=above, ha="right", va="bottom",
        color=palette.stuck, fontsize=10.5, weight="bold",
    )  # fmt: skip


def _stacked(bars: Sequence[Span]) -> list[tuple[float, float]]:
    """Offset and thickness of each bar: two things that overlap in time share the lane's height."""
    tiers: list[float] = []
    placed = []
    for bar in bars:
        end = float("inf") if bar.end is None else bar.end
        tier = next((i for i, free in enumerate(tiers) if free <= bar.begin), len(tiers))
        tiers[tier : tier + 1] = [end]
        placed.append(tier)
    thick = 0.36 / max(len(tiers), 1)
    return [((tier + 0.5) * thick - 0.18, thick * (1 if len(tiers) == 1 else 0.8)) for tier in placed]


def _draw_span(axes: "Axes", span: Span, row: float, thick: float, ends: float, palette: Palette) -> None:
    begin, end = max(span.begin, 0.0), min(ends if span.end is None else span.end, ends)
    if end <= begin:
        return
    colour = palette.open_state if span.end is None or span.end > ends else palette.settled
    axes.barh(row, end - begin, left=begin, height=thick, color=colour, linewidth=0, zorder=3)


def _draw_lane(axes: "Axes", seen: Sequence[Observation], row: int, last: float, palette: Palette) -> None:
    """Marks, thinned to what an eye can tell apart, and a label wherever the one before leaves room."""
    previous, previous_closed, free_from = float("-inf"), False, float("-inf")
    labelled: set[str] = set()
    for one in sorted(seen, key=lambda o: (o.t, o.kind)):
        closed = state_word(one) in CLOSED_WORDS
        # Of two marks in one place, the end of something is the one to see.
        if one.t - previous >= _MARKS_APART * last or (closed and not previous_closed):
            axes.plot(
                [one.t], [row], marker="o" if closed else "|", markersize=5 if closed else 9, zorder=4,
                color=palette.mark, markerfacecolor=palette.page if closed else palette.mark,
            )  # fmt: skip
            previous, previous_closed = one.t, closed
        if one.t < free_from:
            continue
        label = drawable(one_line(label_of(one), 24))
        width = _CHARACTER * last * len(label)
        if label in labelled or one.t + width > last * 1.01:
            continue
        axes.text(
            one.t + 0.008 * last, row - 0.2, label, color=palette.faint, fontsize=9, va="bottom", zorder=5,
            bbox={"facecolor": palette.page, "edgecolor": "none", "alpha": 0.85, "pad": 0.4},
        )  # fmt: skip
        labelled.add(label)
        free_from = one.t + width + 0.01 * last


def label_of(observation: Observation) -> str:
    """The few words that stand beside a mark: the state where it is one, else the kind."""
    word = state_word(observation)
    return word if word in OPEN_WORDS | CLOSED_WORDS and "." not in observation.kind else observation.kind
