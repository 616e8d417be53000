"""The shape of `wedged doctor --json`, schema 1. Fields are only added; readers ignore what they don't know.

Every word with a closed meaning today (`status`, `confidence`, `line`) is a plain string: enums are open.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from wedged.facts.redaction import redact_value

SCHEMA = 1
SCHEMA_FILE = "doctor.schema.json"


@dataclass(frozen=True)
class TargetDocument:
    """What was looked at."""

    kind: str
    name: str


@dataclass(frozen=True)
class ServerDocument:
    """What it said of itself."""

    line: str
    version: str


@dataclass(frozen=True)
class SubjectDocument:
    """The thing that is stuck. `kind`: ask, tool_part, shell, process or message."""

    kind: str
    id: str
    message_id: str


@dataclass(frozen=True)
class RequestDocument:
    """One HTTP request against the target; or, with a method and a path of "", a command line to run on the
    target's machine: `argv`. `withheld`: its body holds what looks like a credential and is left out; without
    it the request does something else."""

    method: str
    path: str
    body: dict[str, Any] | None
    argv: tuple[str, ...] = ()
    withheld: bool = False


@dataclass(frozen=True)
class RecoveryDocument:
    """One way out. Nothing is done unless somebody sends it."""

    id: str
    sentence: str
    do: RequestDocument
    loses: tuple[str, ...]
    leaves: tuple[str, ...]
    confirms: str
    requires: tuple[str, ...]
    safe_to_automate: bool


@dataclass(frozen=True)
class FindingDocument:
    """One failure class in one place. `since` is UTC, RFC 3339; `age_s` seconds at the time of the look."""

    id: str
    code: str
    slug: str
    title: str
    variant: str
    status: str
    session: str
    directory: str
    subject: SubjectDocument
    candidates: tuple[str, ...]
    since: str | None
    age_s: float | None
    confidence: str
    unless: str
    evidence: tuple[str, ...]
    recovery: tuple[RecoveryDocument, ...]
    page: str
    included: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class UnknownDocument:
    """What could not be read, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class ScopeDocument:
    """A directory that was asked, and how."""

    directory: str
    reads: tuple[str, ...]


@dataclass(frozen=True)
class ConsideredDocument:
    """What was looked at and dismissed."""

    code: str
    session: str
    why_not: str


@dataclass(frozen=True)
class ProgressDocument:
    """What moved between the two looks, `seconds` apart."""

    seconds: float
    calls: int
    answers: int
    pieces: int
    attempts: int


@dataclass(frozen=True)
class ActivityDocument:
    """What a session waits for. `waiting`: person, retry, loop, working, model, tool, unseen or not-busy;
    `through` is the sub-agent's session that really waits; `progress` is null after a single look."""

    session: str
    directory: str
    waiting: str
    why: str
    ask: str
    through: str
    progress: ProgressDocument | None


@dataclass(frozen=True)
class AskDocument:
    """What became of the ask of ``--ask``. `verdict`: live, another-directory, leftover, gone or unknown."""

    id: str
    verdict: str
    sentence: str
    session: str
    directory: str
    age_s: float | None


@dataclass(frozen=True)
class HolderDocument:
    """A process that has the file open; `since` is when it was started."""

    name: str
    pid: int
    since: str


@dataclass(frozen=True)
class NotAskedDocument:
    """A directory that sessions name and that was not asked, with how many they are, and why."""

    directory: str
    sessions: int
    why: str


@dataclass(frozen=True)
class VerdictDocument:
    """What a run says of one class on one server: `k` of `n` trials showed its defining claim. `state`:
    present, gone, flaky, absent, inconclusive or not-run; `words` is how the class's page says it."""

    code: str
    slug: str
    server: str
    state: str
    words: str
    claim: str
    k: int
    n: int
    why: str
    run: str
    started: str


@dataclass(frozen=True)
class CheckedDocument:
    """What the answer rests on. `considered` is filled with ``--all``; `blind` is what could not
    be seen, which makes nothing unknown; `seconds_between` is null where one look was enough. Of a file,
    `scopes` says how it was read, and `holders` who has it open on this machine. Of the `sessions`,
    `sessions_read` were read with their calls. `not_asked` are directories that were left alone, `effects`
    what the reading itself did to the server, a sentence each."""

    taken: str
    codes: tuple[str, ...]
    scopes: tuple[ScopeDocument, ...]
    sessions: int
    asks: int
    considered: tuple[ConsideredDocument, ...]
    blind: tuple[UnknownDocument, ...] = ()
    seconds_between: float | None = None
    holders: tuple[HolderDocument, ...] = ()
    sessions_read: int = 0
    not_asked: tuple[NotAskedDocument, ...] = ()
    effects: tuple[str, ...] = ()


@dataclass(frozen=True)
class DoctorDocument:
    """The whole document. `verdicts` is filled for the folder of a run, which holds no findings."""

    schema: int
    target: TargetDocument
    server: ServerDocument
    findings: tuple[FindingDocument, ...]
    unknown: tuple[UnknownDocument, ...]
    checked: CheckedDocument
    activity: tuple[ActivityDocument, ...] = ()
    ask: AskDocument | None = None
    verdicts: tuple[VerdictDocument, ...] = ()


def encode(document: object, secrets: Iterable[str] = ()) -> str:
    """One line of JSON, in ASCII: a terminal that shows it obeys nothing in it. `secrets` and everything
    shaped like a credential are redacted."""
    tree = redact_value(msgspec.to_builtins(document), secrets)
    return json.dumps(tree, ensure_ascii=True, separators=(",", ":"))


def moment(milliseconds: int) -> str:
    """A time, in milliseconds since 1970, as UTC in RFC 3339; "" for one that no calendar has."""
    try:
        at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def schema_text(shape: type = DoctorDocument) -> str:
    """The JSON Schema of a document, as the file beside its module holds it."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | msgspec.json.schema(shape)
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"
