"""One claim and one shard on a real server, as a user and as a night run them."""

import json
from pathlib import Path

import pytest

from wedged.cli import main as wedged
from wedged.evidence import RunFolder
from wedged.nightly.campaign_folder import SHARDS
from wedged.nightly.drift import looked_at
from wedged.nightly.steps import main
from wedged.servers import InstalledServer

ROOT = Path(__file__).resolve().parents[2]
OLD = "v1@1.17.18"
Out = pytest.CaptureFixture[str]


@pytest.mark.server
def test_lab_run_judges_with_the_exit_codes_of_git_bisect(
    installed_v1: InstalledServer, tmp_path: Path, capsys: Out
) -> None:
    words = ["lab", "run", "W104", "--server", OLD, "--trials", "2", "--out", str(tmp_path / "run")]
    assert wedged([*words, "--expect", "gone", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["k"], said["as_expected"]) == ("holds", 2, False)
    folder = RunFolder.open(tmp_path / "run")
    assert {trial.arm for trial in folder.trials()} == {"control", "trigger"}
    assert all(folder.observations(trial) for trial in folder.trials())


@pytest.mark.server
def test_a_night_of_one_shard(installed_v1: InstalledServer, tmp_path: Path, capsys: Out) -> None:
    place = str(tmp_path)
    asked = ["--servers", OLD, "--classes", "W104", "--trials", "2", "--by-server"]
    assert main(ROOT, ["list", place, *asked]) == 0
    assert main(ROOT, ["run-shard", place, "W104-v1-1.17.18"]) == 0
    assert main(ROOT, ["drift", place]) == 0
    (shape,) = looked_at(tmp_path / "drift.json")
    assert (shape.server, shape.problem) == (OLD, "")
    assert main(ROOT, ["merge", place]) == 0
    assert RunFolder.open(tmp_path / SHARDS / "W104-v1-1.17.18").trials("W104", OLD)
    file = ["--expectations", str(tmp_path / "expectations.json")]
    shapes = ["--shapes", str(tmp_path / "drift.json")]
    assert wedged(["lab", "expect", str(tmp_path / "run"), *file, *shapes, "--accept"]) == 0
    assert main(ROOT, ["compare", place, *file]) == 0
    assert "as expected" in capsys.readouterr().out


def test_a_commit_that_does_not_build_is_skipped(tmp_path: Path, capsys: Out) -> None:
    words = ["lab", "run", "W104", "--server", "cmd:/nowhere/opencode", "--expect", "gone"]
    assert wedged(words) == 125
    assert wedged(words[:-2]) == 3
    assert "no such file" in capsys.readouterr().out


def test_an_error_of_our_own_is_never_a_bad_commit(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("wedged.nightly.one_claim.ask", broken)
    assert wedged(["lab", "run", "W104", "--server", OLD, "--expect", "gone"]) == 125
    assert "a defect" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "W999", "--server", OLD], "W999"),
        (["run", "W104.no-such", "--server", OLD], "no claim"),
        (["run", "W104", "--server", "nonsense"], "not a server spec"),
        (["bisect", "W104", "--good", "v1@latest", "--bad", OLD, "--state", "x"], "two releases of one kind"),
        (["bisect", "W104", "--good", "v2@2.0.15", "--bad", OLD, "--state", "x"], "two releases of one kind"),
    ],
)
def test_bad_requests_are_one_line(words: list[str], said: str, capsys: Out) -> None:
    assert wedged(["lab", *words]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1


def test_the_verbs_have_help(capsys: Out) -> None:
    for verb in ("run", "matrix", "bisect", "expect"):
        assert wedged(["lab", verb, "--help"]) == 0
        assert "Exit codes" in capsys.readouterr().out
