"""Shards in processes of their own: one that dies costs no other, and what is done is not done again."""

import sys
from pathlib import Path

import psutil

from wedged.evidence import RunFolder
from wedged.nightly.campaign_folder import SHARDS, begin, lost
from wedged.nightly.spreading import jobs_here, spread
from wedged.nightly.work import Shard, WorkList, shard_id
from wedged.waiting import wait_for

from .folders import CODE, NEW, OLD

# A worker that kills itself where the shard asks for the server 0.0.0, and else leaves a run folder.
WORKER = """
import os, signal, sys
from pathlib import Path
import msgspec
from wedged.evidence import SCHEMA, RunFolder, RunRecord
from wedged.waiting import wait_for
from wedged.nightly.work import Shard
shard = msgspec.json.decode(sys.stdin.buffer.read(), type=Shard)
print("at work", file=sys.stderr, flush=True)
if shard.servers[0] == "v1@0.0.0":
    os.kill(os.getpid(), signal.SIGKILL)
if shard.servers[0] == "v1@9.9.9":
    Path(sys.argv[1]).with_suffix(".pid").write_text(str(os.getpid()))
    signal.pause()
folder = RunFolder.create(Path(sys.argv[1]), RunRecord(SCHEMA, shard.run, 7, "2026-11-28T03:00:00Z"))
folder.not_run(shard.code, shard.servers[0], f"made by {os.getpid()}")
"""


def shards(*servers: str) -> tuple[Shard, ...]:
    """One shard a server."""
    return tuple(Shard(shard_id(CODE, one), "night", 7, CODE, (one,), 3) for one in servers)


def test_a_shard_that_dies_costs_no_other_and_only_it_is_done_again(tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    work = shards(OLD, "v1@0.0.0", NEW)
    begin(tmp_path, WorkList(1, "night", work))
    said: list[str] = []

    def again() -> dict[str, str]:
        ended = spread(work, tmp_path / SHARDS, 2, said.append, worker=(sys.executable, str(script)))
        return {done.shard.servers[0]: done.error for done in ended}

    first = again()
    assert first[OLD] == first[NEW] == ""
    assert first["v1@0.0.0"] == "W104-v1-0.0.0: its process ended with signal 9: at work"
    assert lost(tmp_path, WorkList(1, "night", work)) == ("W104-v1-0.0.0",)
    assert said.count("W104-v1-1.17.18: at work") == 1
    makers = [_maker(tmp_path, server) for server in (OLD, NEW)]
    again()
    assert [_maker(tmp_path, server) for server in (OLD, NEW)] == makers
    assert said.count("W104-v1-1.17.18: at work") == 1
    assert said.count("W104-v1-0.0.0: at work") == 2


def test_left_early_no_shard_goes_on(tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    work = shards("v1@9.9.9", OLD)
    ended = spread(work, tmp_path / SHARDS, 2, lambda _: None, worker=(sys.executable, str(script)))
    assert next(ended).shard.servers == (OLD,)
    pid = tmp_path / SHARDS / "W104-v1-9.9.pid"
    wait_for(lambda: pid.exists() and pid.read_text() != "", "the other shard to be at work", 30)
    assert psutil.pid_exists(int(pid.read_text()))
    ended.close()
    assert not psutil.pid_exists(int(pid.read_text()))


def _maker(place: Path, server: str) -> str:
    (cell,) = RunFolder.open(place / SHARDS / shard_id(CODE, server)).cells()
    return cell.not_run[0].why


def test_jobs_are_as_many_as_asked_and_never_none() -> None:
    assert jobs_here(3) == 3
    assert jobs_here() >= 1
