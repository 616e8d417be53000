"""A bundle of a database that a server has left, and of nothing that can be looked at."""

import json
import zipfile
from pathlib import Path

import pytest
from tests.bundle.planted import CANARIES, HOME, HOST, SERVER_PASSWORD, USER, WORDS
from tests.observe.database.stores import PREVIEW, RELEASED, V1, stamps, unpack

from wedged.bundle import read_manifest
from wedged.cli import main

Out = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", [V1, PREVIEW, RELEASED])
def test_doctor_finds_the_same_in_the_bundle_as_in_the_file(name: str, tmp_path: Path, capsys: Out) -> None:
    made = unpack(name, tmp_path)
    before = stamps(made.path)
    bundle = tmp_path / "b.zip"
    assert main(["bundle", str(made.path), "-o", str(bundle)]) == 0
    assert stamps(made.path) == before
    capsys.readouterr()
    found = []
    for target in (made.path, bundle):
        assert main(["doctor", str(target), "--json"]) == 1
        tree = json.loads(capsys.readouterr().out)
        assert {finding.pop("age_s") is None for finding in tree["findings"]}
        found.append(tree)
    assert found[0]["findings"] == found[1]["findings"]
    assert [gap["what"] for gap in found[0]["unknown"]] == [gap["what"] for gap in found[1]["unknown"]]


def test_what_is_in_it_and_what_is_said_to_be_missing(tmp_path: Path, capsys: Out) -> None:
    made = unpack(V1, tmp_path)
    log = made.path.parent / "log"
    log.mkdir()
    asking = made.sessions["asking"]
    (log / "opencode.log").write_text(f"timestamp=2026-11-29T19:50:36Z message=loop session.id={asking}\n")
    bundle = tmp_path / "b.zip"
    assert main(["bundle", str(made.path), "-o", str(bundle), "--markdown"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("### Description\n")
    assert "W101" in out
    assert "b.zip is written" in err
    with zipfile.ZipFile(bundle) as archive:
        database = json.loads(archive.read("database.json"))
        assert f"session.id={asking}" in archive.read(f"sessions/{asking}/log.txt").decode()
        assert archive.read("report.md").decode() == out
    assert database["rows"]["session"] == len(made.sessions)
    assert database["openers"] == []
    assert database["schema_known"] is True
    gaps = {gap.what for gap in read_manifest(bundle).gaps}
    assert "statuses, asks and config" in gaps


def test_no_canary_of_a_log_is_in_the_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", HOME)
    monkeypatch.setenv("USER", USER)
    monkeypatch.setenv("X_PASSWORD", SERVER_PASSWORD)
    monkeypatch.setattr("platform.node", lambda: HOST)
    made = unpack(RELEASED, tmp_path)
    (made.path.parent / "log").mkdir()
    head = f"timestamp=2026-11-29T19:50:36Z session={made.sessions['asking']}"
    lines = [f"{head} {one}" for one in (*(canary.text for canary in CANARIES), *WORDS)]
    # A line that is cut ends in the middle of what stands there.
    long = [f"{'y' * room} {SERVER_PASSWORD}" for room in range(980, 1004)]
    (made.path.parent / "log" / "opencode.log").write_text("\n".join([*lines, *long]))
    bundle = tmp_path / "b.zip"
    assert main(["bundle", str(made.path), "-o", str(bundle)]) == 0
    with zipfile.ZipFile(bundle) as archive:
        text = "\n".join(archive.read(name).decode() for name in archive.namelist())
    assert [one.kind for one in CANARIES if any(secret in text for secret in one.secrets)] == []
    assert [one for one in WORDS if one not in text] == []
    assert SERVER_PASSWORD[:6] not in text


def test_a_file_that_is_no_database_makes_no_bundle_without_a_word(tmp_path: Path, capsys: Out) -> None:
    """What could be collected is there all the same, and the exit code says that the look is missing."""
    path = tmp_path / "opencode.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\x00" * 50)
    bundle = tmp_path / "b.zip"
    assert main(["bundle", str(path), "-o", str(bundle)]) == 3
    assert "cut short" in capsys.readouterr().out
    assert main(["doctor", str(bundle)]) == 3
    err = capsys.readouterr().err
    assert "is a bundle without a look" in err
    assert "cut short" in err


def test_without_a_target_it_is_the_local_database_that_no_server_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setattr("wedged.cli.target.USUAL", "http://127.0.0.1:9")
    monkeypatch.setattr("wedged.cli.target.ALSO_USUAL", ())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert main(["bundle"]) == 3
    assert "cannot connect" in capsys.readouterr().err
    assert list(tmp_path.glob("*.zip")) == []
    made = unpack(V1, tmp_path)
    (tmp_path / "data").mkdir()
    made.path.parent.rename(tmp_path / "data" / "opencode")
    assert main(["bundle"]) == 0
    (bundle,) = tmp_path.glob("wedged-bundle-*.zip")
    assert main(["doctor", str(bundle)]) == 1


EXPORTS = sorted((Path(__file__).parents[1] / "data" / "exports").glob("*.json"))


@pytest.mark.parametrize("export", EXPORTS, ids=lambda path: path.stem)
def test_an_export_reads_the_same_too(export: Path, tmp_path: Path, capsys: Out) -> None:
    bundle = tmp_path / "b.zip"
    assert main(["bundle", str(export), "-o", str(bundle)]) == 0
    capsys.readouterr()
    found = []
    for target in (export, bundle):
        code = main(["doctor", str(target), "--json"])
        tree = json.loads(capsys.readouterr().out)
        kept = [
            (one["code"], one["subject"], one["confidence"], one["candidates"]) for one in tree["findings"]
        ]
        found.append((code, kept, [gap["what"] for gap in tree["unknown"]]))
    assert found[0] == found[1]


def test_there_are_exports_to_read() -> None:
    assert EXPORTS
