"""One tracker issue a class: opened on a change, updated while red, closed on green. What to do is pure.

A class is red where the comparison holds a change of it, green where it holds neither change nor doubt; a
night that does not know (inconclusive, a lost shard) opens and closes nothing of the class, and has an issue
of its own, ``night``: nights that fail quietly are noticed.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wedged.facts.plain_text import plain

LABEL = "wedged-nightly"
NIGHT, DRILL = "night", "fire-drill"
_MARK = re.compile(r"<!-- wedged-nightly:([\w-]+) -->")
_MOST = 40


class Deed(StrEnum):
    """What is done to an issue."""

    OPEN = "open"
    UPDATE = "update"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Issue:
    """An open issue of ours: its number, what it is about (a class's code, `NIGHT` or `DRILL`), its body."""

    number: int
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Act:
    """One deed: `number` is 0 for an issue that is to be opened."""

    deed: Deed
    subject: str
    number: int
    title: str
    body: str


def subject_of(body: str) -> str:
    """What an issue of ours is about, "" for anybody else's."""
    found = _MARK.search(body)
    return found[1] if found else ""


def plan(
    issues: Iterable[Issue],
    comparison: Mapping[str, object],
    *,
    covered: Collection[str],
    run_url: str,
    fire_drill: bool = False,
) -> tuple[Act, ...]:
    """What is to be done after a night.

    `comparison` is its document (`comparison_document.document`), `covered` the classes it was to cover: of
    another class nothing is opened or closed. `fire_drill` makes one more subject red, which the next night
    without it closes. Of two issues about one subject the older one is kept and the others are closed.
    """
    changes, doubts = _lines(comparison.get("changes")), _lines(comparison.get("doubts"))
    red = {code: lines for code, lines in changes.items() if code in covered}
    if doubts or not covered:
        red[NIGHT] = [line for lines in doubts.values() for line in lines] or ["the night covered nothing"]
    if fire_drill:
        red[DRILL] = ["a drill: nothing is wrong; the next night closes this"]
    green = (set(covered) - set(red) - set(doubts)) | ({NIGHT, DRILL} - set(red))
    acts: list[Act] = []
    kept: set[str] = set()
    for issue in sorted(issues, key=lambda one: one.number):
        twin = issue.subject in kept
        kept.add(issue.subject)
        if issue.subject in red and not twin:
            body = _body(issue.subject, red[issue.subject], run_url)
            if body != issue.body:
                acts.append(Act(Deed.UPDATE, issue.subject, issue.number, _title(issue.subject), body))
        elif issue.subject in green or twin:
            words = f"As expected again: {run_url}" if not twin else "Another issue is about the same."
            acts.append(Act(Deed.CLOSE, issue.subject, issue.number, "", words))
    acts += [
        Act(Deed.OPEN, subject, 0, _title(subject), _body(subject, lines, run_url))
        for subject, lines in sorted(red.items())
        if subject not in kept
    ]
    return tuple(acts)


def _title(subject: str) -> str:
    titles = {NIGHT: "Nightly: the night does not know everything", DRILL: "Nightly: fire drill"}
    return titles.get(subject, f"Nightly: {subject} changed")


def _body(subject: str, lines: Sequence[str], run_url: str) -> str:
    shown = [*lines[:_MOST], *([f"… and {len(lines) - _MOST} more"] if len(lines) > _MOST else [])]
    # In a fence nothing of a server's words is markup, a mention or a link; no line may end the fence.
    fenced = "\n".join(plain(line).replace("```", "'''") for line in shown)
    return f"<!-- wedged-nightly:{subject} -->\n```text\n{fenced}\n```\n{run_url}\n"


def _lines(entries: object) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, dict):
            continue
        found.setdefault(str(entry.get("class")), []).extend(
            (
                f"{entry.get('kind')}: {entry.get('claim')} on {entry.get('server')}",
                f"    before: {_side(entry.get('before'))}",
                f"    now: {_side(entry.get('now'))}",
                f"    {entry.get('why')}",
            )
        )
    return found


def _side(side: object) -> str:
    if not isinstance(side, dict):
        return "nothing is known"
    count = f"{side.get('k')}/{side.get('n')}"
    return f"{side.get('verdict')} {count} on {side.get('server')}, run {side.get('run')}"
