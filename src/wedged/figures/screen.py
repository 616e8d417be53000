"""A terminal's screen as a picture whose words are words."""

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from wedged.facts.screen import Cell, Screen
from wedged.figures.figure import Figure, save
from wedged.figures.palette import Palette

_WIDTH, _HEIGHT, _BASELINE, _MARGIN = 7.2, 15.0, 11.5, 8
# The sixteen names as xterm draws them; a terminal's own colours stay what they are in either palette.
_NAMED = {
    "default": "d8d8d8",
    "black": "101010",
    "red": "e06c75",
    "green": "7fd88f",
    "brown": "e5c07b",
    "yellow": "e5c07b",
    "blue": "5c9cf5",
    "magenta": "9d7cd8",
    "cyan": "56b6c2",
    "white": "eeeeee",
}
_PAPER = "101010"
_GROUP = (
    ' <g font-family="ui-monospace, \'DejaVu Sans Mono\', monospace" font-size="12" '
    'xml:space="preserve" style="white-space:pre">'
)


def draw_screen(screen: Screen, *, alt: str, stem: Path) -> Figure:
    """The part of `screen` that holds something, as ``STEM-light.svg`` and ``STEM-dark.svg``.

    Text is text: a reader can select it. The same in both, since a terminal brings its own colours.

    Raises:
        ValueError: nothing is on the screen, or `alt` is no alt sentence.
    """
    rows = _cropped(screen)
    if not rows:
        raise ValueError("there is nothing on the screen")
    words = "\n".join("".join(cell.text for cell in row).rstrip() for row in rows)
    fence = "```" if "```" not in words else "~~~~~~"

    def draw(_: Palette) -> str:
        return _svg(rows, alt)

    return save(
        draw, alt=alt, table=f"{fence}text\n{words}\n{fence}", stem=stem, table_title="The same as text"
    )


def _cropped(screen: Screen) -> tuple[tuple[Cell, ...], ...]:
    """Without the empty rows above and below, and the empty columns left and right."""
    filled = [(y, x) for y, row in enumerate(screen.rows) for x, cell in enumerate(row) if cell.text.strip()]
    if not filled:
        return ()
    top, bottom = filled[0][0], filled[-1][0]
    left, right = min(x for _, x in filled), max(x for _, x in filled)
    return tuple(row[left : right + 1] for row in screen.rows[top : bottom + 1])


def _svg(rows: tuple[tuple[Cell, ...], ...], alt: str) -> str:
    width = len(rows[0]) * _WIDTH + 2 * _MARGIN
    height = len(rows) * _HEIGHT + 2 * _MARGIN
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label={quoteattr(alt)}>',
        f" <title>A terminal's screen</title>\n <desc>{escape(alt)}</desc>",
        f' <rect width="100%" height="100%" rx="4" fill="#{_PAPER}"/>',
        _GROUP,
    ]
    for y, row in enumerate(rows):
        lines += _papers(row, y)
        lines += _words(row, y)
    return "\n".join([*lines, " </g>", "</svg>", ""])


def _papers(row: tuple[Cell, ...], y: int) -> Iterator[str]:
    for x, run in _runs(row, lambda cell: cell.paper):
        if run[0].paper != "default":
            place = f'x="{_MARGIN + x * _WIDTH:g}" y="{_MARGIN + y * _HEIGHT:g}"'
            size = f'width="{len(run) * _WIDTH:g}" height="{_HEIGHT:g}"'
            yield f'  <rect {place} {size} fill="#{_colour(run[0].paper, _PAPER)}"/>'


def _words(row: tuple[Cell, ...], y: int) -> Iterator[str]:
    for x, run in _runs(row, lambda cell: (cell.ink, cell.bold)):
        # XML has no place for control characters, not even escaped ones.
        text = "".join(cell.text if cell.text.isprintable() else "?" for cell in run)
        if not text.strip():
            continue
        place = f'x="{_MARGIN + x * _WIDTH:g}" y="{_MARGIN + y * _HEIGHT + _BASELINE:g}"'
        weight = ' font-weight="bold"' if run[0].bold else ""
        # The length keeps the columns where they are, whatever font a reader's machine has.
        length = f'textLength="{len(run) * _WIDTH:g}" lengthAdjust="spacingAndGlyphs"'
        ink = _colour(run[0].ink, _NAMED["default"])
        yield f'  <text {place} {length} fill="#{ink}"{weight}>{escape(text)}</text>'


def _runs(row: tuple[Cell, ...], key: Callable[[Cell], object]) -> Iterator[tuple[int, tuple[Cell, ...]]]:
    """Neighbours that are alike, each run with the column it begins at."""
    x = 0
    for _, group in groupby(row, key=key):
        run = tuple(group)
        yield x, run
        x += len(run)


def _colour(name: str, otherwise: str) -> str:
    if len(name) == 6 and all(c in "0123456789abcdefABCDEF" for c in name):
        return name.lower()
    return _NAMED.get(name.removeprefix("bright"), otherwise)
