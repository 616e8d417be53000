"""A report with the headings of OpenCode's own form for bugs. Pure.

The form: https://github.com/anomalyco/opencode/blob/dev/.github/ISSUE_TEMPLATE/bug-report.yml
"""

import re
from collections.abc import Mapping, Sequence

from wedged.bundle.contents import BundleGap
from wedged.diagnose import Diagnosis
from wedged.diagnose.age import age_words
from wedged.facts.activity import Waiting
from wedged.facts.finding import Finding
from wedged.facts.plain_text import plain

_MOST = 5
_ROWS = 12


def issue_report(
    diagnosis: Diagnosis | None,
    *,
    versions: Mapping[str, object],
    plugins: Sequence[str] | None,
    terminal: str,
    gaps: Sequence[BundleGap],
    bundle: str,
) -> str:
    """Markdown, ready to be pasted into an issue: no prompts, outputs or answers.

    Whatever a server said stands in code blocks, so that nothing in it links, mentions or is taken for
    markup. `plugins` None: they could not be read.
    """
    blocks = [
        ("Description", _description(diagnosis)),
        ("Plugins", _plugins(plugins)),
        ("OpenCode version", _code([_version(diagnosis)])),
        ("Steps to reproduce", _steps(diagnosis)),
        ("Screenshot and/or share link", f"Redacted bundle, to be attached: `{_inline(bundle)}`"),
        ("Operating System", _code([str(versions.get("system", "unknown"))])),
        ("Terminal", _code([terminal or "none: wedged was not started in one"])),
    ]
    text = "\n\n".join(f"### {heading}\n\n{body}" for heading, body in blocks)
    missing = [f"{gap.collector}: {gap.what}: {gap.why}" for gap in gaps[:_ROWS]]
    left = f"\n\nNot seen:\n\n{_code(missing)}" if missing else ""
    made = f"Made by wedged {versions.get('wedged', '')} (Python {versions.get('python', '')})."
    return f"{text}{left}\n\n{made}\n"


def _description(diagnosis: Diagnosis | None) -> str:
    if diagnosis is None:
        return "(what happened; wedged could not look at the server)"
    if not diagnosis.findings:
        rows = [
            f"{one.session}: {one.why}" for one in diagnosis.activity if one.waiting is not Waiting.NOT_BUSY
        ]
        said = f"\n\n{_code(rows[:_ROWS])}" if rows else ""
        return f"(what happened)\n\n`wedged doctor` recognises nothing that is stuck.{said}"
    blocks = [_finding(one) for one in diagnosis.findings[:_MOST]]
    more = len(diagnosis.findings) - _MOST
    return "\n\n".join(blocks) + (f"\n\nand {more} more, in the bundle" if more > 0 else "")


def _finding(one: Finding) -> str:
    age = f", for {age_words(one.age_s)}" if one.age_s is not None else ""
    which = " or ".join(one.candidates) or f"{one.code} {one.slug}" + (
        f" ({one.variant})" if one.variant else ""
    )
    rows = [
        f"session {one.session}",
        f"{one.subject.kind.replace('_', ' ')} {one.subject.id}",
        *one.evidence,
        f"unless {one.unless}",
    ]
    return f"**{which}**: {one.status.value}{age}, confidence {one.confidence.value}\n\n{_code(rows)}"


def _steps(diagnosis: Diagnosis | None) -> str:
    codes = dict.fromkeys(one.code for one in (diagnosis.findings if diagnosis else ()))
    known = [f"\n`wedged explain {code}` has the page of this class." for code in codes]
    return "\n".join(["1. (what led to it)", *known])


def _plugins(plugins: Sequence[str] | None) -> str:
    if plugins is None:
        return "(could not be read)"
    return _code(list(plugins)) if plugins else "none"


def _version(diagnosis: Diagnosis | None) -> str:
    if diagnosis is None:
        return "unknown"
    identity = diagnosis.latest.identity
    return f"{identity.version or 'unknown'} ({identity.line.value})"


def _code(rows: Sequence[str]) -> str:
    """Rows in a block of code that none of them can end."""
    lines = [plain(row) for row in rows]
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence, *lines, fence])


def _inline(text: str) -> str:
    return plain(text).replace("`", "'")
