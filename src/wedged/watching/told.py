"""What a watch tells, as text for a person and as lines of JSON for a program. Pure."""

from dataclasses import dataclass
from datetime import datetime

from wedged.diagnose import Login
from wedged.diagnose import document as doc
from wedged.diagnose.age import age_words
from wedged.diagnose.finding_text import finding_rows, which
from wedged.diagnose.page import Page
from wedged.diagnose.report_json import finding_document
from wedged.diagnose.report_text import who
from wedged.facts.finding import Finding
from wedged.watching.watch import Change, Kind

SCHEMA_FILE = "watch.schema.json"


@dataclass(frozen=True)
class ChangeDocument:
    """One line of ``wedged watch --json``, schema 1; fields are only added, enums are open.

    `change`: watching, appeared, ended, lost, back or unread. `at` is UTC, RFC 3339. `restarted` is null
    where that is not known, and for everything but back.
    """

    schema: int
    at: str
    change: str
    target: str
    server: doc.ServerDocument
    finding: doc.FindingDocument | None
    why: str
    restarted: bool | None


def change_json(change: Change, at_ms: int, secrets: tuple[str, ...] = ()) -> str:
    """One line of JSON in ASCII. Secrets are redacted."""
    look = change.diagnosis.latest
    return doc.encode(
        ChangeDocument(
            schema=doc.SCHEMA,
            at=doc.moment(at_ms),
            change=change.kind.value,
            target=look.source,
            server=doc.ServerDocument(look.identity.line.value, look.identity.version),
            finding=finding_document(change.finding, {}, secrets) if change.finding else None,
            why=change.why,
            restarted=change.restarted,
        ),
        secrets,
    )


def change_rows(change: Change, at: datetime, page: Page, login: Login | None = None) -> list[str]:
    """The rows of one change, with the time of day. A finding that appeared is told as doctor tells it."""
    clock = f"{at:%H:%M:%S}  "
    look = change.diagnosis.latest
    if change.finding is not None and change.kind is Kind.APPEARED:
        rows = finding_rows(page, change.diagnosis, change.finding, login=login, before=f"{clock}appeared  ")
        return [*rows, ""]
    if change.finding is not None:
        return [*page.rows(_ended(change.finding, look.taken_ms), f"{clock}ended     ", "  "), ""]
    words = {
        Kind.WATCHING: f"watching  {who(look)}; Ctrl-C ends it",
        Kind.LOST: f"lost      {look.source}: {change.why}; what stood is kept until it can be looked at",
        Kind.BACK: f"back      {who(look)}{_restarted(change.restarted)}",
        Kind.UNREAD: f"not known {change.why}",
    }
    return page.rows(words[change.kind], clock, "  ")


def _ended(finding: Finding, now_ms: int) -> str:
    after = (
        "" if finding.since_ms is None else f" after {age_words(max(0, now_ms - finding.since_ms) / 1000)}"
    )
    subject = f"{finding.subject.kind.replace('_', ' ')} {finding.subject.id}"
    return f"{which(finding)}{after}: session {finding.session}, {subject}"


def _restarted(restarted: bool | None) -> str:
    if restarted is None:
        return "; whether it was restarted can't be seen"
    return "; another process: it was restarted" if restarted else "; the same process"
