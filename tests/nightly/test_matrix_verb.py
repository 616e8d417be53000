"""``wedged lab matrix``: `latest` is resolved, a new release is a new column, what is done is not redone."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from wedged.cli import main
from wedged.facts.server import ServerSpec
from wedged.nightly.spreading import Done, whole
from wedged.nightly.work import Shard

from .folders import CODE, NEW, OLD, night

NEWEST = "v1@1.19.0"
Out = pytest.CaptureFixture[str]


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The shards that were done, without a server: the class is there before 1.19.0 and gone in it."""
    ids: list[str] = []

    def spread(shards: Sequence[Shard], into: Path, *_: Any, **__: Any) -> Iterator[Done]:
        for shard in shards:
            place = into / shard.id
            if not whole(place):
                ids.append(shard.id)
                (server,) = shard.servers
                night(place, {server: server != NEWEST}, run=shard.run)
            yield Done(shard, place)

    def resolve(spec: ServerSpec) -> ServerSpec:
        return ServerSpec.parse(NEWEST) if spec.floating else spec

    monkeypatch.setattr("wedged.nightly.spreading.spread", spread)
    monkeypatch.setattr("wedged.servers.resolve", resolve)
    return ids


def test_a_new_release_is_a_new_column_and_a_change(tmp_path: Path, done: list[str], capsys: Out) -> None:
    file = ["--expectations", str(tmp_path / "expectations.json")]
    first = ["lab", "matrix", "--classes", CODE, "--servers", f"{OLD} {NEW}", "--out", str(tmp_path / "1")]
    assert main([*first, *file]) == 1
    assert main(["lab", "expect", str(tmp_path / "1/run"), *file, "--accept"]) == 0
    assert main([*first, *file]) == 0
    assert done == ["W104-v1-1.17.18", "W104-v1-1.18.34"]
    capsys.readouterr()

    second = ["lab", "matrix", "--classes", CODE, "--out", str(tmp_path / "2")]
    assert main([*second, "--servers", f"{NEW} v1@latest", *file]) == 1
    out = capsys.readouterr().out
    assert f"GONE: {CODE}.stays-listed on {NEWEST} (between {NEW} and {NEWEST})" in out
    assert f"W104  {NEWEST}" in out
    assert done[2:] == ["W104-v1-1.18.34", "W104-v1-1.19.0"]


def test_only_the_defining_claim(tmp_path: Path, done: list[str], capsys: Out) -> None:
    words = ["lab", "matrix", "--classes", CODE, "--servers", OLD, "--out", str(tmp_path / "1"), "--defining"]
    assert main([*words, "--expectations", str(tmp_path / "none.json")]) == 1
    assert f"{CODE}.stays-listed" in capsys.readouterr().out
    assert done


def test_another_matrix_in_the_same_folder_is_refused(tmp_path: Path, done: list[str], capsys: Out) -> None:
    words = ["lab", "matrix", "--classes", CODE, "--out", str(tmp_path / "1")]
    main([*words, "--servers", OLD])
    assert main([*words, "--servers", NEW]) == 2
    assert "name a new folder" in capsys.readouterr().err
