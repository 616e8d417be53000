"""The timeline: control above trigger, one lane an actor, the fault shaded, the stuck interval open-ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wedged.facts.trial import Observation
from wedged.figures.palette import DARK, LIGHT
from wedged.figures.table import observation_table


@dataclass(frozen=True, slots=True)
class Strip:
    """One run of one arm. `ends` is the last second shown, counted from the prompt. From `stuck_from` on the
    strip is hatched and open to the right; `fault` is shaded from its first to its second figure."""

    title: str
    observations: tuple[Observation, ...]
    ends: float
    stuck_from: float | None = None
    fault: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as files. `table` holds the same data as a Markdown table."""

    light: Path
    dark: Path
    alt: str
    table: str

    def markdown(self, folder: str = "../figures") -> str:
        """The picture pair, of which a page shows the one that fits its palette, and the table below it.

        The default `folder` is right for a notebook that stands in the run folder's ``notebooks``.
        """
        pair = "\n".join(
            f"![{self.alt}]({folder}/{path.name}#only-{name})"
            for path, name in ((self.light, "light"), (self.dark, "dark"))
        )
        table = "\n".join("    " + line if line else "" for line in self.table.splitlines())
        return f'{pair}\n\n??? abstract "The same as a table"\n\n{table}\n'


def draw_timeline(strips: Sequence[Strip], *, alt: str, stem: Path) -> Figure:
    """Draw the strips below each other on one time axis, twice: ``STEM-light.svg`` and ``STEM-dark.svg``.

    The same strips give the same bytes. `alt` is one sentence that says what the picture shows.

    Raises:
        ValueError: there is no alt sentence (at least four words on one line, closed by a full stop, and no
            brackets: it stands in a Markdown picture), or there is no strip, or a strip ends at or before 0.
    """
    # matplotlib takes half a second to import; the verbs that only read a figure's facts don't pay it.
    from wedged.figures.draw import draw

    if "\n" in alt or not alt.strip().endswith(".") or len(alt.split()) < 4 or set(alt) & set("[]<>"):
        raise ValueError(f"a figure needs an alt sentence that says what it shows, on one line; got {alt!r}")
    if not strips or any(not strip.ends > 0 for strip in strips):
        raise ValueError("a timeline needs at least one strip, and each must end after the prompt")
    alt = alt.strip()
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = []
    for palette in (LIGHT, DARK):
        path = stem.with_name(f"{stem.name}-{palette.name}.svg")
        path.write_text(draw(strips, alt=alt, palette=palette), encoding="utf-8")
        paths.append(path)
    table = observation_table([(strip.title, strip.observations) for strip in strips])
    return Figure(light=paths[0], dark=paths[1], alt=alt, table=table)
