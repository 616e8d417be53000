"""The pending asks as text and as JSON."""

import json
import shlex
from collections.abc import Iterable, Sequence

from wedged.catalog.ask_standing import Standing
from wedged.diagnose.age import age_words
from wedged.diagnose.page import Page
from wedged.diagnose.pending import Pending
from wedged.diagnose.report_text import Login, curl
from wedged.facts.ask import AskKind
from wedged.facts.redaction import redact_value
from wedged.facts.snapshot import Snapshot
from wedged.facts.wrapping import WIDTH

_SCHEMA = 1


def asks_text(
    asks: Sequence[Pending],
    look: Snapshot,
    *,
    login: Login | None = None,
    secrets: Iterable[str] = (),
    width: int = WIDTH,
) -> str:
    """One block an ask, ending with a line break. Commands are shown: that is what is asked about. What looks
    like a credential in them is redacted all the same, and what came from the server is escaped. Rows are at
    most `width` wide, but for lines to paste."""
    page = Page(width, tuple(secrets))
    blocks = [[page.line(look.source)]]
    blocks += [_block(page, one, look.source, login) for one in asks]
    if not asks:
        blocks.append(["No ask is pending." if not look.gaps else "No ask is pending in what could be read."])
    if look.gaps:
        blocks.append(["NOT KNOWN", *page.bullets(f"{gap.what}: {gap.why}" for gap in look.gaps)])
    blocks.append(page.rows(f"Asked: {', '.join(scope.directory for scope in look.scopes)}"))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def asks_json(asks: Sequence[Pending], look: Snapshot, *, secrets: Iterable[str] = ()) -> str:
    """One line of JSON in ASCII: ``{"schema", "target", "asks", "unknown", "directories"}``."""
    tree = {
        "schema": _SCHEMA,
        "target": {"kind": "url", "name": look.source},
        "asks": [_document(one) for one in asks],
        "unknown": [{"what": gap.what, "why": gap.why} for gap in look.gaps],
        "directories": [scope.directory for scope in look.scopes],
    }
    return json.dumps(redact_value(tree, tuple(secrets)), ensure_ascii=True, separators=(",", ":"))


def facts_of(one: Pending) -> list[tuple[str, str]]:
    """What a person reads before deciding, as names and values. Neither escaped nor redacted."""
    ask, session = one.ask, one.seen.session
    rows = [
        ("action", ask.action),
        ("command" if ask.kind is AskKind.PERMISSION else "question", one.about or "(could not be read)"),
        ("patterns", ", ".join(ask.resources)),
        ("directory", ask.directory),
        ("session", f"{ask.session_id} (sub-agent of {one.parent})" if one.parent else ask.session_id),
        ("title", session.title if session else ""),
    ]
    return [(name, value) for name, value in rows if value]


def _block(page: Page, one: Pending, url: str, login: Login | None) -> list[str]:
    ask, seen = one.ask, one.seen
    age = f", asked {age_words(seen.age_s)} ago" if seen.age_s is not None else ""
    state = "" if seen.standing is Standing.LIVE else f", {seen.standing.value}: {seen.why}"
    rows = page.rows(f"{ask.id}{age}{state}")
    rows += [row for name, value in facts_of(one) for row in page.fact(name, value)]
    if seen.standing is Standing.LEFTOVER:
        return [*rows, *page.rows("nothing waits for it; there is nothing to answer", "  ")]
    for name, request in one.answers:
        line = curl({"method": request.method, "path": request.path, "body": request.body}, url, login)
        typed = f"  {name:<10} wedged answer {shlex.quote(ask.id)} {url} --{name}"
        rows += [page.line(typed), page.line(f"             {line}")]
    if ask.kind in _TO_ANSWER:
        rows.append(page.line(f"  to answer  {_TO_ANSWER[ask.kind]}"))
    return rows


_JSON = "-H 'content-type: application/json' -d"
_TO_ANSWER = {
    AskKind.QUESTION: "the same curl to /reply, with one list of labels a question: "
    f"""{_JSON} '{{"answers":[["label"]]}}'""",
    AskKind.FORM: "POST to the form's own path and /reply, with a label a field, or a list where it takes "
    f"""several: {_JSON} '{{"answer":{{"q0":"label"}}}}'""",
}


def _document(one: Pending) -> dict[str, object]:
    ask, seen = one.ask, one.seen
    return {
        "id": ask.id,
        "kind": ask.kind.value,
        "standing": seen.standing.value,
        "why": seen.why,
        "age_s": None if seen.age_s is None else round(seen.age_s, 1),
        "action": ask.action,
        "about": one.about,
        "patterns": list(ask.resources),
        "directory": ask.directory,
        "session": ask.session_id,
        "parent": one.parent,
        "call": ask.call_id,
        "listed_by": list(ask.listed_by),
        "answers": {
            name: {"method": request.method, "path": request.path, "body": request.body}
            for name, request in one.answers
        },
    }
