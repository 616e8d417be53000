"""Nights follow each other in one file; pages are made of it; ten years of them are no burden."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from wedged.errors import EvidenceError
from wedged.facts.trial import ClassState
from wedged.guide.history import Night, decode_nights, encode_nights, history_page
from wedged.nightly.drift import SHAPES, Shape, encode_shapes
from wedged.nightly.history import add_nights
from wedged.nightly.steps import main

from .folders import CODE, NEW, OLD
from .test_steps import ROOT, begun

CLASSES = (("W101", "W101-x"), ("W104", "W104-y"))


def made(day: int, state: ClassState, *flaky: str, heal: float | None = None) -> Night:
    """One night of W101."""
    return Night(f"run-{day}", f"2026-11-{day:02d}T03:00:00Z", "W101", OLD, state, 3, 3, heal, flaky)


def test_a_night_appends_and_a_repeated_step_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    assert add_nights(path, [made(1, ClassState.PRESENT)]) == 1
    before = path.read_bytes()
    assert add_nights(path, [made(1, ClassState.PRESENT), made(2, ClassState.GONE)]) == 1
    assert path.read_bytes().startswith(before)
    assert decode_nights(path.read_bytes()) == [made(1, ClassState.PRESENT), made(2, ClassState.GONE)]


def test_a_killed_writer_leaves_a_history_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    add_nights(path, [made(1, ClassState.PRESENT)])
    path.write_bytes(path.read_bytes() + b'{"run":"half')
    assert add_nights(path, [made(2, ClassState.GONE)]) == 1
    assert len(decode_nights(path.read_bytes())) == 2


def test_a_line_that_is_none_is_named() -> None:
    data = encode_nights([made(1, ClassState.PRESENT)]) + b"{}\n"
    with pytest.raises(EvidenceError, match=r"history\.jsonl, line 2"):
        decode_nights(data)


def test_the_page_has_class_by_night_time_to_heal_and_the_flake_ledger() -> None:
    nights = [
        made(1, ClassState.PRESENT, heal=0.5),
        made(2, ClassState.FLAKY, "W101.x", heal=1.5),
        made(3, ClassState.GONE, "W101.x"),
        replace(made(3, ClassState.GONE), code="W104", started="2026-11-03T04:30:00Z"),
    ]
    page = history_page(nights, CLASSES)
    assert "| [W101](classes/W101-x.md) | ● | ◐ | ○ |" in page
    assert "| [W104](classes/W104-y.md) |  |  | ○ |" in page
    assert "| 2026-11 | 2/3 | 0/1 |" in page
    assert "| W101 | 2026 | 1.00 s | 1.50 s | 2 |" in page
    assert f"| W101.x | {OLD} | 2 | 2026-11-02 | 2026-11-03 |" in page
    assert "No night is recorded yet" in history_page([], CLASSES)


def test_from_night_to_night_to_the_site(tmp_path: Path) -> None:
    first = begun(tmp_path / "1", {OLD: True, NEW: True})
    second = begun(tmp_path / "2", {OLD: True, NEW: False}, run="night-2")
    for place, earlier in ((first, tmp_path / "none"), (second, first)):
        assert main(ROOT, ["merge", str(place), "--earlier", str(earlier / "run")]) == 0
        assert main(ROOT, ["history", str(place), "--earlier", str(earlier / "history.jsonl")]) == 0
    lines = [json.loads(text) for text in (second / "history.jsonl").read_text().splitlines()]
    assert [(one["run"], one["server"], one["state"]) for one in lines] == [
        ("night-1", OLD, "present"),
        ("night-1", NEW, "present"),
        ("night-2", OLD, "present"),
        ("night-2", NEW, "gone"),
    ]
    assert lines[0]["code"] == CODE
    (second / SHAPES).write_bytes(encode_shapes([Shape("v1@1.99.0", "v1", "new", "new")]))
    assert main(ROOT, ["render", str(second), "--site", str(tmp_path / "site")]) == 0
    matrix = (tmp_path / "site/matrix.html").read_text()
    assert matrix.index("v1@1.99.0: the part of its API") < matrix.index("<table>")
    assert "The last 2 nights" in (tmp_path / "site/history.html").read_text()
    assert "wedged-age" in (tmp_path / "site/matrix.html").read_text()


def test_lines_come_back_as_they_were() -> None:
    nights = [made(1, ClassState.FLAKY, "W101.x", heal=0.25), made(2, ClassState.ABSENT)]
    assert decode_nights(encode_nights(nights)) == nights
