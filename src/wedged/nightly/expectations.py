"""The reviewed file of what each claim is expected to be on each server: one line a claim and server."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wedged.errors import EvidenceError
from wedged.evidence.files import read, write_whole
from wedged.evidence.verdicts import by_version
from wedged.facts.trial import Verdict
from wedged.nightly.drift import Shape

SCHEMA = 1
# Of these nothing follows: a line with one says that nothing is known there yet, and why.
UNKNOWN = (Verdict.INCONCLUSIVE, Verdict.NOT_RUN)


@dataclass(frozen=True, slots=True)
class Expected:
    """`claim` is expected to be `verdict` on `server`, since run `run` (begun at `started`, UTC) saw `k` of
    `n` trials show it. `why` is that run's reason, where the verdict is one that says nothing."""

    claim: str
    server: str
    verdict: Verdict
    k: int = 0
    n: int = 0
    run: str = ""
    started: str = ""
    why: str = ""

    @property
    def code(self) -> str:
        """The failure class of the claim."""
        return self.claim.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one run made of `claim` on `server`: as a `ClaimVerdict`, with the run behind it, and `evidence`,
    the path in the run folder of one timeline of the claim's arm ("" where there is none)."""

    claim: str
    server: str
    verdict: Verdict
    k: int = 0
    n: int = 0
    why: str = ""
    run: str = ""
    started: str = ""
    evidence: str = ""

    @property
    def code(self) -> str:
        """The failure class of the claim."""
        return self.claim.partition(".")[0]


Expectations = Mapping[tuple[str, str], Expected]


def expectations(lines: Iterable[Expected]) -> dict[tuple[str, str], Expected]:
    """The lines by claim and server, in the order of the file.

    Raises:
        EvidenceError: a claim has two lines for one server.
    """
    found: dict[tuple[str, str], Expected] = {}
    for line in sorted(lines, key=lambda one: (one.claim, by_version(one.server))):
        if found.setdefault((line.claim, line.server), line) is not line:
            raise EvidenceError(f"expectations: {line.claim} on {line.server} is there twice")
    return found


class _Document(msgspec.Struct):
    schema: int
    expected: list[Expected] = []
    shapes: list[Shape] = []


def read_shapes(path: Path) -> tuple[Shape, ...]:
    """The shapes of servers that were reviewed. Raises as `read_expectations`."""
    return tuple(_read(path).shapes)


def read_expectations(path: Path) -> dict[tuple[str, str], Expected]:
    """The expectations in `path`; none where there is no such file.

    Raises:
        EvidenceError: it is there and can't be read, has a newer schema, or says one thing twice.
    """
    return expectations(_read(path).expected)


def _read(path: Path) -> _Document:
    if not path.exists():
        return _Document(SCHEMA)
    try:
        document = msgspec.json.decode(read(path), type=_Document)
    except msgspec.MsgspecError as error:
        raise EvidenceError(f"{path.name} is no file of expectations: {error}") from None
    if document.schema > SCHEMA:
        raise EvidenceError(f"{path.name} has schema {document.schema}, this wedged reads up to {SCHEMA}")
    return document


def write_expectations(path: Path, lines: Iterable[Expected], shapes: Iterable[Shape] | None = None) -> None:
    """Write the file, whole or not at all: sorted, a line each, so that a change is a diff of one line.
    `shapes` None leaves those of the file as they are.

    Raises:
        EvidenceError: it can't be written, or there are two lines of one claim and server.
    """
    known = {shape.server: shape for shape in (read_shapes(path) if shapes is None else shapes)}
    looked = b",\n".join(_ENCODER.encode(known[server]) for server in sorted(known, key=by_version))
    said = b",\n".join(_ENCODER.encode(_fields(line)) for line in expectations(lines).values())
    body = b'{"schema":%d,"shapes":[\n%b\n],"expected":[\n%b\n]}\n' % (SCHEMA, looked, said)
    try:
        write_whole(path, body)
    except OSError as error:
        raise EvidenceError(f"{path.name} can't be written: {error.strerror}") from None


def _fields(line: Expected) -> dict[str, object]:
    return {name: value for name, value in msgspec.to_builtins(line).items() if value != "" or name == "run"}


_ENCODER = msgspec.json.Encoder()
