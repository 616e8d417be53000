"""``wedged lab bisect`` on releases that are invented: it finds the pair, goes on after a kill, merges."""

import json
from pathlib import Path

import pytest

from wedged.cli import main
from wedged.evidence import RunFolder
from wedged.facts.server import ServerSpec
from wedged.nightly.bisect_folder import STATE
from wedged.nightly.work import Shard

from .folders import CODE, night

RELEASES = tuple(f"v1@1.0.{n}" for n in range(9))
WORDS = ["lab", "bisect", CODE, "--good", RELEASES[-1], "--bad", RELEASES[0]]
FIXED_IN = 5
Out = pytest.CaptureFixture[str]


class Killed(Exception):
    """As if the process had gone."""


class Bench:
    """Measures without a server; is killed after `patience` releases."""

    def __init__(self, patience: int = 99) -> None:
        self.patience, self.measured = patience, list[str]()

    def __call__(self, shard: Shard, into: Path, announce: object) -> RunFolder:
        if len(self.measured) == self.patience:
            raise Killed
        (server,) = shard.servers
        self.measured.append(server)
        night(into, {server: RELEASES.index(server) < FIXED_IN}, run=shard.run, trials=shard.trials)
        return RunFolder.open(into)


@pytest.fixture(autouse=True)
def _releases(monkeypatch: pytest.MonkeyPatch) -> None:
    specs = tuple(map(ServerSpec.parse, RELEASES))
    monkeypatch.setattr("wedged.nightly.registry.published_between", lambda *_: specs)


def test_found_in_a_few_steps_and_published_as_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    bench = Bench()
    monkeypatch.setattr("wedged.nightly.one_shard.do_shard", bench)
    assert main([*WORDS, "--state", str(tmp_path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["between"] == ["v1@1.0.4", "v1@1.0.5"]
    assert said["sentence"] == "present in v1@1.0.4, fixed in v1@1.0.5"
    assert len(bench.measured) == len(set(bench.measured)) <= 6
    merged = RunFolder.open(tmp_path / "run")
    assert {cell.server for cell in merged.cells(CODE)} == set(bench.measured)


def test_killed_and_called_again_it_goes_on_and_measures_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    first, second = Bench(patience=3), Bench()
    monkeypatch.setattr("wedged.nightly.one_shard.do_shard", first)
    assert main([*WORDS, "--state", str(tmp_path)]) == 3
    monkeypatch.setattr("wedged.nightly.one_shard.do_shard", second)
    assert main([*WORDS, "--state", str(tmp_path)]) == 0
    assert not set(first.measured) & set(second.measured)
    assert "fixed in v1@1.0.5" in capsys.readouterr().out
    # A third time there is nothing left to do.
    third = Bench(patience=0)
    monkeypatch.setattr("wedged.nightly.one_shard.do_shard", third)
    assert main([*WORDS, "--state", str(tmp_path)]) == 0


def test_another_search_in_the_same_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setattr("wedged.nightly.one_shard.do_shard", Bench())
    main([*WORDS, "--state", str(tmp_path)])
    assert main([*WORDS, "--state", str(tmp_path), "--trials", "9"]) == 2
    assert "another search" in capsys.readouterr().err
    (tmp_path / STATE).write_text("{}")
    assert main([*WORDS, "--state", str(tmp_path)]) == 3


def test_ends_that_do_not_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    monkeypatch.setattr("wedged.nightly.one_shard.do_shard", Bench())
    monkeypatch.setattr(f"{__name__}.FIXED_IN", 99)
    assert main([*WORDS, "--state", str(tmp_path)]) == 3
    assert "no change between the two ends" in capsys.readouterr().out
