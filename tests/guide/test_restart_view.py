"""What a notebook shows of a restart: which server it picks, what its sentences say."""

from pathlib import Path

import pytest

from wedged.evidence import RunFolder, new_run
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation, Outcome, Trial
from wedged.guide.restart_view import asked_again, over_a_restart
from wedged.guide.results import Results

ARMS = {"restart-interrupt": "interrupted", "restart": "declined"}
HEALTHY, ILL = "v2@0.0.0-next-16350", "v2@2.0.15"


def seen(*later: Observation) -> tuple[Observation, ...]:
    return (
        Observation(0.0, Lane.CLIENT, "prompt", "ses_1"),
        Observation(0.2, Lane.MODEL, "request", "ses_1", {"request": 1}),
        Observation(1.0, Lane.STATUS, "idle", "ses_1"),
        Observation(2.0, Lane.PROCESS, "server ended", "ses_1"),
        Observation(3.0, Lane.RECORDER, "restarted", "ses_1"),
        *later,
    )


def add(folder: RunFolder, server: str, arm: str, n: int, requests: int) -> None:
    asked = Observation(4.5, Lane.MODEL, "request", "ses_1", {"request": 2})
    over = Observation(5.0, Lane.STATUS, "idle", "ses_1")
    outcome = ClaimOutcome("W103.x", Outcome.SYMPTOM, "", {"requests": requests})
    trial = Trial("W103", server, arm, n, (Check("ok", True),), (outcome,), 20.0)
    folder.add_trial(trial, seen(asked, over) if requests else seen())


@pytest.fixture
def results(tmp_path: Path) -> Results:
    folder = RunFolder.create(tmp_path / "run", new_run(1, {}))
    for server, asked in ((HEALTHY, 0), (ILL, 1)):
        for n in (1, 2):
            add(folder, server, "restart-interrupt", n, 0)
            add(folder, server, "restart", n, asked)
    return Results.of(folder, "W103")


def test_two_sessions_over_one_restart(results: Results) -> None:
    shown = over_a_restart(results, ARMS, stem="r").markdown
    assert f"2 sessions over one restart of {ILL}; interrupted: the model is not asked again;" in shown
    assert "declined: the model is asked again 2.5 s after its end." in shown
    elsewhere = over_a_restart(results, ARMS, stem="r", server=HEALTHY).markdown
    assert "declined: the model is not asked again." in elsewhere
    none = over_a_restart(results, {"crash": "crashed"}, stem="r").markdown
    assert none == "This run has no valid trial of crash over a restart.\n"
    assert asked_again(results, {"crash": "crashed"}, axis="asked again", stem="a").markdown == none


def test_how_often_it_was_asked_again(results: Results) -> None:
    shown = asked_again(results, ARMS, axis="asked again", stem="a").markdown
    assert f"asked again, {HEALTHY}. interrupted: 0 of 2; declined: 0 of 2." in shown
    assert f"asked again, {ILL}. interrupted: 0 of 2; declined: 2 of 2." in shown
    assert len(list(results.folder.figures.glob("*.svg"))) == 4
