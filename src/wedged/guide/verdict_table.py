"""Verdicts as a reader meets them: a chip a version at the top, one row a claim in the evidence."""

import re
from collections.abc import Container, Sequence
from html import escape

from wedged.evidence import ClassVerdict
from wedged.facts.failure_class import FailureClass
from wedged.facts.markdown_text import own_cell, table_cell
from wedged.facts.trial import ClaimVerdict, ClassState, Verdict

STATE_WORDS = {
    ClassState.PRESENT: "present",
    ClassState.GONE: "gone",
    ClassState.FLAKY: "flaky",
    ClassState.ABSENT: "no such feature",
    ClassState.INCONCLUSIVE: "inconclusive",
    ClassState.NOT_RUN: "not run",
}
VERDICT_WORDS = {
    Verdict.HOLDS: "holds",
    Verdict.DOES_NOT_HOLD: "does not hold",
    Verdict.FLAKY: "flaky",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.NOT_RUN: "not run",
    Verdict.ABSENT: "no such feature",
}


def raw_anchor(server: str, arm: str) -> str:
    """The anchor of the row that holds the trials of one arm on one server."""
    return "raw-" + re.sub(r"[^a-z0-9]+", "-", f"{server} {arm}".lower()).strip("-")


def chips(failure_class: FailureClass, verdicts: Sequence[ClassVerdict]) -> str:
    """One HTML list: version, state in words, and k of n of the defining claim."""
    if not verdicts:
        return '<p class="wedged-verdicts">Not run on any server yet.</p>\n'
    items = "".join(_chip(failure_class, verdict) for verdict in verdicts)
    return f'<ul class="wedged-verdicts" aria-label="Verdict by version">{items}</ul>\n'


def _chip(failure_class: FailureClass, verdict: ClassVerdict) -> str:
    counted = verdict.claim(failure_class.defining.id)
    count = f" {counted.k}/{counted.n}" if counted.n else ""
    return (
        f'<li class="wedged-{verdict.state.value}"><b>{escape(verdict.server)}</b> '
        f"{STATE_WORDS[verdict.state]}{count}</li>"
    )


def state_words(verdicts: Sequence[ClassVerdict]) -> str:
    """The states in one table cell: ``v1@1.17.18 present, v1@1.18.34 present``."""
    if not verdicts:
        return "not run yet"
    return ", ".join(f"{table_cell(v.server)} **{STATE_WORDS[v.state]}**" for v in verdicts)


def claim_table(
    failure_class: FailureClass, verdicts: Sequence[ClassVerdict], *, arms: Container[str] | None = None
) -> str:
    """A Markdown table: a row a claim, a column a server. `arms` leaves out claims of other arms."""
    claims = [claim for claim in failure_class.claims if arms is None or claim.arm in arms]
    if not verdicts or not claims:
        return ""
    servers = [table_cell(v.server) for v in verdicts]
    lines = ["| claim | " + " | ".join(servers) + " |", "|---|" + "---|" * len(servers)]
    for claim in claims:
        mark = " (defining)" if claim.defining else " (control)" if claim.control else ""
        cells = [_claim_cell(v.claim(claim.id)) for v in verdicts]
        lines.append(f"| {own_cell(claim.sentence)}{mark}<br>`{claim.id}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _claim_cell(verdict: ClaimVerdict) -> str:
    words = f"**{VERDICT_WORDS[verdict.verdict]}**"
    if verdict.n and verdict.low is not None and verdict.high is not None:
        words += f"<br>{verdict.k} of {verdict.n}, {percent(verdict.low)} to {percent(verdict.high)}"
    if verdict.verdict not in (Verdict.HOLDS, Verdict.DOES_NOT_HOLD):
        words += f"<br>{table_cell(verdict.why, 200)}"
    return words


def percent(share: float) -> str:
    """A share of one as whole percent; what is not quite 0 or 100 never reads as if it were."""
    whole = round(100 * share)
    if (whole, share) != (100, 1.0) and whole == 100:
        whole = 99
    if whole == 0 and share > 0:
        return "under 1%"
    return f"{whole}%"
