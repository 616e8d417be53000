"""A matplotlib figure as SVG text: the same bytes each time, with its words inside it."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from xml.sax.saxutils import escape

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

_RC: dict[Any, Any] = {
    "svg.hashsalt": "wedged",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.5,
    "hatch.linewidth": 1.1,
    "text.parse_math": False,
    "axes.unicode_minus": False,
    "path.simplify": False,
}


@contextmanager
def drawing() -> Iterator[None]:
    """The settings under which a figure is drawn and written, whatever the user's own say."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        yield


def drawable(text: str) -> str:
    """`text` with each character that the measuring font lacks as ``?``: its width would be a guess."""
    known = _known_characters()
    return "".join(c if ord(c) in known else "?" for c in text)


@cache
def _known_characters() -> frozenset[int]:
    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())


def to_svg(figure: Figure, *, title: str, alt: str) -> str:
    """The SVG text, with `title` as its title and `alt` as its description."""
    buffer = io.StringIO()
    unwanted = {"Date": None, "Creator": None, "Format": None, "Type": None}
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Title": title, **unwanted})
    text = buffer.getvalue()
    # A browser falls back to the generic name; no other machine has to have our measuring font.
    text = text.replace("'DejaVu Sans', sans-serif", "system-ui, 'DejaVu Sans', sans-serif")
    described, count = re.subn(
        r"(<title>.*?</title>)",
        lambda m: f"{m[1]}\n <desc>{escape(alt)}</desc>",
        text,
        count=1,
        flags=re.DOTALL,
    )
    if count != 1:
        raise RuntimeError("matplotlib wrote an SVG without a title; the description has no place")
    return described
