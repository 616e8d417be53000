"""A diagnosis as plain text for a terminal: the worst first, each cure as a line to paste. No colour."""

import json
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import wrap

from wedged.diagnose.age import age_words
from wedged.diagnose.diagnosis import Diagnosis
from wedged.diagnose.included import included
from wedged.facts.activity import Waiting
from wedged.facts.finding import Finding, RecoveryOffer
from wedged.facts.plain_text import plain
from wedged.facts.redaction import redact
from wedged.facts.server import Line
from wedged.facts.snapshot import Origin

_WIDTH = 96
_ROWS = 20
_WAITS = {
    Waiting.PERSON: "waits for a person",
    Waiting.RETRY: "waits to ask the model again",
    Waiting.LOOP: "loops",
    Waiting.WORKING: "works",
    Waiting.MODEL: "waits for the model",
    Waiting.TOOL: "waits for a tool",
    Waiting.UNSEEN: "runs",
    Waiting.NOT_BUSY: "is not busy",
}
_LINES = {Line.V1: "V1", Line.V2_PREVIEW: "V2 preview", Line.V2_RELEASED: "V2"}


@dataclass(frozen=True, slots=True)
class Login:
    """Who logs in, and the name of the environment variable that holds the password (never the password)."""

    user: str
    variable: str


def report_text(
    diagnosis: Diagnosis,
    *,
    show_all: bool = False,
    include: bool = False,
    login: Login | None = None,
    secrets: Iterable[str] = (),
) -> str:
    """The report, ending with a line break. Whatever came from the server is escaped.

    `login` goes into the lines to paste, None where the server wants no password. `show_all` and `include`
    as in `report_json`.
    """
    look = diagnosis.latest
    line = _LINES.get(look.identity.line, look.identity.line.value)
    origin = "" if look.origin is Origin.LIVE else f", by its {look.origin.value} alone"
    blocks = [[f"{look.source}  OpenCode {look.identity.version or '(no session yet)'} ({line}){origin}"]]
    if diagnosis.ask is not None:
        head = diagnosis.ask.verdict.value.replace("-", " ").upper()
        blocks.append(wrap(f"{head}: {diagnosis.ask.sentence}", _WIDTH, break_on_hyphens=False))
    explained: set[tuple[str, str]] = set()
    for finding in diagnosis.findings:
        kind = (finding.code, finding.variant)
        blocks.append(_finding(diagnosis, finding, include, login, kind not in explained))
        explained.add(kind)
    if not diagnosis.findings and diagnosis.ask is None:
        blocks.append(["Nothing found." if not diagnosis.unknown else "Nothing found in what could be read."])
    if diagnosis.activity:
        blocks.append(_activity(diagnosis, show_all))
    if diagnosis.unknown:
        blocks.append(["NOT KNOWN", *(f"  - {gap.what}: {gap.why}" for gap in diagnosis.unknown)])
    if show_all:
        lines = [f"  - {c.code} {c.session}: {c.why_not}" for c in diagnosis.considered] or [
            "  - nothing else"
        ]
        blocks.append(["CONSIDERED, NOT REPORTED", *lines])
    blocks.append(_checked(diagnosis, show_all))
    secrets = tuple(secrets)
    text = "\n\n".join("\n".join(plain(redact(row, secrets)) for row in block) for block in blocks)
    return text + "\n"


def _finding(
    diagnosis: Diagnosis, finding: Finding, include: bool, login: Login | None, in_full: bool
) -> list[str]:
    age = f" for {age_words(finding.age_s)}" if finding.age_s is not None else ""
    head = f"{finding.status.value.replace('-', ' ').upper()}{age}: {finding.title}"
    rows = [
        head,
        f"  {_which(finding)}, confidence {finding.confidence.value}",
        f"  session    {finding.session}",
        f"  directory  {finding.directory}",
        f"  {finding.subject.kind.replace('_', ' '):<10} {finding.subject.id}",
    ]
    rows += [
        f"  {name:<10} {value}" for name, value in (included(diagnosis, finding) if include else {}).items()
    ]
    rows += ["", "  Seen:", *(f"    - {line}" for line in finding.evidence)]
    rows += wrap(f"Unless {finding.unless}.", _WIDTH, initial_indent="  ", subsequent_indent="  ")
    if finding.recovery:
        rows += ["", "  Do one of these:"]
        for number, offer in enumerate(finding.recovery, 1):
            lines = _offer(number, offer, diagnosis.latest.source, login)
            rows += ["", *(lines if in_full else lines[:2])]
    # What each cure costs is the same for every finding of a variant: it is said once.
    return [*rows, "", f"  More: wedged explain {finding.code}"] if in_full else rows


def _which(finding: Finding) -> str:
    """Which class, or, where that is open, which ones."""
    if finding.candidates:
        return f"candidates: {' or '.join(finding.candidates)}"
    variant = f", variant {finding.variant}" if finding.variant else ""
    return f"{finding.code} {finding.slug}{variant}"


def _offer(number: int, offer: RecoveryOffer, url: str, login: Login | None) -> list[str]:
    rows = [f"  {number}. {offer.sentence}", f"     {curl(offer.do, url, login)}"]
    facts = (
        ("needs", offer.requires),
        ("loses", offer.loses),
        ("leaves", offer.leaves),
        ("worked when", (offer.confirms,)),
    )
    for name, words in facts:
        if words:
            rows += wrap(
                f"{name}: {'; '.join(words)}", _WIDTH, initial_indent="     ", subsequent_indent="       "
            )
    return rows


def curl(do: dict[str, object], url: str, login: Login | None = None) -> str:
    """A request as one line for a POSIX shell. The password stays in its variable."""
    argv = do.get("argv")
    if isinstance(argv, list) and argv:
        return shlex.join(map(str, argv))
    words = ["curl", "-X", str(do["method"])]
    if login:
        words += ["-u", f'{shlex.quote(f"{login.user}:")}"${login.variable}"']
    words.append(shlex.quote(f"{url}{do['path']}"))
    if do.get("body") is not None:
        body = json.dumps(do["body"], separators=(",", ":"))
        words += ["-H", "'content-type: application/json'", "-d", shlex.quote(body)]
    return " ".join(words)


def _activity(diagnosis: Diagnosis, show_all: bool) -> list[str]:
    """One row a session. The first rows are those that somebody may want to act on."""
    shown = diagnosis.activity if show_all else diagnosis.activity[:_ROWS]
    rows = ["WHAT EACH WAITS FOR"]
    for one in shown:
        rows += wrap(
            f"{one.session}  {_WAITS[one.waiting]}: {one.why}",
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
            break_on_hyphens=False,
        )
    left = len(diagnosis.activity) - len(shown)
    return [*rows, f"  and {left} more: --all shows them"] if left else rows


def _checked(diagnosis: Diagnosis, show_all: bool) -> list[str]:
    look = diagnosis.latest
    if look.origin is not Origin.LIVE:
        return _read(diagnosis, show_all)
    counts = f"{_count(len(look.sessions), 'session')}, {_count(len(look.asks), 'pending ask')}"
    between = diagnosis.seconds_between
    looks = "one look" if between is None else f"two looks {between:.1f} s apart"
    rows = [f"Checked: {counts}, in {_count(len(look.scopes), 'directory', 'directories')}, {looks}"]
    rows += [f"  {scope.directory} ({', '.join(scope.reads)})" for scope in look.scopes]
    return rows + _not_told(diagnosis, show_all)


def _read(diagnosis: Diagnosis, show_all: bool) -> list[str]:
    rows = [f"Checked: {'; '.join(scope.reads)}" for scope in diagnosis.latest.scopes]
    return rows + _not_told(diagnosis, show_all)


def _not_told(diagnosis: Diagnosis, show_all: bool) -> list[str]:
    rows = [f"  not seen: {gap.what}: {gap.why}" for gap in diagnosis.latest.blind]
    if diagnosis.considered and not show_all:
        rows.append(
            f"  {_count(len(diagnosis.considered), 'state')} considered and not reported: --all shows why"
        )
    return rows


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
