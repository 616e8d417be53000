"""Markdown that a notebook displays when it is a cell's last value."""

from collections.abc import Sequence
from dataclasses import dataclass

from wedged.facts.markdown_text import table_cell

_WIDTH = 200


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece of Markdown, and where a notebook's own viewer can't show it, the same as HTML.

    The guide's pages are made from the Markdown alone.
    """

    markdown: str
    html: str = ""

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str | None:
        return self.html or None

    def __repr__(self) -> str:
        return self.markdown


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Shown:
    """A Markdown table. What stands in a cell is shown as it is: servers and models write no markup here."""
    body = [[table_cell("" if each is None else str(each), _WIDTH) for each in row] for row in rows]
    lines = [header, ["---"] * len(header), *body]
    return Shown("\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n")
