"""The timeline: control above trigger, one lane an actor, the fault shaded, the stuck interval open-ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wedged.facts.trial import Observation
from wedged.figures.figure import Figure, alt_sentence, save
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


def draw_timeline(strips: Sequence[Strip], *, alt: str, stem: Path) -> Figure:
    """Draw the strips below each other on one time axis, twice: ``STEM-light.svg`` and ``STEM-dark.svg``.

    The same strips give the same bytes. `alt` is one sentence that says what the picture shows.

    Raises:
        ValueError: there is no alt sentence (at least four words on one line, closed by a full stop, and no
            brackets: it stands in a Markdown picture), or there is no strip, or a strip ends at or before 0.
    """
    # matplotlib takes half a second to import; the verbs that only read a figure's facts don't pay it.
    from wedged.figures.draw import draw

    alt = alt_sentence(alt)
    if not strips or any(not strip.ends > 0 for strip in strips):
        raise ValueError("a timeline needs at least one strip, and each must end after the prompt")
    table = observation_table([(strip.title, strip.observations) for strip in strips])
    return save(lambda palette: draw(strips, alt=alt, palette=palette), alt=alt, table=table, stem=stem)
