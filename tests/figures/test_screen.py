"""A screen as a picture: its words are words, and nothing on it is markup."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from wedged.facts.screen import Cell, Screen
from wedged.figures import draw_screen

ALT = "A terminal on which a tool call still runs."
SVG = "{http://www.w3.org/2000/svg}"


def screen(*lines: str, ink: str = "default") -> Screen:
    width = max(map(len, lines), default=0)
    return Screen(tuple(tuple(Cell(c, ink) for c in line.ljust(width)) for line in lines))


def test_words_are_selectable_and_markup_is_text(tmp_path: Path) -> None:
    figure = draw_screen(
        screen("", "  <script>alert(1)</script> &", "   ok\x07"), alt=ALT, stem=tmp_path / "tui"
    )
    tree = ET.fromstring(figure.light.read_text())  # noqa: S314 - our own
    texts = ["".join(text.itertext()) for text in tree.iter(f"{SVG}text")]
    assert [text.strip() for text in texts] == ["<script>alert(1)</script> &", "ok?"]
    assert not list(tree.iter(f"{SVG}script"))
    assert figure.dark.read_bytes() == figure.light.read_bytes()
    assert figure.table.splitlines() == ["```text", "<script>alert(1)</script> &", " ok\x07", "```"]
    assert '??? abstract "The same as text"' in figure.markdown()


def test_colours_are_colours_or_nothing(tmp_path: Path) -> None:
    for ink, drawn in (("ff00AA", "#ff00aa"), ("red", "#e06c75"), ('"/><script>', "#d8d8d8")):
        figure = draw_screen(screen("x", ink=ink), alt=ALT, stem=tmp_path / "tui")
        assert f'fill="{drawn}">x<' in figure.light.read_text()


def test_an_empty_screen_is_no_picture(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing on the screen"):
        draw_screen(screen("   ", ""), alt=ALT, stem=tmp_path / "tui")
