"""The rosters over time: the truth on top, and below it what each kind of client believed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wedged.facts.markdown_text import table_cell
from wedged.figures.figure import Figure, alt_sentence, save


@dataclass(frozen=True, slots=True)
class Steps:
    """One count over time: (seconds since the prompt, how many), each of which holds until the next one.
    Before the first it is 0."""

    name: str
    points: tuple[tuple[float, int], ...]

    def at(self, t: float) -> int:
        """The count at this second."""
        return next((count for when, count in reversed(self.points) if when <= t), 0)


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at one moment: ``turn ends``, ``restart``."""

    t: float
    words: str


@dataclass(frozen=True, slots=True)
class Differs:
    """A stretch of time in which a count is not the truth's."""

    begin: float
    end: float
    count: int
    truth: int


def draw_roster(
    steps: Sequence[Steps], *, marks: Sequence[Mark] = (), ends: float, alt: str, stem: Path
) -> Figure:
    """Draw the counts below each other on one time axis, twice: ``STEM-light.svg`` and ``STEM-dark.svg``.

    The first of `steps` is the truth; where another one differs from it, the difference is hatched. Nothing
    after the second `ends` is shown. The same data give the same bytes. `alt` is one sentence that says what
    the picture shows.

    Raises:
        ValueError: there is no alt sentence (see `alt_sentence`), there are fewer than two counts, times go
            backwards, a count is below 0, or `ends` is not after 0.
    """
    alt = alt_sentence(alt)
    if len(steps) < 2 or not ends > 0:
        raise ValueError("a roster figure needs the truth and at least one more count, and must end after 0")
    for one in steps:
        times = [t for t, _ in one.points]
        if times != sorted(times) or any(count < 0 for _, count in one.points):
            raise ValueError(f"the points of {one.name!r} go backwards in time or below 0")
    shown = [_within(one, ends) for one in steps]
    marks = sorted((mark for mark in marks if 0 <= mark.t <= ends), key=lambda mark: mark.t)
    # matplotlib takes half a second to import.
    from wedged.figures.roster_draw import draw

    return save(
        lambda palette: draw(shown, marks, ends, alt=alt, palette=palette),
        alt=alt,
        table=_table(shown, marks, ends),
        stem=stem,
    )


def differences(steps: Steps, truth: Steps, ends: float) -> tuple[Differs, ...]:
    """Where `steps` is not `truth` between 0 and `ends`, in order; equal neighbours are one."""
    times = sorted({0.0, *(t for t, _ in (*steps.points, *truth.points) if 0 < t < ends)})
    found: list[Differs] = []
    for begin, end in zip(times, [*times[1:], ends], strict=True):
        count, true = steps.at(begin), truth.at(begin)
        if count == true:
            continue
        if found and found[-1].end == begin and (found[-1].count, found[-1].truth) == (count, true):
            begin = found.pop().begin
        found.append(Differs(begin, end, count, true))
    return tuple(found)


def _within(steps: Steps, ends: float) -> Steps:
    """From 0 to `ends`, and only what changes: a poller writes the same count again and again."""
    points = [(0.0, steps.at(0.0))]
    for t, count in steps.points:
        if 0 < t < ends and count != points[-1][1]:
            points.append((t, count))
    return Steps(steps.name, tuple(points))


def _table(steps: Sequence[Steps], marks: Sequence[Mark], ends: float) -> str:
    lines = [
        f"| seconds | {' | '.join(table_cell(one.name, 60) for one in steps)} | what happened |",
        f"|---:|{'---:|' * len(steps)}---|",
    ]
    times = sorted({t for one in steps for t, _ in one.points} | {mark.t for mark in marks} | {ends})
    for t in times:
        words = ", ".join(mark.words for mark in marks if mark.t == t) or ("end" if t == ends else "")
        counts = " | ".join(str(one.at(t)) for one in steps)
        lines.append(f"| {t:.3f} | {counts} | {table_cell(words, 110)} |")
    return "\n".join(lines) + "\n"
