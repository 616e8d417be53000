"""The work list: plain JSON, cut into shards that share one run. Pure.

::

    {"schema": 1, "run": "20261129T031500Z-ab12cd", "shards": [
      {"id": "W101", "run": "…", "seed": 101, "code": "W101", "servers": ["v1@1.17.18", …], "trials": 10,
       "claim": "", "notebook": true}, …]}

A shard is done by one process on one machine and leaves one run folder. All shards of a list carry its run's
id, so their folders merge into one run, whoever made them. `claim` "" means every arm; with `notebook` the
class's notebook is executed, which measures as it goes, and lands in the folder with its figures.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import msgspec

from wedged.errors import UsageError
from wedged.facts.failure_class import FailureClass
from wedged.facts.server import ServerSpec

SCHEMA = 1
# GitHub starts no more jobs than this from one matrix.
MOST_JOBS = 256


@dataclass(frozen=True, slots=True)
class Shard:
    """One piece of work; see the module's docstring."""

    id: str
    run: str
    seed: int
    code: str
    servers: tuple[str, ...]
    trials: int
    claim: str = ""
    notebook: bool = False

    @property
    def specs(self) -> tuple[ServerSpec, ...]:
        """The servers, parsed.

        Raises:
            BadServerSpec: one of them is none.
        """
        return tuple(map(ServerSpec.parse, self.servers))


@dataclass(frozen=True, slots=True)
class WorkList:
    """Every shard of one run."""

    schema: int
    run: str
    shards: tuple[Shard, ...]

    def shard(self, name: str) -> Shard:
        """The shard with this id.

        Raises:
            UsageError: there is none.
        """
        for one in self.shards:
            if one.id == name:
                return one
        raise UsageError(
            f"the work list has no shard {name[:60]!r}; it has {', '.join(s.id for s in self.shards)}"
        )

    @property
    def asked(self) -> frozenset[tuple[str, str]]:
        """Every class and server that the run is to cover."""
        return frozenset((shard.code, server) for shard in self.shards for server in shard.servers)

    def matrix(self) -> dict[str, list[dict[str, str]]]:
        """What a GitHub Actions matrix is made of: ``{"include": [{"shard": …, "code": …}, …]}``.

        Raises:
            UsageError: more shards than one matrix takes.
        """
        if len(self.shards) > MOST_JOBS:
            raise UsageError(
                f"{len(self.shards)} shards; a matrix takes {MOST_JOBS}: split the list by class"
            )
        return {"include": [{"shard": shard.id, "code": shard.code} for shard in self.shards]}


def work_list(
    run: str,
    classes: Iterable[FailureClass],
    servers: Sequence[ServerSpec],
    *,
    trials: int,
    seed: int,
    by_server: bool = False,
    defining: bool = False,
    at_least: Mapping[str, int] = MappingProxyType({}),
) -> WorkList:
    """A shard a class, with its notebook on all `servers`; or `by_server`, a shard a class and server,
    without notebooks, with only the arms of the `defining` claim where that is asked. The servers must be
    resolved: what floats could mean another version to each shard.

    `at_least` raises the trials of single classes, by code.

    Raises:
        UsageError: a server floats, or there is nothing to do.
    """
    if floating := [str(spec) for spec in servers if spec.floating]:
        raise UsageError(f"{', '.join(floating)} must be resolved before the work is split")
    names = tuple(dict.fromkeys(map(str, servers)))
    shards: list[Shard] = []
    for of in classes:
        count = max(trials, at_least.get(of.code, 0))
        if not by_server:
            shards.append(Shard(of.code, run, seed, of.code, names, count, notebook=True))
        else:
            claim = of.defining.id if defining else ""
            shards += [
                Shard(shard_id(of.code, name), run, seed, of.code, (name,), count, claim) for name in names
            ]
    if not shards or not names:
        raise UsageError("there is nothing to do: name at least one class and one server")
    return WorkList(SCHEMA, run, tuple(shards))


def shard_id(code: str, server: str) -> str:
    """A name that fits a folder, an artifact and a shell: ``W101-v1-1.17.18``."""
    return f"{code}-{re.sub(r'[^A-Za-z0-9.+]+', '-', server).strip('-')}"[:100]


def encode_work(work: WorkList) -> bytes:
    """The list as a file."""
    return msgspec.json.format(msgspec.json.encode(work), indent=1) + b"\n"


def decode_work(data: bytes) -> WorkList:
    """The list in a file.

    Raises:
        UsageError: it is none, or of a newer schema, or two of its shards have one id.
    """
    try:
        work = msgspec.json.decode(data, type=WorkList)
    except msgspec.MsgspecError as error:
        raise UsageError(f"this is no work list: {error}") from None
    if work.schema > SCHEMA:
        raise UsageError(f"the work list has schema {work.schema}, this wedged reads up to {SCHEMA}")
    if len({shard.id for shard in work.shards}) != len(work.shards):
        raise UsageError("two shards of the work list have one id")
    return work
