"""The steps of a night as scripts/nightly runs them, on nights that were made by hand."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wedged.cli import main as wedged
from wedged.evidence import RunFolder
from wedged.nightly.campaign_folder import SHARDS, begin, merge_shards
from wedged.nightly.expectations import read_expectations
from wedged.nightly.steps import main
from wedged.nightly.work import Shard, WorkList, decode_work, shard_id

from .folders import CODE, NEW, OLD, night

ROOT = Path(__file__).resolve().parents[2]
Out = pytest.CaptureFixture[str]


def begun(place: Path, shows: dict[str, bool | None], run: str = "night-1") -> Path:
    """A night with a shard a server, all done, each with its server's trials."""
    shards = tuple(Shard(shard_id(CODE, s), run, 7, CODE, (s,), 3) for s in shows)
    begin(place, WorkList(1, run, shards))
    for shard in shards:
        server = shard.servers[0]
        night(place / SHARDS / shard.id, {server: shows[server]}, run=run)
    return place


def test_the_script_lists_a_matrix_that_actions_can_read(tmp_path: Path) -> None:
    argv = [sys.executable, str(ROOT / "scripts/nightly"), "list", str(tmp_path / "n"), "--github"]
    servers = ["--servers", f"{OLD} {NEW}", "--classes", "W101,W103"]
    done = subprocess.run([*argv, *servers], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {
        "include": [{"shard": "W101", "code": "W101"}, {"shard": "W103", "code": "W103"}]
    }
    work = decode_work((tmp_path / "n/work.json").read_bytes())
    assert work.shards[0].servers == (OLD, NEW)
    assert work.shards[0].notebook


def test_a_list_that_is_there_goes_on_and_another_one_is_refused(tmp_path: Path, capsys: Out) -> None:
    words = ["list", str(tmp_path), "--servers", OLD, "--by-server", "--classes", CODE]
    assert main(ROOT, words) == 0
    first = (tmp_path / "work.json").read_bytes()
    assert main(ROOT, words) == 0
    assert (tmp_path / "work.json").read_bytes() == first
    assert main(ROOT, [*words, "--trials", "5"]) == 2
    assert "another run" in capsys.readouterr().err


def test_a_night_as_expected_then_gone_then_lost(tmp_path: Path, capsys: Out) -> None:
    file = str(tmp_path / "expectations.json")
    first = begun(tmp_path / "1", {OLD: True, NEW: True})
    assert main(ROOT, ["merge", str(first)]) == 0
    assert wedged(["lab", "expect", str(first / "run"), "--expectations", file, "--accept"]) == 0
    assert read_expectations(Path(file))[f"{CODE}.stays-listed", NEW].n == 3
    assert main(ROOT, ["compare", str(first), "--expectations", file]) == 0

    second = begun(tmp_path / "2", {OLD: True, NEW: False}, run="night-2")
    assert main(ROOT, ["merge", str(second), "--earlier", str(first / "run")]) == 0
    assert main(ROOT, ["compare", str(second), "--expectations", file]) == 1
    assert f"GONE: {CODE}.stays-listed on {NEW}" in capsys.readouterr().out
    told = json.loads((second / "comparison.json").read_text())
    assert {change["server"] for change in told["changes"]} == {NEW}

    third = begun(tmp_path / "3", {OLD: True, NEW: True}, run="night-3")
    shutil.rmtree(third / SHARDS / shard_id(CODE, NEW))
    assert main(ROOT, ["merge", str(third), "--earlier", str(second / "run")]) == 0
    # The lost shard's page keeps what the night before said, and the night itself says that it does not know.
    assert {cell.server: cell.run for cell in RunFolder.open(third / "run").cells(CODE)} == {
        OLD: "night-3",
        NEW: "night-2",
    }
    assert main(ROOT, ["compare", str(third), "--expectations", file]) == 3


def test_the_dead_mans_night_is_inconclusive_and_never_gone(tmp_path: Path, capsys: Out) -> None:
    file = str(tmp_path / "expectations.json")
    first = begun(tmp_path / "1", {OLD: True, NEW: True})
    main(ROOT, ["merge", str(first)])
    wedged(["lab", "expect", str(first / "run"), "--expectations", file, "--accept"])
    dead: list[dict[str, bool | None]] = [{OLD: None, NEW: None}, {OLD: False, NEW: False}]
    for number, shows in enumerate(dead):
        # Invalid trials (a dead model, a deaf recorder); or all healed, by a fault that does nothing.
        place = begun(tmp_path / f"dead-{number}", shows, run=f"dead-{number}")
        main(ROOT, ["merge", str(place), "--earlier", str(first / "run")])
        capsys.readouterr()
        assert main(ROOT, ["compare", str(place), "--expectations", file]) == 3
        assert "GONE" not in capsys.readouterr().out


def test_merging_twice_gives_the_same(tmp_path: Path) -> None:
    place = begun(tmp_path, {OLD: True, NEW: False})
    before = (merge_shards(place).path / "results.jsonl").read_bytes()
    assert (merge_shards(place).path / "results.jsonl").read_bytes() == before


def test_no_night_is_one_clear_line(tmp_path: Path, capsys: Out) -> None:
    assert main(ROOT, ["merge", str(tmp_path)]) == 3
    assert main(ROOT, ["compare", str(tmp_path)]) == 2
    assert "scripts/nightly list" in capsys.readouterr().err


def test_expect_prints_json_and_nothing_else(tmp_path: Path, capsys: Out) -> None:
    run = night(tmp_path / "run", {OLD: True})
    none = str(tmp_path / "none.json")
    assert wedged(["lab", "expect", str(run), "--expectations", none, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["counts"]["new on a new version"] >= 1
