"""The roster figure: what differs from the truth is found, shown and said; the same bytes each time."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wedged.figures import Figure, Mark, Steps, draw_roster
from wedged.figures.roster import Differs, differences

ALT = "The naive roster is empty while a shell runs, the right one is not."
SVG = "{http://www.w3.org/2000/svg}"

TRUTH = Steps("truth", ((0.4, 1), (9.0, 0)))
NAIVE = Steps("naive roster", ((0.0, 1), (1.2, 0), (1.4, 0)))
RIGHT = Steps("right roster", ((0.4, 1), (9.0, 0)))


def draw(stem: Path, *steps: Steps, marks: tuple[Mark, ...] = (), alt: str = ALT) -> Figure:
    return draw_roster(steps or (TRUTH, NAIVE, RIGHT), marks=marks, ends=12.0, alt=alt, stem=stem)


def words_in(path: Path) -> list[str]:
    return ["".join(e.itertext()).strip() for e in ET.parse(path).iter(f"{SVG}text")]  # noqa: S314


def test_where_a_roster_is_wrong() -> None:
    assert differences(NAIVE, TRUTH, 12.0) == (Differs(0.0, 0.4, 1, 0), Differs(1.2, 9.0, 0, 1))
    assert differences(RIGHT, TRUTH, 12.0) == ()
    assert differences(Steps("late", ((5.0, 1),)), TRUTH, 6.0) == (Differs(0.4, 5.0, 0, 1),)


def test_the_picture_says_it_in_words_and_by_hatching(tmp_path: Path) -> None:
    figure = draw(tmp_path / "a", marks=(Mark(1.2, "turn ends"), Mark(99.0, "never")))
    words = words_in(figure.light)
    assert {"truth", "naive roster", "right roster", "turn ends", "0, not 1"} <= set(words)
    assert "never" not in words, "it is after the end"
    assert "<pattern" in figure.light.read_text()
    calm = draw(tmp_path / "b", TRUTH, RIGHT)
    assert "<pattern" not in calm.light.read_text()
    assert not any("not" in word for word in words_in(calm.light))


def test_light_and_dark_differ_in_colour_only_and_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    one, two = draw(tmp_path / "one"), draw(tmp_path / "two")
    assert one.light.read_bytes() == two.light.read_bytes()
    assert one.dark.read_bytes() == two.dark.read_bytes()
    assert one.light.read_bytes() != one.dark.read_bytes()
    bare = [re.sub(r"#[0-9a-f]{6}|\b[hmp][0-9a-f]{10}\b", "", p.read_text()) for p in (one.light, one.dark)]
    assert bare[0] == bare[1]
    assert ET.parse(one.light).getroot().findtext(f"{SVG}desc") == ALT  # noqa: S314


def test_the_table_holds_every_change_and_nothing_twice(tmp_path: Path) -> None:
    table = draw(tmp_path / "x", marks=(Mark(1.2, "turn ends"),)).table.splitlines()
    assert table[0] == "| seconds | truth | naive roster | right roster | what happened |"
    assert table[2:] == [
        "| 0.000 | 0 | 1 | 0 |  |",
        "| 0.400 | 1 | 1 | 1 |  |",
        "| 1.200 | 1 | 0 | 1 | turn ends |",
        "| 9.000 | 0 | 0 | 0 |  |",
        "| 12.000 | 0 | 0 | 0 | end |",
    ]


@pytest.mark.parametrize(
    ("steps", "alt", "why"),
    [
        ((TRUTH,), ALT, "at least one more"),
        ((TRUTH, Steps("back", ((2.0, 1), (1.0, 0)))), ALT, "go backwards"),
        ((TRUTH, Steps("below", ((2.0, -1),))), ALT, "below 0"),
        ((TRUTH, RIGHT), "No sentence", "alt sentence"),
    ],
)
def test_what_is_refused_writes_nothing(tmp_path: Path, steps: tuple[Steps, ...], alt: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        draw(tmp_path / "x", *steps, alt=alt)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60), st.lists(st.tuples(st.floats(0, 30), st.integers(0, 40)), max_size=30))
def test_untrusted_words_and_any_counts(tmp_path: Path, words: str, points: list[tuple[float, int]]) -> None:
    hostile = words + "</text><script>x</script>$\\frac$|\x1b[31m\u202e"
    steps = (Steps(hostile, tuple(sorted(points))), NAIVE)
    figure = draw(tmp_path / "x", *steps, marks=(Mark(3.0, hostile),))
    root = ET.parse(figure.light).getroot()  # noqa: S314
    assert root.find(f".//{SVG}script") is None
    for line in figure.table.splitlines():
        assert line.count("|") == 5
        assert "<" not in line
    assert "\x1b" not in figure.table + figure.light.read_text()
