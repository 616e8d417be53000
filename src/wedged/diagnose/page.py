"""A page of a report: rows of a width, safe to print, and colour beside the words, never in their place."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from wedged.facts.finding import FindingStatus
from wedged.facts.plain_text import plain
from wedged.facts.redaction import redact
from wedged.facts.wrapping import WIDTH, wrapped

# A line that was redacted would do something else than it says.
NOT_WRITTEN = "# not written: it would hold what looks like a credential; `wedged recover --apply` sends it"

# Gives the words of a status its colour.
Paint = Callable[[str, FindingStatus], str]


def unpainted(words: str, status: FindingStatus) -> str:
    """No colour."""
    del status
    return words


@dataclass(frozen=True, slots=True)
class Page:
    """How a report is written. `secrets` are taken out of every row; what came from a server is escaped."""

    width: int = WIDTH
    secrets: tuple[str, ...] = ()
    paint: Paint = unpainted

    def line(self, text: str) -> str:
        """One row, however long it gets."""
        return plain(redact(text, self.secrets))

    def to_paste(self, text: str) -> str:
        """A line that somebody will paste: never broken, and whole or not written."""
        line = self.line(text)
        return line if line == plain(text) else NOT_WRITTEN

    def rows(self, text: str, first: str = "", then: str | None = None) -> list[str]:
        """As many rows as it takes; those after the first stand two columns further in, or behind `then`."""
        return wrapped(self.line(text), self.width, first, f"{first}  " if then is None else then)

    def indented(self, row: str) -> list[str]:
        """A row that begins with its own indent."""
        text = row.lstrip(" ")
        return self.rows(text, row[: len(row) - len(text)])

    def bullets(self, lines: Iterable[str], indent: str = "  ") -> list[str]:
        """Each on a row of its own, with a dash."""
        return [row for line in lines for row in self.rows(line, f"{indent}- ", f"{indent}  ")]

    def fact(self, name: str, value: str) -> list[str]:
        """A name and a value, which somebody may copy: it is not broken within a word."""
        lead = f"  {name:<10} "
        return self.rows(value, lead, " " * len(lead)) or [lead.rstrip()]

    def head(self, status: FindingStatus, text: str, before: str = "") -> list[str]:
        """The status in words and in its colour, and what follows it."""
        words = status.value.replace("-", " ").upper()
        rows = self.rows(f"{before}{words}{text}")
        painted = self.paint(words, status)
        return [rows[0].replace(words, painted, 1), *rows[1:]]
