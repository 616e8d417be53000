"""The rosters of a trial as a figure: which samples count, and which trial is shown."""

from pathlib import Path

import pytest

from wedged.catalog import by_code
from wedged.evidence import RunFolder, new_run
from wedged.facts.trial import Check, Lane, Observation, Trial
from wedged.guide.results import Results
from wedged.guide.roster_view import rosters_over_time


def roster(t: float, processes: int, **counts: object) -> Observation:
    return Observation(t, Lane.CLIENT, "rosters", "ses_1", {"processes": processes, **counts})


SEEN = (
    roster(0.1, 0, naive=1, right=1),
    roster(1.0, 2, naive=0, right=2),
    Observation(2.0, Lane.PROCESS, "server ended", "ses_1"),
    roster(2.1, 0),
    Observation(3.0, Lane.RECORDER, "restarted", "ses_1"),
    roster(3.5, 0, naive=0, right=0),
)


def results(tmp_path: Path, seen: tuple[Observation, ...], *, valid: bool = True) -> Results:
    folder = RunFolder.create(tmp_path / "run", new_run(1, {"made by": "a test"}))
    trial = Trial("W301", "v2@2.0.15", "right-restart", 1, (Check("it ran", valid),), (), 4.0)
    folder.add_trial(trial, seen)
    return Results(folder, by_code("W301"))


def test_the_truth_is_seen_also_while_no_client_can_see_it(tmp_path: Path) -> None:
    shown = rosters_over_time(results(tmp_path, SEEN), "right-restart", stem="rosters").markdown
    assert "the naive client misses up to 2 running shells" in shown
    assert "the right client differs from what runs in 0 of 3 samples" in shown
    rows = [line.strip() for line in shown.splitlines() if line.strip().startswith("| 2.") or "| 1.0" in line]
    assert rows == [
        "| 1.000 | 2 | 0 | 2 |  |",
        "| 2.000 | 2 | 0 | 2 | server ended |",
        "| 2.100 | 0 | 0 | 2 |  |",
    ]
    assert (tmp_path / "run" / "figures" / "rosters-dark.svg").is_file()


@pytest.mark.parametrize("case", ["invalid", "no rosters", "another arm"])
def test_without_such_a_trial_it_says_so(tmp_path: Path, case: str) -> None:
    seen = () if case == "no rosters" else SEEN
    arm = "trigger" if case == "another arm" else "right-restart"
    with pytest.raises(LookupError, match=f"no valid trial of {arm}"):
        rosters_over_time(results(tmp_path, seen, valid=case != "invalid"), arm, stem="rosters")
