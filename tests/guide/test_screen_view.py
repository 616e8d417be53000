"""What terminals drew, from a run folder alone."""

from pathlib import Path

import pytest

from wedged.catalog import by_code
from wedged.evidence import RunFolder, RunRecord
from wedged.facts.screen import Cell, Screen, as_rows, from_rows
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation, Outcome, Trial
from wedged.guide.results import Results
from wedged.guide.screen_view import drawn, screen

RECORD = RunRecord(1, "run", 7, "2026-01-02T03:04:05Z", {}, {})
SCREEN = Screen((tuple(Cell(c, "red") for c in "sleep 590"),))


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results(RunFolder.create(tmp_path / "run", RECORD), by_code("W201"))


def add(results: Results, arm: str, n: int, size: int, redraws: int, core: float) -> None:
    values: dict[str, object] = {"bytes_in_10_s": size, "redraws_in_10_s": redraws, "core": core}
    outcome = ClaimOutcome("W201.spinner-never-rests", Outcome.SYMPTOM, "", values)
    seen = Observation(1.0, Lane.CLIENT, "screen", "ses_1", {"rows": as_rows(SCREEN)})
    trial = Trial("W201", "v1@1.17.18", arm, n, (Check("rule", True),), (outcome,), 1.0)
    results.folder.add_trial(trial, (seen,))


def test_a_screen_survives_the_run_folder() -> None:
    assert from_rows(as_rows(SCREEN)) == SCREEN
    for broken in (None, 3, [["x"]], [[["a", "red"]]]):
        with pytest.raises(ValueError, match="no screen"):
            from_rows(broken)


def test_the_table_gives_medians_and_the_picture_words(results: Results) -> None:
    for n, size in enumerate((1000, 9000, 11000), 1):
        add(results, "screen", n, size, 120, 0.043)
    shown = drawn(results, {"screen": "stale", "screen-settled": "settled"}).markdown
    assert "| v1@1.17.18 | stale | 9,000 | 120 | 4.3% | 3 |" in shown
    assert "settled" not in shown
    picture = screen(results, "screen", stem="W201-screen").markdown
    assert "sleep 590" in picture
    assert "sleep 590" in (results.folder.figures / "W201-screen-light.svg").read_text()


def test_a_run_without_terminals_says_so(results: Results) -> None:
    assert "no terminal" in drawn(results, {"screen": "stale"}).markdown
    assert "no terminal" in screen(results, "screen", stem="W201-screen").markdown
