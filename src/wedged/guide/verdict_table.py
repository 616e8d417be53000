"""Verdicts as a reader meets them: a chip a version at the top, one row a claim in the evidence."""

import re
from collections.abc import Container, Sequence
from html import escape

from wedged.evidence import ClassVerdict
from wedged.facts.failure_class import FailureClass
from wedged.facts.markdown_text import own_cell, table_cell
from wedged.facts.trial import ClaimVerdict, ClassState, Verdict

# As many chips as two lines of a phone hold.
_CHIPS = 4
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


# These need no reason.
_SILENT = ("present", "gone", "holds", "does-not-hold")


class Notes:
    """The reasons below one table, each once: a run leaves out many arms for the same reason."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, state: ClassState | Verdict, why: str, words: str) -> str:
        """The number of the reason, raised; "" where the verdict speaks for itself."""
        if state.value in _SILENT or not why:
            return ""
        # Some reasons begin with the cell's own words.
        reason = table_cell(why.removeprefix(f"{words}: "), 200)
        return f"<sup>{self._numbers.setdefault(reason, len(self._numbers) + 1)}</sup>"

    def rows(self) -> list[str]:
        """The list that stands below the table."""
        return ["", *(f"{number}. {reason}" for reason, number in self._numbers.items())]


def raw_anchor(server: str, arm: str) -> str:
    """The anchor of the row that holds the trials of one arm on one server."""
    return "raw-" + re.sub(r"[^a-z0-9]+", "-", f"{server} {arm}".lower()).strip("-")


def chips(failure_class: FailureClass, verdicts: Sequence[ClassVerdict]) -> str:
    """One HTML list: version, state in words, and k of n of the defining claim.

    More than a few versions share a chip a state: a phone's first screen has to hold the cure as well.
    """
    if not verdicts:
        return '<p class="wedged-verdicts">Not run on any server yet.</p>\n'
    if len(verdicts) > _CHIPS:
        states = dict.fromkeys((verdict.state, state_word(verdict, verdicts)) for verdict in verdicts)
        items = "".join(_shared_chip(state, word, verdicts) for state, word in states)
    else:
        items = "".join(_chip(failure_class, verdict, state_word(verdict, verdicts)) for verdict in verdicts)
    return f'<ul class="wedged-verdicts" aria-label="Verdict by version">{items}</ul>\n'


def state_word(verdict: ClassVerdict, verdicts: Sequence[ClassVerdict]) -> str:
    """The state as a reader reads it, `verdicts` (the class's, oldest version first) beside it: what is gone
    from a server older than the first one that has it is not there yet."""
    if verdict.state is ClassState.GONE:
        line = [v for v in verdicts if v.server.partition("@")[0] == verdict.server.partition("@")[0]]
        before = line[: line.index(verdict)]
        present = [v.state is ClassState.PRESENT for v in line]
        if any(present) and not any(v.state is ClassState.PRESENT for v in before):
            return "not there yet"
    return STATE_WORDS[verdict.state]


def _shared_chip(state: ClassState, word: str, verdicts: Sequence[ClassVerdict]) -> str:
    servers = [v.server for v in verdicts if v.state is state and state_word(v, verdicts) == word]
    lines = {
        name: [s.partition("@")[2] for s in servers if s.startswith(name + "@")] for name in ("v1", "v2")
    }
    shown = "; ".join(f"{name} {', '.join(map(escape, of))}" for name, of in lines.items() if of)
    return f'<li class="wedged-{state.value}"><b>{word}</b> {shown}</li>'


def _chip(failure_class: FailureClass, verdict: ClassVerdict, word: str) -> str:
    counted = verdict.claim(failure_class.defining.id)
    count = f" {counted.k}/{counted.n}" if counted.n else ""
    return f'<li class="wedged-{verdict.state.value}"><b>{escape(verdict.server)}</b> {word}{count}</li>'


def state_words(verdicts: Sequence[ClassVerdict]) -> str:
    """The states in one table cell: ``v1@1.17.18 present, v1@1.18.34 present``."""
    if not verdicts:
        return "not run yet"
    return ", ".join(f"{table_cell(v.server)} **{state_word(v, verdicts)}**" for v in verdicts)


def claim_table(
    failure_class: FailureClass, verdicts: Sequence[ClassVerdict], *, arms: Container[str] | None = None
) -> str:
    """A Markdown table: a row a claim, a column a server. `arms` leaves out claims of other arms."""
    claims = [claim for claim in failure_class.claims if arms is None or claim.arm in arms]
    if not verdicts or not claims:
        return ""
    servers = [table_cell(v.server) for v in verdicts]
    lines = ["| claim | " + " | ".join(servers) + " |", "|---|" + "---|" * len(servers)]
    notes = Notes()
    for claim in claims:
        mark = " (defining)" if claim.defining else " (control)" if claim.control else ""
        cells = [_claim_cell(v.claim(claim.id), notes) for v in verdicts]
        lines.append(f"| {own_cell(claim.sentence)}{mark}<br>`{claim.id}` | {' | '.join(cells)} |")
    return "\n".join([*lines, *notes.rows()]).rstrip("\n") + "\n"


def _claim_cell(verdict: ClaimVerdict, notes: Notes) -> str:
    word = VERDICT_WORDS[verdict.verdict]
    words = f"**{word}**{notes.mark(verdict.verdict, verdict.why, word)}"
    if verdict.n and verdict.low is not None and verdict.high is not None:
        words += f"<br>{verdict.k} of {verdict.n}, {percent(verdict.low)} to {percent(verdict.high)}"
    return words


def percent(share: float) -> str:
    """A share of one as whole percent; what is not quite 0 or 100 never reads as if it were."""
    whole = round(100 * share)
    if (whole, share) != (100, 1.0) and whole == 100:
        whole = 99
    if whole == 0 and share > 0:
        return "under 1%"
    return f"{whole}%"
