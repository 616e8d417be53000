"""A diagnosis as one JSON document, schema 1."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from wedged.catalog import CLASSES
from wedged.diagnose import document as doc
from wedged.diagnose.diagnosis import Diagnosis
from wedged.diagnose.included import included
from wedged.diagnose.one_ask import AskAnswer
from wedged.facts.activity import Activity
from wedged.facts.finding import Finding, RecoveryOffer
from wedged.facts.redaction import redact_value
from wedged.facts.snapshot import Origin


def report_json(
    diagnosis: Diagnosis, *, show_all: bool = False, include: bool = False, secrets: Iterable[str] = ()
) -> str:
    """One line of JSON, in ASCII: a terminal that shows it obeys nothing in it.

    `show_all` adds what was considered, `include` the commands that asks gate; `secrets` and everything
    shaped like a credential are redacted in any case.
    """
    tree = redact_value(msgspec.to_builtins(_document(diagnosis, show_all, include)), secrets)
    return json.dumps(tree, ensure_ascii=True, separators=(",", ":"))


def _document(diagnosis: Diagnosis, show_all: bool, include: bool) -> doc.DoctorDocument:
    look = diagnosis.latest
    considered = diagnosis.considered if show_all else ()
    return doc.DoctorDocument(
        schema=doc.SCHEMA,
        target=doc.TargetDocument("url" if look.origin is Origin.LIVE else look.origin.value, look.source),
        server=doc.ServerDocument(look.identity.line.value, look.identity.version),
        findings=tuple(
            _finding(finding, included(diagnosis, finding) if include else {})
            for finding in diagnosis.findings
        ),
        unknown=tuple(doc.UnknownDocument(gap.what, gap.why) for gap in diagnosis.unknown),
        checked=doc.CheckedDocument(
            taken=_time(look.taken_ms),
            codes=tuple(one.code for one in CLASSES),
            scopes=tuple(doc.ScopeDocument(scope.directory, scope.reads) for scope in look.scopes),
            sessions=len(look.sessions),
            asks=len(look.asks),
            considered=tuple(doc.ConsideredDocument(c.code, c.session, c.why_not) for c in considered),
            blind=tuple(doc.UnknownDocument(gap.what, gap.why) for gap in look.blind),
            seconds_between=_seconds_between(diagnosis),
            holders=tuple(
                doc.HolderDocument(one.name, one.pid, _time(int(one.created * 1000)))
                for one in (look.holders.seen if look.holders else ())
            ),
        ),
        activity=tuple(_activity(one) for one in diagnosis.activity),
        ask=_ask(diagnosis.ask) if diagnosis.ask else None,
    )


def _seconds_between(diagnosis: Diagnosis) -> float | None:
    return None if diagnosis.seconds_between is None else round(diagnosis.seconds_between, 3)


def _activity(one: Activity) -> doc.ActivityDocument:
    moved = one.progress
    return doc.ActivityDocument(
        session=one.session,
        directory=one.directory,
        waiting=one.waiting.value,
        why=one.why,
        ask=one.ask,
        through=one.through,
        progress=None
        if moved is None
        else doc.ProgressDocument(
            round(moved.seconds, 3), moved.calls, moved.answers, moved.pieces, moved.attempts
        ),
    )


def _ask(answer: AskAnswer) -> doc.AskDocument:
    seen = answer.seen.ask if answer.seen else None
    return doc.AskDocument(
        id=answer.id,
        verdict=answer.verdict.value,
        sentence=answer.sentence,
        session=seen.session_id if seen else "",
        directory=seen.directory if seen else "",
        age_s=None if answer.age_s is None else round(answer.age_s, 1),
    )


def _finding(finding: Finding, extra: dict[str, str]) -> doc.FindingDocument:
    subject = finding.subject
    return doc.FindingDocument(
        id=finding.id,
        code=finding.code,
        slug=finding.slug,
        title=finding.title,
        variant=finding.variant,
        status=finding.status.value,
        session=finding.session,
        directory=finding.directory,
        subject=doc.SubjectDocument(subject.kind, subject.id, subject.message_id),
        candidates=finding.candidates,
        since=None if finding.since_ms is None else _time(finding.since_ms),
        age_s=None if finding.age_s is None else round(finding.age_s, 1),
        confidence=finding.confidence.value,
        unless=finding.unless,
        evidence=finding.evidence,
        recovery=tuple(_recovery(offer) for offer in finding.recovery),
        page=finding.page,
        included=extra,
    )


def _recovery(offer: RecoveryOffer) -> doc.RecoveryDocument:
    return doc.RecoveryDocument(
        id=offer.id,
        sentence=offer.sentence,
        do=msgspec.convert(offer.do, doc.RequestDocument),
        loses=offer.loses,
        leaves=offer.leaves,
        confirms=offer.confirms,
        requires=offer.requires,
        safe_to_automate=offer.safe_to_automate,
    )


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
