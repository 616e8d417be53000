"""The storm as a figure, and the ways to lose an ask as a table."""

from pathlib import Path

from wedged.catalog import by_code
from wedged.evidence import RunFolder, new_run
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation, Outcome, Trial
from wedged.guide.results import Results
from wedged.guide.storm_view import storm_over_time, ways


def client(t: float, kind: str, **data: object) -> Observation:
    return Observation(t, Lane.CLIENT, kind, "ses", data)


SEEN = (
    Observation(0.5, Lane.ASK, "permission.asked", "ses", {"ask": "per"}),
    client(1.0, "dispose"),
    client(1.1, "naive answers", status=404),
    client(1.1, "reference answers", status=404),
    client(1.2, "dialogs", naive=1, reference=0, pending=0),
    client(1.5, "naive answers", status=404),
    client(2.0, "reloaded"),
    client(2.1, "dialogs", naive=0, reference=0, pending=0),
)


def results(tmp_path: Path, *trials: tuple[Trial, tuple[Observation, ...]]) -> Results:
    folder = RunFolder.create(tmp_path / "run", new_run(1, {"made by": "a test"}))
    for trial, seen in trials:
        folder.add_trial(trial, seen)
    return Results(folder, by_code("W102"))


def trial(server: str, arm: str, n: int = 1, **values: object) -> Trial:
    outcome = ClaimOutcome("W102.x", Outcome.SYMPTOM, "", values)
    return Trial("W102", server, arm, n, (Check("it ran", True),), (outcome,), 3.0)


def test_the_loudest_storm_is_drawn_and_each_is_counted(tmp_path: Path) -> None:
    quiet = tuple(o for o in SEEN if not o.kind.endswith("answers"))
    made = results(tmp_path, (trial("v2@2.0.15", "storm"), quiet), (trial("v1@1.17.18", "storm"), SEEN))
    shown = storm_over_time(made, "storm", stem="storm").markdown
    assert "on v1@1.17.18: no ask is pending" in shown
    assert "gets 2 answers of 404, the one that goes by the list 1." in shown
    assert "| v1@1.17.18 | 1 | 2 | 1 | 3.0 s |" in shown
    assert "| v2@2.0.15 | 1 | 0 | 0 | 3.0 s |" in shown
    assert (tmp_path / "run" / "figures" / "storm-dark.svg").is_file()
    rows = [line.strip() for line in shown.splitlines() if line.strip().startswith(("| 1.000", "| 2.000"))]
    assert rows == ["| 1.000 | 0 | 1 | 1 | disposed of |", "| 2.000 | 0 | 1 | 0 | reload |"]


def test_without_a_storm_it_says_so(tmp_path: Path) -> None:
    assert "no valid trial of storm" in storm_over_time(results(tmp_path), "storm", stem="s").markdown


def test_ways_side_by_side(tmp_path: Path) -> None:
    gone = {"event": "none", "call": "running", "listed": "no", "status": "busy", "reply": 404}
    made = results(
        tmp_path,
        (trial("v1@1.17.18", "trigger", 1, **gone), ()),
        (trial("v1@1.17.18", "trigger", 2, **gone | {"call": "error"}), ()),
        (trial("v1@1.17.18", "control", 1), ()),
    )
    shown = ways(made, {"trigger more": "disposed of", "global": "all"}).markdown
    row = "| disposed of | v1@1.17.18 | none | running (1 of 2), error (1 of 2) | no | busy | 404 |"
    assert f"{row}  |  |" in shown
    assert "- v1@1.17.18, not-run: the run holds no trial of arm global: all\n" in shown


def test_a_way_takes_its_facts_from_all_its_arms(tmp_path: Path) -> None:
    made = results(
        tmp_path,
        (trial("v1@1.17.18", "trigger", event="none", listed="no", reply=404), ()),
        (trial("v1@1.17.18", "then", event="none", listed="no", restart="as before"), ()),
        (trial("v1@1.17.18", "bystander", bystander="ran to its end"), ()),
        (trial("v1@1.17.18", "run", status="none of these"), ()),
    )
    shown = ways(made, {"trigger then bystander run": "disposed of"}).markdown
    assert "| disposed of | v1@1.17.18 | none |  | no |  | 404 | as before | ran to its end |" in shown
