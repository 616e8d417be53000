"""The shards of a work list, several at a time on this machine, each in a process of its own."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from wedged.errors import EvidenceError
from wedged.evidence import RunFolder
from wedged.guide.side_by_side import end_processes
from wedged.nightly.work import Shard

Announce = Callable[[str], None]
# What a shard was seen to take at most: a server under load, its model, a kernel with matplotlib.
SHARD_BYTES = 1_500_000_000
WORKER = (sys.executable, "-m", "wedged.nightly.one_shard")


@dataclass(frozen=True, slots=True)
class Done:
    """How a shard ended. `folder` is its run folder, None where it was lost; `error` is the one line that
    says why, "" where all went well."""

    shard: Shard
    folder: Path | None
    error: str = ""


def jobs_here(asked: int = 0) -> int:
    """How many shards to do at a time: `asked`, or what memory and processors allow, at least one.

    One shard keeps two processors busy.
    """
    if asked:
        return asked
    by_memory = psutil.virtual_memory().available // SHARD_BYTES
    return max(1, min(by_memory, (os.cpu_count() or 1) // 2))


def spread(
    shards: Sequence[Shard],
    into: Path,
    jobs: int,
    announce: Announce,
    *,
    worker: Sequence[str] = WORKER,
    notebooks: Path | None = None,
) -> Generator[Done, None, None]:
    """Do all shards, `jobs` at a time, and yield each as it ends; their folders are ``into/<id>``.

    A shard whose folder is there already is not done again. A shard that is lost (its process died) costs no
    other. Where the iteration is left early, or this process is killed, no shard goes on.
    """
    into.mkdir(parents=True, exist_ok=True)
    running = _Running(tuple(worker), announce, notebooks)
    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="shard")
    try:
        for ended in as_completed([pool.submit(running.do, shard, into / shard.id) for shard in shards]):
            yield ended.result()
    finally:
        running.end()
        pool.shutdown(wait=True, cancel_futures=True)


class _Running:
    """The processes that work now."""

    def __init__(self, worker: tuple[str, ...], announce: Announce, notebooks: Path | None) -> None:
        self._worker, self._announce, self._notebooks = worker, announce, notebooks
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._over = False

    def do(self, shard: Shard, into: Path) -> Done:
        if whole(into):
            return Done(shard, into)
        argv = [*self._worker, str(into), *([str(self._notebooks)] if self._notebooks else [])]
        with self._lock:
            if self._over:
                return Done(shard, None, f"{shard.id}: not begun")
            process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={**os.environ, "WEDGED_PARENT": str(os.getpid())},
            )
            self._processes.add(process)
        try:
            last = self._follow(process, shard)
        finally:
            with self._lock:
                self._processes.discard(process)
        code = process.wait()
        how = f"signal {-code}" if code < 0 else f"status {code}"
        error = "" if code == 0 else f"{shard.id}: its process ended with {how}{f': {last}' if last else ''}"
        return Done(shard, into if whole(into) else None, error)

    def _follow(self, process: "subprocess.Popen[bytes]", shard: Shard) -> str:
        told, said = process.stdin, process.stderr
        if told is None or said is None:
            raise EvidenceError("a shard's process has no pipes")
        try:
            with told:
                told.write(msgspec.json.encode(shard))
        except BrokenPipeError:
            pass  # how it ended is said below
        last = ""
        with said:
            for line in said:
                last = line.decode(errors="replace").rstrip() or last
                self._announce(f"{shard.id}: {last}")
        return last

    def end(self) -> None:
        with self._lock:
            self._over = True
            processes = tuple(self._processes)
        end_processes(processes)


def whole(path: Path) -> bool:
    """Whether `path` is a finished shard's folder."""
    try:
        RunFolder.open(path)
    except EvidenceError:
        return False
    return True
