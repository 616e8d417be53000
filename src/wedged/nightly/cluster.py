"""The same shards on a Dask cluster that is there already (the extra `cluster`).

A worker needs this package, npm or a filled cache, and no disk in common with anybody: a shard goes out as
its JSON, and its run folder comes back as the bytes of a tar archive.
"""

import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from wedged.errors import EvidenceError, UsageError
from wedged.evidence.run_folder import RECORD
from wedged.nightly.spreading import WORKER, Done, whole
from wedged.nightly.work import Shard

# How often a shard is tried: its worker may be killed while it runs.
TRIES = 3
_CONNECT_S = 10.0
_LIMIT_S = 3600.0

Work = Callable[[bytes], bytes]


def do_remotely(shard: bytes) -> bytes:
    """Do a shard (as JSON) on this machine, in a process of its own; its run folder as a tar archive.

    Raises:
        EvidenceError: it left no folder; the message ends with its process's last line.
    """
    with tempfile.TemporaryDirectory(prefix="wedged-shard-") as place:
        into = Path(place) / "run"
        done = subprocess.run(
            [sys.executable, *WORKER[1:], str(into)],
            input=shard,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_LIMIT_S,
            check=False,
        )
        if not whole(into):
            lines = done.stderr.decode(errors="replace").splitlines() or ["it said nothing"]
            raise EvidenceError(f"no run folder came of it: {lines[-1][:300]}")
        return packed(into)


def spread_over(
    shards: Sequence[Shard],
    into: Path,
    scheduler: str,
    *,
    work: Work = do_remotely,
    connect_s: float = _CONNECT_S,
) -> Iterator[Done]:
    """Do all shards on the cluster whose scheduler is at `scheduler` (``tcp://host:8786``) and yield each as
    it ends; their folders are ``into/<id>``.

    A shard whose worker dies is given to another one, up to three times. One that is lost all the same costs
    no other. A shard whose folder is there already is not done again.

    Raises:
        UsageError: the extra is not installed, no scheduler answers there, or a shard wants its notebook
            executed, which takes a checkout that a worker does not have.
    """
    if any(shard.notebook for shard in shards):
        raise UsageError("a cluster has no notebooks: make the list with --by-server")
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise UsageError("a cluster needs the extra: pip install 'wedged[cluster]'") from None
    into.mkdir(parents=True, exist_ok=True)
    try:
        client = Client(scheduler, timeout=connect_s, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {scheduler}: {type(error).__name__}") from None
    with client:
        asked = {}
        for shard in shards:
            if whole(into / shard.id):
                yield Done(shard, into / shard.id)
                continue
            data = msgspec.json.encode(shard)
            future = client.submit(work, data, key=f"{shard.run}-{shard.id}", retries=TRIES - 1, pure=False)
            asked[future] = shard
        for future in as_completed(list(asked), loop=client.loop):  # type: ignore[no-untyped-call]
            shard = asked[future]
            if future.status != "finished":
                yield Done(shard, None, f"{shard.id}: lost: {str(future.exception())[:300]}")
                continue
            unpack(future.result(), into / shard.id)
            yield Done(shard, into / shard.id)


def packed(folder: Path) -> bytes:
    """A run folder as the bytes of a tar archive."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name != ".lock":
                archive.add(path, arcname=str(path.relative_to(folder)), recursive=False)
    return held.getvalue()


def unpack(data: bytes, into: Path) -> None:
    """The run folder in `data` at `into`, whole or not at all.

    Raises:
        EvidenceError: it is no archive of a run folder, or a name in it leads out of the folder.
    """
    half = into.with_name(f".{into.name}.part")
    shutil.rmtree(half, ignore_errors=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
            # "data" refuses devices, links that lead out of the folder, and such names.
            archive.extractall(half, filter="data")
        if not (half / RECORD).is_file():
            raise EvidenceError(f"what came for {into.name} is no run folder")
        half.replace(into)
    except (tarfile.TarError, OSError) as error:
        raise EvidenceError(f"what came for {into.name} can't be unpacked: {type(error).__name__}") from None
    finally:
        shutil.rmtree(half, ignore_errors=True)
