"""The page of a failure class, in the order of the design. Pure: facts in, Markdown out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from nbformat import NotebookNode

from wedged.evidence import ClassVerdict, RunRecord
from wedged.facts.failure_class import FailureClass
from wedged.facts.markdown_text import table_cell
from wedged.facts.trial import Trial, Verdict
from wedged.guide.cures import Dialect, Dialects, confirmed, cure_section
from wedged.guide.exporter import Size, body
from wedged.guide.freshness import stamp
from wedged.guide.look_alike_table import look_alike_table
from wedged.guide.notebook import stopped
from wedged.guide.safe_markdown import words_only
from wedged.guide.sections import Section, demoted, split
from wedged.guide.verdict_table import chips, claim_table, raw_anchor

_SIGNS = 2
_IDS = ("ASK", "SHELL_ID", "MESSAGE_ID", "PART", "PID", "SESSION")
# Sections of a notebook that have a place of their own on the page.
_PLACED = {"why": "Why", "prevent": "Prevent", "prevention": "Prevent"}
# The page has these of its own, and they stand even where the notebook never came to showing its.
_LEFT_OUT = frozenset({"is it fixed?", "what a user sees"})


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What a page is made of. `notebook` is the executed one, None where the run holds none; `figures` gives
    the size of each of the run's figures; `dialects` says how each line of servers is spoken to."""

    failure_class: FailureClass
    verdicts: tuple[ClassVerdict, ...]
    record: RunRecord
    trials: tuple[Trial, ...]
    notebook: NotebookNode | None
    figures: Mapping[str, Size]
    dialects: Dialects


def class_page(facts: PageFacts) -> str:
    """The Markdown of the page ``classes/<code>-<slug>.md``."""
    of = facts.failure_class
    sections = split(body(facts.notebook, facts.figures)) if facts.notebook is not None else ()
    parts = [
        _front_matter(of),
        f"# {of.title}\n",
        chips(of, facts.verdicts),
        "## What you see\n",
        _see(of.see),
        "## Do this now\n",
        _danger(facts),
        _cures(facts),
        "## Evidence\n",
        _stopped(facts.notebook),
        _claims(facts),
        _counting(facts.verdicts),
        _raw_data(facts.trials),
        *(demoted(s) for s in sections if s.title.lower() not in {*_PLACED, *_LEFT_OUT}),
        _placed(sections, "Why", of.summary),
        look_alike_table(of, facts.verdicts, facts.trials),
        _placed(sections, "Prevent", ""),
        _made(facts),
        _links(of),
        _aliases(of),
    ]
    return "\n".join(part for part in parts if part)


def _front_matter(of: FailureClass) -> str:
    # JSON is YAML, and quotes whatever a title may hold. The tags are what the search weighs most.
    meta = {
        "title": of.title,
        "description": of.summary,
        "tags": [of.code, of.slug, *of.aliases],
        "search": {"boost": of.search_weight},
    }
    lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in meta.items())
    return "---\n" + "\n".join(lines) + "\n---\n"


def _see(signs: Sequence[str]) -> str:
    # Two signs are enough to go on by, and leave a phone's first screen room for the cure.
    first, rest = signs[:_SIGNS], signs[_SIGNS:]
    lines = [f"- {sign}" for sign in first]
    if rest:
        lines += ["", f'??? note "{len(rest)} more signs"', "", *(f"    - {sign}" for sign in rest)]
    return "\n".join(lines) + "\n"


def _stopped(notebook: NotebookNode | None) -> str:
    stop = stopped(notebook) if notebook is not None else None
    if stop is None:
        return ""
    return (
        f'!!! failure "The notebook did not run to its end"\n\n    {words_only(stop.message)}\n\n'
        "    What follows was recorded before that. The verdicts come from the trials, not from here.\n"
    )


def _danger(facts: PageFacts) -> str:
    """The box before the cures: what they destroy in a state that looks alike, as this run measured it."""
    of = facts.failure_class
    if not of.danger:
        return ""
    lines = ['!!! danger "Before you do any of this"', "", f"    {of.danger}", ""]
    for claim_id in of.harm:
        shown = [(v.server, v.claim(claim_id)) for v in facts.verdicts]
        held = ", ".join(f"{table_cell(on)} {c.k} of {c.n}" for on, c in shown if c.verdict is Verdict.HOLDS)
        lines.append(f"    - {of.claim(claim_id).sentence} Measured: {held or 'not in this run'}.")
    return "\n".join(lines) + "\n"


def _cures(facts: PageFacts) -> str:
    cures = confirmed(facts.failure_class, facts.verdicts)
    if not cures:
        return "No cure was executed and confirmed in this run, so none is given here.\n"
    shown = "\n".join(cure_section(cure, _dialects(facts, cure.on)) for cure in cures)
    ids = [f"`{name}`" for name in _IDS if f"${name}" in shown]
    return shown + (
        f"\n`URL` is the server, `DIRECTORY` the session's own directory, {' and '.join(ids)} the ids in the "
        "first answer. A server with a password (a V2 always has one) takes "
        '`-u opencode:"$OPENCODE_PASSWORD"` as well. '
        "A request that names another directory finds nothing there, as if the id did not exist.\n"
    )


def _dialects(facts: PageFacts, servers: Sequence[str]) -> tuple[Dialect, ...]:
    """The dialects of these servers, each once, in the order of `facts.dialects`."""
    lines = {identity.line for identity in facts.record.servers if identity.key in servers}
    return tuple(dialect for line, dialect in facts.dialects.items() if line in lines)


def _claims(facts: PageFacts) -> str:
    """The claims about the failure itself; those about cures, variants and prevention fold away below."""
    of = facts.failure_class
    core = {claim.arm for claim in of.claims if claim.control or claim.defining}
    shown = claim_table(of, facts.verdicts, arms=core)
    rest = claim_table(of, facts.verdicts, arms={claim.arm for claim in of.claims} - core)
    if not rest:
        return shown or "This run holds no trial of this class.\n"
    folded = "".join(f"    {line}\n" for line in rest.splitlines())
    return f'{shown}\n??? abstract "Every other claim of this class"\n\n{folded}'


def _counting(verdicts: Sequence[ClassVerdict]) -> str:
    if not verdicts:
        return ""
    return (
        "The percentages are exact 95% intervals. n counts sessions on one server: repetitions of a policy, "
        "not independent servers. [What counts as evidence](../method.md).\n"
    )


def _raw_data(trials: Sequence[Trial]) -> str:
    if not any(trial.evidence for trial in trials):
        return ""
    lines = [
        '??? abstract "Raw data, one timeline a trial"',
        "",
        "    | server | arm | trials |",
        "    |---|---|---|",
    ]
    for (server, arm), group in groupby(trials, key=lambda t: (t.server, t.arm)):
        links = " ".join(
            f"[{t.n}](../{t.evidence}){'' if t.valid else ' (invalid)'}" for t in group if t.evidence
        )
        anchor = f'<span id="{raw_anchor(server, arm)}"></span>'
        lines.append(f"    | {anchor}{table_cell(server)} | {table_cell(arm)} | {links} |")
    lines += [
        "",
        "    [results.jsonl](../results.jsonl) holds every outcome, [run.json](../run.json) the run.",
        "",
    ]
    return "\n".join(lines)


def _placed(sections: Sequence[Section], name: str, otherwise: str) -> str:
    texts = [s.text for s in sections if _PLACED.get(s.title.lower()) == name]
    text = "\n\n".join(texts) or otherwise
    return f"## {name}\n\n{text}\n" if text else ""


def _made(facts: PageFacts) -> str:
    of, record = facts.failure_class, facts.record
    lines = ["## How this page was made", ""]
    if facts.notebook is not None:
        lines.append("This page is a notebook, executed against real servers with the model scripted: ")
        lines[-1] += f"[as executed](../notebooks/{of.name}.ipynb), "
        lines[-1] += f"[as source](../notebooks/{of.name}.source.ipynb). One command makes it again:"
        lines.append("")
    else:
        lines += ["This run holds no notebook of this class. One command makes one:", ""]
    servers = " ".join(dict.fromkeys(v.server for v in facts.verdicts))
    most = max((trial.n for trial in facts.trials), default=0)
    options = (f" TRIALS={most}" if most else "") + (f' SERVERS="{servers}"' if servers else "")
    lines += ["```bash", f"make guide{options}", "```", ""]
    lines.append(f"- Run `{record.id}`, started {record.started}, seed {record.seed}.")
    lines += [f"- Evidence for {table_cell(v.server)}: {stamp(v.started)}." for v in facts.verdicts]
    for identity in record.servers:
        digest = f", binary sha256 `{identity.binary_sha256}`" if identity.binary_sha256 else ""
        lines.append(f"- {table_cell(identity.key)}{digest}")
    lines.append("- What this can't show: [method and limits](../method.md#what-this-cannot-show).")
    return "\n".join(lines) + "\n"


def _links(of: FailureClass) -> str:
    if not of.links:
        return ""
    return "## Upstream\n\n" + "\n".join(f"- [{title}]({url})" for title, url in of.links) + "\n"


def _aliases(of: FailureClass) -> str:
    words = "\n".join(f"- {words_only(alias)}" for alias in of.aliases)
    return f"## People also paste\n\n{words}\n" if of.aliases else ""
