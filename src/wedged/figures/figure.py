"""A figure as files: one drawing, light and dark, never without its sentence."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from wedged.figures.palette import DARK, LIGHT, Palette


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as files. `table` holds the same data as a Markdown table."""

    light: Path
    dark: Path
    alt: str
    table: str
    table_title: str = "The same as a table"

    def html(self) -> str:
        """The light picture as one self-contained element, for a viewer that reaches no file beside it."""
        data = base64.b64encode(self.light.read_bytes()).decode("ascii")
        return f'<img alt="{escape(self.alt)}" src="data:image/svg+xml;base64,{data}">'

    def markdown(self, folder: str = "../figures") -> str:
        """The picture pair, of which a page shows the one that fits its palette, and the table below it.

        The default `folder` is right for a notebook that stands in the run folder's ``notebooks``.
        """
        pair = "\n".join(
            f"![{self.alt}]({folder}/{path.name}#only-{name})"
            for path, name in ((self.light, "light"), (self.dark, "dark"))
        )
        table = "\n".join("    " + line if line else "" for line in self.table.splitlines())
        return f'{pair}\n\n??? abstract "{self.table_title}"\n\n{table}\n'


def save(
    draw: Callable[[Palette], str],
    *,
    alt: str,
    table: str,
    stem: Path,
    table_title: str = "The same as a table",
) -> Figure:
    """Draw in both palettes and write ``STEM-light.svg`` and ``STEM-dark.svg``.

    Raises:
        ValueError: `alt` is no alt sentence (see `alt_sentence`).
    """
    alt = alt_sentence(alt)
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = []
    for palette in (LIGHT, DARK):
        path = stem.with_name(f"{stem.name}-{palette.name}.svg")
        path.write_text(draw(palette), encoding="utf-8")
        paths.append(path)
    return Figure(light=paths[0], dark=paths[1], alt=alt, table=table, table_title=table_title)


def alt_sentence(alt: str) -> str:
    """`alt` without blanks around it.

    Raises:
        ValueError: it is not a sentence that says what the picture shows: at least four words on one line,
            closed by a full stop, without brackets (it stands in a Markdown picture).
    """
    if "\n" in alt or not alt.strip().endswith(".") or len(alt.split()) < 4 or set(alt) & set("[]<>"):
        raise ValueError(f"a figure needs an alt sentence that says what it shows, on one line; got {alt!r}")
    return alt.strip()
