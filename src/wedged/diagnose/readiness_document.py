"""The document of `wedged ready --json`, schema 1. Fields are only added; enums are open."""

from collections.abc import Iterable
from dataclasses import dataclass

from wedged.diagnose import document as doc
from wedged.diagnose.document import ScopeDocument, ServerDocument, TargetDocument, UnknownDocument
from wedged.diagnose.readiness import Blocker, Readiness

SCHEMA = 1
SCHEMA_FILE = "ready.schema.json"


@dataclass(frozen=True)
class BlockerDocument:
    """One thing that a restart would end, leave behind, or make forgotten. `kind`: shell, turn, ask or
    process; `since` is UTC, RFC 3339; `about` a command, question or title, credentials taken out."""

    kind: str
    id: str
    session: str
    parents: tuple[str, ...]
    directory: str
    pid: int | None
    since: str | None
    age_s: float | None
    about: str
    why: str


@dataclass(frozen=True)
class ExpectedDocument:
    """A process that ``--expect`` names."""

    pid: int
    name: str


@dataclass(frozen=True)
class ReadyCheckedDocument:
    """What the answer rests on. `processes` counts those below the server, null where they can't be seen;
    `unseen` says why; `seconds_between` is null after a single look."""

    taken: str
    scopes: tuple[ScopeDocument, ...]
    sessions: int
    shells: int
    asks: int
    processes: int | None
    expected: tuple[ExpectedDocument, ...]
    unseen: tuple[UnknownDocument, ...]
    seconds_between: float | None


@dataclass(frozen=True)
class ReadyDocument:
    """The whole document. `verdict`: ready, not-safe or unknown; `waited_s` is null without ``--wait``."""

    schema: int
    target: TargetDocument
    server: ServerDocument
    verdict: str
    blockers: tuple[BlockerDocument, ...]
    unknown: tuple[UnknownDocument, ...]
    checked: ReadyCheckedDocument
    waited_s: float | None = None


def readiness_json(
    said: Readiness,
    *,
    seconds_between: float | None = None,
    waited_s: float | None = None,
    secrets: Iterable[str] = (),
) -> str:
    """One line of JSON, in ASCII: a terminal that shows it obeys nothing in it."""
    look = said.look
    document = ReadyDocument(
        schema=SCHEMA,
        target=TargetDocument("url", look.source),
        server=ServerDocument(look.identity.line.value, look.identity.version),
        verdict=said.verdict.value,
        blockers=tuple(_blocker(one, look.taken_ms) for one in said.blockers),
        unknown=tuple(UnknownDocument(gap.what, gap.why) for gap in said.unknown),
        checked=ReadyCheckedDocument(
            taken=doc.moment(look.taken_ms),
            scopes=tuple(ScopeDocument(scope.directory, scope.reads) for scope in look.scopes),
            sessions=len(look.sessions),
            shells=len(look.shells),
            asks=len(look.asks),
            processes=None if look.processes is None else len(look.processes.below),
            expected=tuple(ExpectedDocument(one.pid, one.name) for one in said.expected),
            unseen=tuple(UnknownDocument(gap.what, gap.why) for gap in said.unseen),
            seconds_between=None if seconds_between is None else round(seconds_between, 3),
        ),
        waited_s=None if waited_s is None else round(waited_s, 1),
    )
    return doc.encode(document, tuple(secrets))


def schema_text() -> str:
    """The JSON Schema of `ReadyDocument`, as the file beside this module holds it."""
    return doc.schema_text(ReadyDocument)


def _blocker(one: Blocker, now_ms: int) -> BlockerDocument:
    since = one.since_ms
    return BlockerDocument(
        kind=one.kind.value,
        id=one.id,
        session=one.session,
        parents=one.parents,
        directory=one.directory,
        pid=one.pid,
        since=None if since is None else doc.moment(since),
        age_s=None if since is None else round(max(0, now_ms - since) / 1000, 1),
        about=one.about,
        why=one.why,
    )
