"""A run that is spread out, on disk: ``work.json``, ``shards/<id>`` as they come, ``run`` when joined."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from wedged.errors import EvidenceError, UsageError
from wedged.evidence import RunFolder, merge
from wedged.evidence.files import read, write_whole
from wedged.nightly.spreading import whole
from wedged.nightly.work import WorkList, decode_work, encode_work

WORK = "work.json"
SHARDS = "shards"
RUN = "run"


def begin(place: Path, work: WorkList) -> WorkList:
    """The work list of `place`: `work`, or the one that is there already, which must ask for the same.

    Raises:
        UsageError: it asks for something else.
    """
    path = place / WORK
    if not path.exists():
        place.mkdir(parents=True, exist_ok=True)
        write_whole(path, encode_work(work))
        return work
    held = decode_work(read(path))
    if _what(held) != _what(work) or held.asked != work.asked:
        raise UsageError(f"{place} holds another run, of other classes, servers or trials: name a new folder")
    return held


def _what(work: WorkList) -> tuple[tuple[str, int, int, str, bool], ...]:
    return tuple((s.id, s.seed, s.trials, s.claim, s.notebook) for s in work.shards)


def merge_shards(place: Path, *, earlier: Iterable[Path] = ()) -> RunFolder:
    """Join the shards that are there into ``run``, made anew, behind the run folders `earlier`.

    What a lost shard would have said is taken from the newest earlier run that says it, with its date: it
    never hides or deletes what another shard or night has shown.

    Raises:
        EvidenceError: there is no shard and no earlier run, or two of them contradict each other.
    """
    shards = [path for path in sorted((place / SHARDS).glob("*")) if not path.name.startswith(".")]
    sources = [path for path in (*earlier, *shards) if whole(path)]
    if not sources:
        raise EvidenceError(f"{place.name} has no shard that ran to its end, and there is no earlier run")
    half = place / f".{RUN}.new"
    shutil.rmtree(half, ignore_errors=True)
    merge(sources, half)
    shutil.rmtree(place / RUN, ignore_errors=True)
    half.rename(place / RUN)
    return RunFolder.open(place / RUN)


def lost(place: Path, work: WorkList) -> tuple[str, ...]:
    """The shards of the list that left no folder."""
    return tuple(shard.id for shard in work.shards if not whole(place / SHARDS / shard.id))


def work_of(place: Path) -> WorkList:
    """The work list of a night.

    Raises:
        UsageError: there is none, or it is unreadable.
    """
    if not (place / WORK).is_file():
        raise UsageError(f"{place} has no {WORK}: begin with `scripts/nightly list {place}`")
    return decode_work(read(place / WORK))
