"""A diagnosis as text for a terminal: the worst first, each cure as a line to paste."""

from collections.abc import Iterable

from wedged.diagnose.diagnosis import Diagnosis
from wedged.diagnose.finding_text import Login, curl, finding_rows
from wedged.diagnose.page import Page, Paint, unpainted
from wedged.diagnose.reach import reach_rows
from wedged.facts.activity import Waiting
from wedged.facts.server import Line
from wedged.facts.snapshot import Origin, Snapshot
from wedged.facts.wrapping import WIDTH

__all__ = ["Login", "curl", "report_text", "who"]

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


def report_text(
    diagnosis: Diagnosis,
    *,
    show_all: bool = False,
    include: bool = False,
    login: Login | None = None,
    secrets: Iterable[str] = (),
    width: int = WIDTH,
    paint: Paint = unpainted,
) -> str:
    """The report, ending with a line break. Whatever came from the server is escaped.

    `login` goes into the lines to paste, None where the server wants no password. `show_all` and `include`
    as in `report_json`. Rows are at most `width` columns wide, but for ids, paths and lines to paste, which
    stay whole. `paint` gives the words of a status their colour; nothing is said by colour alone.
    """
    page = Page(width, tuple(secrets), paint)
    blocks = [page.rows(who(diagnosis.latest))]
    if diagnosis.ask is not None:
        head = diagnosis.ask.verdict.value.replace("-", " ").upper()
        blocks.append(page.rows(f"{head}: {diagnosis.ask.sentence}", then=""))
    explained: set[tuple[str, str]] = set()
    for finding in diagnosis.findings:
        kind = (finding.code, finding.variant)
        in_full = kind not in explained
        blocks.append(finding_rows(page, diagnosis, finding, include=include, login=login, in_full=in_full))
        explained.add(kind)
    if not diagnosis.findings and diagnosis.ask is None:
        blocks.append(["Nothing found." if not diagnosis.unknown else "Nothing found in what could be read."])
    if diagnosis.activity:
        blocks.append(_activity(page, diagnosis, show_all))
    if diagnosis.unknown:
        blocks.append(["NOT KNOWN", *page.bullets(f"{gap.what}: {gap.why}" for gap in diagnosis.unknown)])
    if show_all:
        lines = [f"{c.code} {c.session}: {c.why_not}" for c in diagnosis.considered] or ["nothing else"]
        blocks.append(["CONSIDERED, NOT REPORTED", *page.bullets(lines)])
    blocks.append([row for line in _checked(diagnosis, show_all) for row in page.indented(line)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def who(look: Snapshot) -> str:
    """What was looked at, in a line."""
    line = _LINES.get(look.identity.line, look.identity.line.value)
    origin = "" if look.origin is Origin.LIVE else f", by its {look.origin.value} alone"
    # A database tells it by its newest session; a V2's export does not tell it.
    untold = " (no session yet)" if look.origin is Origin.DATABASE else ""
    version = f" {look.identity.version}" if look.identity.version else untold
    return f"{look.source}  OpenCode{version} ({line}){origin}"


def _activity(page: Page, diagnosis: Diagnosis, show_all: bool) -> list[str]:
    """One row a session. The first rows are those that somebody may want to act on."""
    shown = diagnosis.activity if show_all else diagnosis.activity[:_ROWS]
    rows = ["WHAT EACH WAITS FOR"]
    for one in shown:
        rows += page.rows(f"{one.session}  {_WAITS[one.waiting]}: {one.why}", "  ")
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
    rows += reach_rows(look, show_all=show_all)
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
