"""The document of `wedged recover --json`, schema 1. Fields are only added; enums are open."""

import json
from dataclasses import dataclass

import msgspec

from wedged.diagnose import Diagnosis
from wedged.diagnose.document import (
    RequestDocument,
    ServerDocument,
    SubjectDocument,
    TargetDocument,
    UnknownDocument,
)
from wedged.diagnose.document import schema_text as schema_of
from wedged.facts.finding import Finding
from wedged.facts.redaction import redact_value
from wedged.recover.lines import Place, lines
from wedged.recover.plan import Plan, Planned
from wedged.recover.result import Applied, Result

SCHEMA = 1
SCHEMA_FILE = "recover.schema.json"


@dataclass(frozen=True)
class StepDocument:
    """One step. `do` is null for an approval, which `wedged recover` never takes, for what is done on another
    server (`elsewhere`), and for a request that holds what looks like a credential: with that taken out it
    would do something else. `wedged`, `curl` and `python` are lines to paste, "" where there is none."""

    id: str
    sentence: str
    do: RequestDocument | None
    wedged: str
    curl: str
    python: str
    loses: tuple[str, ...]
    leaves: tuple[str, ...]
    confirms: str
    requires: tuple[str, ...]
    approves: bool
    elsewhere: bool


@dataclass(frozen=True)
class PlanDocument:
    """A finding and its steps, in order."""

    id: str
    code: str
    slug: str
    title: str
    variant: str
    status: str
    confidence: str
    unless: str
    session: str
    directory: str
    subject: SubjectDocument
    steps: tuple[StepDocument, ...]


@dataclass(frozen=True)
class TakenDocument:
    """A step that was taken. `did` is its request without the body, or what became of a process; `missing`
    says what its effect lacks, "" where it was confirmed."""

    step: str
    did: str
    missing: str


@dataclass(frozen=True)
class LeftDocument:
    """A finding that the session has after the steps, which may be a mere notice."""

    id: str
    code: str
    status: str


@dataclass(frozen=True)
class RecoverDocument:
    """The whole document. `outcome`: nothing, steps, well, not-well or refused; `why` is its sentence."""

    schema: int
    target: TargetDocument
    server: ServerDocument
    session: str
    outcome: str
    why: str
    findings: tuple[PlanDocument, ...]
    taken: tuple[TakenDocument, ...]
    left: tuple[LeftDocument, ...]
    unknown: tuple[UnknownDocument, ...]


def recover_json(
    diagnosis: Diagnosis, session: str, found: tuple[Plan, ...], place: Place, applied: Applied | None = None
) -> str:
    """One line of JSON, in ASCII: a terminal that shows it obeys nothing in it. `applied` is None where the
    steps are only shown."""
    look = diagnosis.latest
    document = RecoverDocument(
        schema=SCHEMA,
        target=TargetDocument("url", look.source),
        server=ServerDocument(look.identity.line.value, look.identity.version),
        session=session,
        outcome=(applied.outcome if applied else Result.STEPS if found else Result.NOTHING).value,
        why=applied.why if applied else "",
        findings=tuple(_plan(one, place, found) for one in found),
        taken=tuple(TakenDocument(one.step.id, one.did, one.missing) for one in applied.taken)
        if applied
        else (),
        left=tuple(_left(one) for one in applied.left) if applied else (),
        unknown=tuple(UnknownDocument(gap.what, gap.why) for gap in diagnosis.unknown),
    )
    tree = redact_value(msgspec.to_builtins(document), place.secrets)
    return json.dumps(tree, ensure_ascii=True, separators=(",", ":"))


def schema_text() -> str:
    """The JSON Schema of `RecoverDocument`, as the file beside this module holds it."""
    return schema_of(RecoverDocument)


def _plan(one: Plan, place: Place, found: tuple[Plan, ...]) -> PlanDocument:
    finding, subject = one.finding, one.finding.subject
    return PlanDocument(
        id=finding.id,
        code=finding.code,
        slug=finding.slug,
        title=finding.title,
        variant=finding.variant,
        status=finding.status.value,
        confidence=finding.confidence.value,
        unless=finding.unless,
        session=finding.session,
        directory=finding.directory,
        subject=SubjectDocument(subject.kind, subject.id, subject.message_id),
        steps=tuple(_step(one, step, place, found) for step in one.steps),
    )


def _step(plan: Plan, planned: Planned, place: Place, found: tuple[Plan, ...]) -> StepDocument:
    step, ways = planned.step, lines(plan, planned, place, found)
    do = None if planned.offer is None or step.action.approves else planned.offer.do
    whole = do is not None and redact_value(do, place.secrets) == do
    return StepDocument(
        id=step.id,
        sentence=step.sentence,
        do=msgspec.convert(do, RequestDocument) if whole else None,
        wedged=ways.wedged,
        curl=ways.curl,
        python=ways.python,
        loses=step.loses,
        leaves=step.leaves,
        confirms=step.confirms,
        requires=step.requires,
        approves=step.action.approves,
        elsewhere=step.elsewhere,
    )


def _left(one: Finding) -> LeftDocument:
    return LeftDocument(one.id, one.code, one.status.value)
