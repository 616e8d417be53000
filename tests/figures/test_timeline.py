"""The timeline: the same bytes each time, words kept as words, and never without its sentence."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wedged.facts.trial import Lane, Observation
from wedged.figures import Figure, Strip, draw_timeline
from wedged.figures.spans import spans

ALT = "The control ends after 0.3 s, the trigger does not end."
SVG = "{http://www.w3.org/2000/svg}"

CONTROL = (
    Observation(0.0, Lane.CLIENT, "prompt", "ses"),
    Observation(0.01, Lane.STATUS, "busy", "ses"),
    Observation(0.2, Lane.PART, "running", "ses", {"part": "prt_1"}),
    Observation(0.25, Lane.PART, "completed", "ses", {"part": "prt_1"}),
    Observation(0.3, Lane.STATUS, "idle", "ses"),
)
TRIGGER = (*CONTROL[:3], Observation(0.21, Lane.ASK, "permission.asked", "ses", {"ask": "per_1"}))


def draw(folder: Path, **changes: object) -> Figure:
    strips = [
        Strip("control", CONTROL, 2.0),
        Strip("trigger", TRIGGER, 2.0, stuck_from=0.21, fault=(0.2, 0.21)),
    ]
    return draw_timeline(strips, alt=str(changes.get("alt", ALT)), stem=folder / "w101")


def words_in(path: Path) -> list[str]:
    return ["".join(e.itertext()).strip() for e in ET.parse(path).iter(f"{SVG}text")]  # noqa: S314


def test_the_same_strips_are_the_same_bytes(tmp_path: Path) -> None:
    one, two = draw(tmp_path / "one"), draw(tmp_path / "two")
    assert one.light.read_bytes() == two.light.read_bytes()
    assert one.dark.read_bytes() == two.dark.read_bytes()
    assert one.light.read_bytes() != one.dark.read_bytes()


def test_light_and_dark_differ_in_colour_only(tmp_path: Path) -> None:
    figure = draw(tmp_path)
    bare = [
        re.sub(r"#[0-9a-f]{6}|\b[hmp][0-9a-f]{10}\b", "", p.read_text()) for p in (figure.light, figure.dark)
    ]
    assert bare[0] == bare[1]


def test_words_stay_words_and_the_sentence_is_inside(tmp_path: Path) -> None:
    figure = draw(tmp_path)
    root = ET.parse(figure.light).getroot()  # noqa: S314
    assert root.findtext(f"{SVG}title") == "control / trigger"
    assert root.findtext(f"{SVG}desc") == ALT
    words = words_in(figure.light)
    assert {"control", "trigger", "tool calls", "asks", "seconds since the prompt"} <= set(words)
    assert "stuck, and open-ended →" in words
    text = figure.light.read_text()
    assert "sans-serif" in text
    assert not re.search(r"<(?:image|script|foreignObject)|href=\"(?!#)", text)


def test_only_what_has_not_ended_is_hatched(tmp_path: Path) -> None:
    hatched = draw(tmp_path / "a").light.read_text()
    assert "<pattern" in hatched
    calm = draw_timeline([Strip("control", CONTROL, 2.0)], alt=ALT, stem=tmp_path / "b")
    assert "<pattern" not in calm.light.read_text()
    assert not any("stuck" in word for word in words_in(calm.light))


@pytest.mark.parametrize(
    "alt", ["", " ", "Timeline.", "A sentence without its end", "Two lines\nof it here.", "A [b](c) d e."]
)
def test_without_a_sentence_nothing_is_drawn(tmp_path: Path, alt: str) -> None:
    with pytest.raises(ValueError, match="alt sentence"):
        draw(tmp_path, alt=alt)
    assert list(tmp_path.iterdir()) == []


def test_a_strip_must_end_after_the_prompt(tmp_path: Path) -> None:
    for strips in ([], [Strip("control", CONTROL, 0.0)]):
        with pytest.raises(ValueError, match="at least one strip"):
            draw_timeline(strips, alt=ALT, stem=tmp_path / "x")


def test_the_table_says_what_the_picture_shows(tmp_path: Path) -> None:
    table = draw(tmp_path).table
    assert table.splitlines()[1] == "|---:|---|---|---|---|"
    assert "| 0.210 | trigger | ask | permission.asked | ask per&#95;1 |" in table
    assert len(table.splitlines()) == 2 + len(CONTROL) + len(TRIGGER)


def test_a_row_of_heartbeats_is_one_row_and_long_lists_say_what_they_left_out(tmp_path: Path) -> None:
    beats = tuple(Observation(float(i), Lane.EVENT, "server.heartbeat") for i in range(10))
    many = tuple(Observation(i / 100, Lane.EVENT, f"event {i}") for i in range(200))
    table = draw_timeline([Strip("a", beats, 10), Strip("b", many, 10)], alt=ALT, stem=tmp_path / "x").table
    assert "| 0.000 to 9.000 | a | event | server.heartbeat (10 times) |  |" in table
    assert "140 more rows in the raw data" in table


def test_a_flood_of_observations_stays_a_small_picture(tmp_path: Path) -> None:
    flood = tuple(Observation(i / 2000, Lane.EVENT, f"event {i}") for i in range(20_000))
    figure = draw_timeline([Strip("flood", flood, 10.0)], alt=ALT, stem=tmp_path / "x")
    assert figure.light.stat().st_size < 150_000


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60))
def test_untrusted_words_are_shown_and_nothing_else(tmp_path: Path, words: str) -> None:
    hostile = words + "</text><script>x</script>$\\frac$|\x1b[31m\u202e"
    seen = (Observation(0.5, Lane.CLIENT, hostile, hostile, {hostile: hostile, "status": hostile}),)
    figure = draw_timeline([Strip(hostile, seen, 1.0)], alt=ALT, stem=tmp_path / "x")
    root = ET.parse(figure.light).getroot()  # noqa: S314
    assert root.find(f".//{SVG}script") is None
    for line in figure.table.splitlines()[2:]:
        assert line.count("|") == 6
        assert "<" not in line
    assert "\x1b" not in figure.table + figure.light.read_text()


def test_spans_open_and_close_by_thing() -> None:
    found = spans(TRIGGER)
    assert [(s.lane, s.word, s.end) for s in found] == [
        (Lane.ASK, "asked", None),
        (Lane.PART, "running", None),
        (Lane.STATUS, "busy", None),
    ]
    assert [s.end for s in spans(CONTROL)] == [0.25, 0.3]
