"""run.json: who ran what, where."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime

import msgspec

from wedged.errors import EvidenceError
from wedged.evidence.host import host_facts
from wedged.facts.server import ServerIdentity

SCHEMA = 1

Facts = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class RunOrigin:
    """One run whose lines a merged folder holds; fields as in `RunRecord`."""

    id: str
    seed: int
    started: str
    tool: Facts
    host: Facts
    servers: tuple[ServerIdentity, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A cell of a source that a merged folder does not show, and why."""

    code: str
    server: str
    run: str
    started: str
    why: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. `started` is UTC in ISO 8601, to the second; `tool` and `host` hold plain facts without names.

    `origins` and `left_out` are empty except in a merged folder.
    """

    schema: int
    id: str
    seed: int
    started: str
    tool: Facts = field(default_factory=dict)
    host: Facts = field(default_factory=dict)
    servers: tuple[ServerIdentity, ...] = ()
    origins: tuple[RunOrigin, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def merged(self) -> bool:
        """Whether this folder was made by merging; such a folder takes no new trials."""
        return bool(self.origins)

    def server(self, key: str) -> ServerIdentity | None:
        """The server with this key, if the run met it."""
        return next((identity for identity in self.servers if identity.key == key), None)

    def with_server(self, identity: ServerIdentity) -> "RunRecord":
        """This record with `identity` in its list; what was not known before is filled in.

        Raises:
            EvidenceError: another server with the same key has a different hash.
        """
        return replace(self, servers=unite((*self.servers, identity)))


def new_run(seed: int, tool: Mapping[str, str | int], run_id: str = "") -> RunRecord:
    """The record of a run that starts now, here. Shards of one campaign are given the same `run_id`."""
    now = datetime.now(UTC)
    run_id = run_id or f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
    return RunRecord(SCHEMA, run_id, seed, f"{now:%Y-%m-%dT%H:%M:%SZ}", dict(tool), host_facts())


def unite(identities: Iterable[ServerIdentity]) -> tuple[ServerIdentity, ...]:
    """One identity a key, sorted by key.

    Raises:
        EvidenceError: two identities with one key differ in something that both know.
    """
    known: dict[str, ServerIdentity] = {}
    for identity in identities:
        held = known.get(identity.key)
        known[identity.key] = identity if held is None else _joined(held, identity)
    return tuple(known[key] for key in sorted(known))


def _joined(held: ServerIdentity, other: ServerIdentity) -> ServerIdentity:
    learnt: dict[str, str] = {}
    for name in (f.name for f in fields(ServerIdentity)):
        before, now = getattr(held, name), getattr(other, name)
        if before and now and before != now:
            raise EvidenceError(
                f"two different servers call themselves {held.key}: {name} is {before[:12]} and {now[:12]}; "
                "keep them in separate run folders"
            )
        learnt[name] = before or now
    return ServerIdentity(**learnt)  # type: ignore[arg-type]  # line and texts, as they were


class _Head(msgspec.Struct):
    schema: int


def encode_record(record: RunRecord) -> bytes:
    """`record` as the content of run.json."""
    return msgspec.json.format(_ENCODER.encode(record), indent=1) + b"\n"


def decode_record(data: bytes, where: str) -> RunRecord:
    """The record in run.json; `where` names the file in errors.

    Raises:
        EvidenceError: not a run record, or one of a newer schema.
    """
    try:
        schema = msgspec.json.decode(data, type=_Head).schema
        if schema > SCHEMA:
            raise EvidenceError(
                f"{where} has schema {schema}, this wedged reads up to {SCHEMA}: use a newer wedged"
            )
        return msgspec.json.decode(data, type=RunRecord)
    except msgspec.MsgspecError as error:
        raise EvidenceError(f"{where} is not a run record: {error}") from None


_ENCODER = msgspec.json.Encoder(order="deterministic")
