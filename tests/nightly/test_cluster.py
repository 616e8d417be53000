"""The same shards on a Dask cluster of two worker processes, one of which is killed mid-run."""

import io
import os
import signal
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import LocalCluster

from wedged.errors import EvidenceError, UsageError
from wedged.nightly.cluster import Work, spread_over, unpack
from wedged.nightly.work import Shard, shard_id

from .folders import CODE

SHARDS = tuple(Shard(shard_id(CODE, f"v1@1.0.{n}"), "night", 7, CODE, (f"v1@1.0.{n}",), 3) for n in range(6))


def work(gate: Path | None = None) -> Work:
    """Makes a run folder without a server. With a gate, the first shard says who does it, and waits."""

    # Nested, so that it travels by value: a worker can't import a test.
    def do(data: bytes) -> bytes:
        import tempfile

        import msgspec

        from wedged.evidence import SCHEMA, RunFolder, RunRecord
        from wedged.nightly.cluster import packed
        from wedged.nightly.work import Shard
        from wedged.waiting import wait_for

        shard = msgspec.json.decode(data, type=Shard)
        if gate is not None and shard.servers[0] == "v1@1.0.0" and not (gate / "open").exists():
            (gate / f"{os.getpid()}.pid").touch()
            wait_for(lambda: (gate / "open").exists(), "the gate to open", 60)
        with tempfile.TemporaryDirectory() as place:
            folder = RunFolder.create(
                Path(place) / "run", RunRecord(SCHEMA, shard.run, shard.seed, "2026-11-28T03:00:00Z")
            )
            folder.not_run(shard.code, shard.servers[0], "made without a server")
            return packed(folder.path)

    return do


def tree(place: Path) -> dict[str, bytes]:
    """Every file below `place`."""
    return {str(p.relative_to(place)): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}


@pytest.fixture
def cluster() -> "Callable[[], LocalCluster]":
    return lambda: LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    )


@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_mid_run_changes_no_result(
    tmp_path: Path, cluster: "Callable[[], LocalCluster]"
) -> None:
    (tmp_path / "gate").mkdir()
    killed: list[int] = []
    with cluster() as running:
        for done in spread_over(SHARDS, tmp_path / "one", running.scheduler_address, work=work()):
            assert not done.error
        # The first shard to end is never the one that waits; by then, or soon, a worker holds that one.
        for done in spread_over(
            SHARDS, tmp_path / "two", running.scheduler_address, work=work(tmp_path / "gate")
        ):
            assert not done.error
            for held in (tmp_path / "gate").glob("*.pid"):
                if not killed:
                    killed.append(int(held.stem))
                    os.kill(killed[0], signal.SIGKILL)
                    (tmp_path / "gate/open").touch()
    assert killed
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert len(list((tmp_path / "two").iterdir())) == len(SHARDS)


def test_no_scheduler_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no Dask scheduler answers at tcp://127"):
        list(spread_over(SHARDS, tmp_path, "tcp://127.0.0.1:1", connect_s=0.5))


def test_a_notebook_does_not_go_to_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--by-server"):
        list(spread_over([replace(SHARDS[0], notebook=True)], tmp_path, "tcp://127.0.0.1:1"))


def test_what_comes_back_can_not_write_beside_its_folder(tmp_path: Path) -> None:
    for name in ("../out", "/out"):
        held = io.BytesIO()
        with tarfile.open(fileobj=held, mode="w:gz") as archive:
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
        with pytest.raises(EvidenceError, match="shard"):
            unpack(held.getvalue(), tmp_path / "a/shard")
    with pytest.raises(EvidenceError, match="can't be unpacked"):
        unpack(b"no archive", tmp_path / "a/shard")
    assert not [path for path in tmp_path.rglob("*") if path.name != "a"]
