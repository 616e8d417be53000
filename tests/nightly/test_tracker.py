"""One issue a class: opened on change, updated while red, closed on green; on a fake of the host's API."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from wedged.nightly.campaign_folder import begin
from wedged.nightly.comparing import compare
from wedged.nightly.comparison_document import document
from wedged.nightly.expectations import Seen, expectations
from wedged.nightly.steps import main
from wedged.nightly.tracker import LABEL
from wedged.nightly.work import Shard, WorkList

from .fake_host import TOKEN, FakeHost, fake_host
from .lines import HOLDS, NOT, OLD, UNSURE, line, seen

ROOT = Path(__file__).resolve().parents[2]
OTHER = "W102.no-event"
LINES = expectations([line(HOLDS, 10, 10), line(HOLDS, 10, 10, claim=OTHER)])
FINE = seen(HOLDS, 10, 10, claim=OTHER)
Out = pytest.CaptureFixture[str]


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHost]:
    with fake_host() as held:
        for name, value in {
            "API_URL": held.url,
            "REPOSITORY": "owner/name",
            "TOKEN": TOKEN,
            "SERVER_URL": "https://host.example",
            "RUN_ID": "42",
        }.items():
            monkeypatch.setenv(f"GITHUB_{name}", value)
        yield held


def night(place: Path, *verdicts: Seen) -> str:
    """A night with this comparison; its folder."""
    shards = tuple(Shard(code, "run", 7, code, (OLD,), 3) for code in ("W101", "W102"))
    begin(place, WorkList(1, "run", shards))
    (place / "comparison.json").write_text(json.dumps(document(compare(LINES, verdicts))))
    return str(place)


def test_opened_updated_and_closed(host: FakeHost, tmp_path: Path) -> None:
    red = night(tmp_path / "1", seen(NOT, 0, 10), FINE)
    assert main(ROOT, ["report", red]) == 0
    assert host.open == ["Nightly: W101 changed"]
    assert host.issues[0]["labels"] == [LABEL]
    body = str(host.issues[0]["body"])
    assert "gone: W101.stays-busy on v1@1.17.18" in body
    assert "before: holds 10/10 on v1@1.17.18, run run-1" in body
    assert "https://host.example/owner/name/actions/runs/42" in body

    main(ROOT, ["report", red])
    assert host.asked.count("POST /issues") == 1
    assert not [line for line in host.asked if line.startswith("PATCH")]

    main(ROOT, ["report", night(tmp_path / "2", seen(NOT, 0, 20), FINE)])
    assert "0/20" in str(host.issues[0]["body"])
    assert host.open == ["Nightly: W101 changed"]

    main(ROOT, ["report", night(tmp_path / "3", seen(HOLDS, 10, 10), FINE)])
    assert host.open == []
    assert host.comments == [(1, "As expected again: https://host.example/owner/name/actions/runs/42")]


def test_a_night_that_does_not_know_neither_opens_nor_closes_a_class_and_is_noticed(
    host: FakeHost, tmp_path: Path
) -> None:
    main(ROOT, ["report", night(tmp_path / "1", seen(NOT, 0, 10), FINE)])
    main(ROOT, ["report", night(tmp_path / "2", seen(UNSURE, 0, 10), FINE)])
    assert host.open == ["Nightly: W101 changed", "Nightly: the night does not know everything"]
    main(ROOT, ["report", night(tmp_path / "3", seen(HOLDS, 10, 10), FINE)])
    assert host.open == []


def test_the_fire_drill_opens_an_issue_and_the_next_night_closes_it(
    host: FakeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    green = night(tmp_path / "1", seen(HOLDS, 10, 10), FINE)
    monkeypatch.setenv("FIRE_DRILL", "true")
    main(ROOT, ["report", green])
    assert host.open == ["Nightly: fire drill"]
    monkeypatch.setenv("FIRE_DRILL", "")
    main(ROOT, ["report", green])
    assert host.open == []


def test_other_peoples_issues_and_twins_of_ours(host: FakeHost, tmp_path: Path) -> None:
    red = night(tmp_path / "1", seen(NOT, 0, 10), FINE)
    stranger = {"number": 1, "state": "open", "title": "mine", "body": "W101", "labels": [LABEL]}
    host.issues.append(stranger)
    main(ROOT, ["report", red])
    host.issues.append({**host.issues[1], "number": 3})
    main(ROOT, ["report", red])
    assert [issue["state"] for issue in host.issues] == ["open", "open", "closed"]
    assert stranger["state"] == "open"


def test_more_issues_than_one_page(host: FakeHost, tmp_path: Path) -> None:
    for number in range(1, 151):
        host.issues.append({"number": number, "state": "open", "title": "x", "body": "", "labels": [LABEL]})
    host.issues[140]["body"] = "<!-- wedged-nightly:W101 -->"
    main(ROOT, ["report", night(tmp_path / "1", seen(NOT, 0, 10), FINE)])
    assert "PATCH /issues/141" in host.asked
    assert "POST /issues" not in host.asked


def test_words_of_a_server_stay_in_the_fence(host: FakeHost, tmp_path: Path) -> None:
    nasty = seen(NOT, 0, 10)
    nasty = Seen(nasty.claim, nasty.server, NOT, 0, 10, "x", "run", "2026", "")
    made = document(compare(LINES, [nasty, FINE]))
    changes = made["changes"]
    assert isinstance(changes, list)
    changes[0]["why"] = "```\n@everyone\n\x1b[2J"
    place = night(tmp_path / "1", nasty, FINE)
    (tmp_path / "1/comparison.json").write_text(json.dumps(made))
    main(ROOT, ["report", place])
    body = str(host.issues[0]["body"])
    assert body.count("```") == 2
    assert "\x1b" not in body


def test_a_host_that_refuses_is_one_line_without_the_token(
    host: FakeHost, tmp_path: Path, capsys: Out
) -> None:
    host.fail = 500
    assert main(ROOT, ["report", night(tmp_path / "1", FINE)]) == 3
    said = capsys.readouterr().err
    assert said == "nightly report: the host answered 500 to GET /issues\n"


def test_a_dry_run_changes_nothing(host: FakeHost, tmp_path: Path, capsys: Out) -> None:
    assert main(ROOT, ["report", "--dry-run", night(tmp_path / "1", seen(NOT, 0, 10), FINE)]) == 0
    assert "open W101" in capsys.readouterr().out
    assert host.issues == []


def test_the_newest_artifact_that_is_still_there(
    host: FakeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    outputs = tmp_path / "outputs"
    monkeypatch.setenv("GITHUB_OUTPUT", str(outputs))
    assert main(ROOT, ["earlier", "night"]) == 0
    for day, run, expired in ((1, 11, False), (3, 13, True), (2, 12, False)):
        created = f"2026-11-0{day}T03:00:00Z"
        host.artifacts.append(
            {"name": "night", "expired": expired, "created_at": created, "workflow_run": {"id": run}}
        )
    main(ROOT, ["earlier", "night"])
    assert outputs.read_text() == "run=\nrun=12\n"
    assert capsys.readouterr().out == "\n12\n"


@pytest.mark.parametrize(
    ("hours", "conclusion", "state", "said"),
    [
        (5, "success", "built", ""),
        (5, "failure", "built", ""),
        (72, "success", "built", "72 hours ago"),
        (5, "timed_out", "built", "ended as timed_out"),
        (5, "success", "errored", "could not publish"),
    ],
)
def test_the_heartbeat(
    host: FakeHost, capsys: Out, hours: int, conclusion: str, state: str, said: str
) -> None:
    began = f"{datetime.now(UTC) - timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}"
    host.runs.append({"created_at": began, "conclusion": conclusion})
    host.pages = {"html_url": "https://owner.example/name", "status": state}
    assert main(ROOT, ["heartbeat"]) == int(bool(said))
    assert said in capsys.readouterr().err
    assert host.enabled == ["nightly.yml"]


def test_no_night_at_all_is_no_heartbeat(host: FakeHost, capsys: Out) -> None:
    host.pages = {}
    assert main(ROOT, ["heartbeat"]) == 1
    assert "no night has ever ended" in capsys.readouterr().err
