"""The steps of a session, and what came of taking them, as text for a terminal."""

from dataclasses import replace

from wedged.diagnose import Diagnosis, restrict
from wedged.diagnose.finding_text import finding_rows
from wedged.diagnose.page import Page
from wedged.diagnose.report_text import who
from wedged.facts.finding import Confidence
from wedged.facts.recovery import Step
from wedged.recover.lines import Place, lines
from wedged.recover.plan import Plan, Planned
from wedged.recover.result import Applied, Result


def steps_text(page: Page, diagnosis: Diagnosis, session: str, found: tuple[Plan, ...], place: Place) -> str:
    """Each finding with its steps in order, each step as lines to paste that begin in the first column.

    Ends with a line break. Whatever came from the server is escaped, credentials are taken out.
    """
    blocks = [page.rows(who(diagnosis.latest))]
    if not found:
        blocks.append(_nothing(page, diagnosis, session))
    for one in found:
        blocks.append(_finding(page, diagnosis, one))
        for number, step in enumerate(one.steps, 1):
            blocks += _step(page, number, one, step, place, found)
    if any(one.ours for one in found):
        blocks.append(
            page.rows("--apply takes a finding's steps in this order, and stops when the session is well.")
        )
    if diagnosis.unknown:
        blocks.append(["NOT KNOWN", *page.bullets(f"{gap.what}: {gap.why}" for gap in diagnosis.unknown)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def before_text(page: Page, code: str, planned: Planned) -> str:
    """What a person reads before a step is taken."""
    rows = page.rows(f"{code}, {planned.step.id}: {planned.step.sentence}")
    return "".join(f"{row}\n" for row in (*rows, *_facts(page, planned.step)))


def applied_text(page: Page, applied: Applied, place: Place) -> str:
    """What was done and what came of it. A refusal is not in it: that is the error line."""
    rows = [page.line(f"{one.step.id}: {one.did}, {one.missing or 'confirmed'}") for one in applied.taken]
    if applied.outcome is not Result.REFUSED:
        rows += page.rows(f"{applied.outcome.value.replace('-', ' ').upper()}: {applied.why}.")
    for one in applied.left if applied.taken else ():
        rows += page.head(one.status, f": {one.code} {one.slug} is left", "  ")
        rows.append(page.line(f"    wedged recover {place.url} --session {one.session} --code {one.code}"))
    return "".join(f"{row}\n" for row in rows)


def _nothing(page: Page, diagnosis: Diagnosis, session: str) -> list[str]:
    about = restrict(diagnosis, session)
    state = diagnosis.latest.session(session)
    rows = page.rows(f"Nothing to recover: {session} is {state.status if state else 'unknown'}.")
    said = [f"{one.session}  {one.why}" for one in about.activity]
    said += [f"{one.code}: {one.why_not}" for one in about.considered]
    said += [f"{one.code} is past: {one.title}" for one in about.findings]
    return [*rows, *page.bullets(said)]


def _finding(page: Page, diagnosis: Diagnosis, plan: Plan) -> list[str]:
    rows = finding_rows(page, diagnosis, replace(plan.finding, recovery=()))
    if plan.finding.confidence is not Confidence.HIGH:
        rows += page.rows(f"Not sure enough for {'--apply' if plan.steps else 'any step'}.", "  ")
    return rows


def _step(
    page: Page, number: int, plan: Plan, planned: Planned, place: Place, found: tuple[Plan, ...]
) -> list[list[str]]:
    step, ways = planned.step, lines(plan, planned, place, found)
    rows = [*page.rows(step.sentence, f"{number}. ", "   "), *_facts(page, step)]
    if step.action.approves:
        rows += page.rows("Never taken by --apply: a person reads the command and answers.", "   ")
    elif planned.offer is None:
        rows += page.rows("Not through this server.", "   ")
    named = (("wedged", ways.wedged), ("curl", ways.curl), ("Python", ways.python))
    return [rows, *([f"# {step.id}, {name}", *text.split("\n")] for name, text in named if text)]


def _facts(page: Page, step: Step) -> list[str]:
    facts = (
        ("needs", step.requires),
        ("loses", step.loses),
        ("leaves", step.leaves),
        ("worked when", (step.confirms,)),
    )
    return [row for name, words in facts if words for row in page.rows(f"{name}: {'; '.join(words)}", "   ")]
