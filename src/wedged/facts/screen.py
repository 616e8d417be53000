"""A terminal's screen at one moment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """One character. Colours are six hex digits, a name of the sixteen (``red``), or ``default``."""

    text: str
    ink: str = "default"
    paper: str = "default"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Screen:
    """Rows of cells, top to bottom. The words on it are a program's: untrusted text."""

    rows: tuple[tuple[Cell, ...], ...]

    @property
    def text(self) -> str:
        """The words, a line a row, without the blanks at the ends."""
        return "\n".join("".join(cell.text for cell in row).rstrip() for row in self.rows)
