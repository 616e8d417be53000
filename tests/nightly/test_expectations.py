"""The reviewed file, and what accepting a run does to it."""

import difflib
from pathlib import Path

import pytest

from wedged.errors import EvidenceError
from wedged.facts.trial import Verdict
from wedged.nightly.comparing import accept
from wedged.nightly.drift import Shape
from wedged.nightly.expectations import (
    expectations,
    read_expectations,
    read_shapes,
    write_expectations,
)

from .lines import FLAKY, HOLDS, NEW, NOT, OLD, UNSURE, line, seen


def test_it_comes_back_as_it_was_a_line_each_and_sorted(tmp_path: Path) -> None:
    path = tmp_path / "expectations.json"
    newer, older = line(HOLDS, 10, 10, "v1@1.17.18"), line(NOT, 0, 3, "v1@1.2.27")
    write_expectations(path, [newer, older])
    assert list(read_expectations(path).values()) == [older, newer]
    assert len(path.read_text().splitlines()) == 6


def test_a_reviewer_sees_one_changed_line_for_one_change(tmp_path: Path) -> None:
    path = tmp_path / "expectations.json"
    write_expectations(path, [line(HOLDS, 10, 10, server) for server in (OLD, NEW)])
    before = path.read_text().splitlines()
    run = [seen(HOLDS, 3, 3, OLD), seen(NOT, 0, 10, NEW)]
    write_expectations(path, accept(read_expectations(path), run).values())
    diff = difflib.unified_diff(before, path.read_text().splitlines(), n=0, lineterm="")
    changed = [text for text in diff if text[0] in "+-" and not text.startswith(("+++", "---"))]
    assert [text[0] for text in changed] == ["-", "+"]
    assert '"does-not-hold"' in changed[1]


def test_the_same_verdict_from_more_trials_is_taken_and_from_fewer_is_not() -> None:
    held = expectations([line(HOLDS, 3, 3)])
    assert accept(held, [seen(HOLDS, 2, 2)]) == held
    assert accept(held, [seen(HOLDS, 10, 10)])["W101.stays-busy", OLD].n == 10


def test_accepting_never_forgets_what_was_known() -> None:
    held = expectations([line(HOLDS, 10, 10)])
    assert accept(held, [seen(UNSURE, 0, 4)]) == held
    assert accept({}, [seen(UNSURE, 0, 4)])["W101.stays-busy", OLD].why == "a reason"


@pytest.mark.parametrize(
    ("held", "few", "enough"),
    [
        ((HOLDS, 3, 3), (NOT, 0, 2), (NOT, 0, 3)),
        ((FLAKY, 1, 2), (NOT, 0, 2), (NOT, 0, 40)),
        ((FLAKY, 1, 2), (HOLDS, 2, 2), (HOLDS, 40, 40)),
    ],
)
def test_accepting_takes_no_change_from_too_few_trials(
    held: tuple[Verdict, int, int], few: tuple[Verdict, int, int], enough: tuple[Verdict, int, int]
) -> None:
    before = expectations([line(*held)])
    assert accept(before, [seen(*few)]) == before
    assert accept(before, [seen(*enough)])["W101.stays-busy", OLD].verdict is enough[0]


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema":2,"expected":[]}', '{"schema":1,"expected":[{"claim":1}]}']
)
def test_a_file_that_is_none_is_one_clear_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "expectations.json"
    path.write_text(text)
    with pytest.raises(EvidenceError, match=r"expectations\.json"):
        read_expectations(path)


def test_one_thing_said_twice_is_refused() -> None:
    with pytest.raises(EvidenceError, match="twice"):
        expectations([line(HOLDS, 10, 10), line(NOT, 0, 10)])


def test_the_shapes_that_were_reviewed_stay_where_only_lines_change(tmp_path: Path) -> None:
    path = tmp_path / "expectations.json"
    shape = Shape(OLD, "v1", "aa", "bb")
    write_expectations(path, [line(HOLDS, 10, 10)], [shape])
    write_expectations(path, [line(NOT, 0, 10)])
    assert read_shapes(path) == (shape,)


def test_no_file_is_no_expectation(tmp_path: Path) -> None:
    assert read_expectations(tmp_path / "none.json") == {}
