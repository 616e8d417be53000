"""How a notebook shows things: plain text and Markdown tables, made of untrusted words."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from wedged.facts.plain_text import plain


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece of Markdown that a notebook displays when it is a cell's last value."""

    markdown: str

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __repr__(self) -> str:
        return self.markdown


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Shown:
    """A Markdown table. Every cell is escaped: what servers and models say is not markup."""
    lines = [_row(header), _row(["---"] * len(header)), *(_row([cell(c) for c in row]) for row in rows)]
    return Shown("\n".join(lines))


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(str(c) for c in cells) + " |"


def cell(value: object) -> str:
    """One table cell: control characters made visible, Markdown and HTML made inert."""
    text = plain("" if value is None else str(value))
    for character in "\\`*_[]<>|#":
        text = text.replace(
            character, f"\\{character}" if character not in "<>" else {"<": "&lt;", ">": "&gt;"}[character]
        )
    return text


def document(value: object) -> str:
    """A JSON answer as a reader wants it: short ones on one line, longer ones indented."""
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= 100 else json.dumps(value, ensure_ascii=False, indent=2)
