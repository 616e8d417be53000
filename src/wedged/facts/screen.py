"""A terminal's screen at one moment."""

from dataclasses import dataclass
from itertools import groupby


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


def as_rows(screen: Screen) -> list[list[list[object]]]:
    """The screen as JSON: a row is a list of runs, a run its text, ink, paper, and whether it is bold."""
    return [
        [["".join(cell.text for cell in run), run[0].ink, run[0].paper, run[0].bold] for run in _runs(row)]
        for row in screen.rows
    ]


def from_rows(rows: object) -> Screen:
    """The screen that `as_rows` wrote.

    Raises:
        ValueError: `rows` is something else.
    """
    try:
        return Screen(
            tuple(
                tuple(
                    Cell(c, str(ink), str(paper), bool(bold))
                    for text, ink, paper, bold in row
                    for c in str(text)
                )
                for row in rows  # type: ignore[attr-defined]
            )
        )
    except (TypeError, ValueError) as error:
        raise ValueError("no screen stands there") from error


def _runs(row: tuple[Cell, ...]) -> list[list[Cell]]:
    return [list(run) for _, run in groupby(row, key=lambda cell: (cell.ink, cell.paper, cell.bold))]
