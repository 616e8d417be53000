"""A diagnosis as one JSON document, schema 1."""

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from wedged.catalog import CLASSES
from wedged.diagnose import document as doc
from wedged.diagnose.diagnosis import Diagnosis
from wedged.diagnose.included import included
from wedged.diagnose.one_ask import AskAnswer
from wedged.diagnose.reach import Reached, reached
from wedged.facts.activity import Activity
from wedged.facts.finding import Finding, RecoveryOffer
from wedged.facts.redaction import redact_value
from wedged.facts.snapshot import Origin, Snapshot


def report_json(
    diagnosis: Diagnosis,
    *,
    kind: str = "",
    show_all: bool = False,
    include: bool = False,
    secrets: Iterable[str] = (),
) -> str:
    """One line of JSON, in ASCII: a terminal that shows it obeys nothing in it.

    `kind` is the target's, where its look alone does not tell: a bundle's was made of a server. `show_all`
    adds what was considered, `include` the commands that asks gate; `secrets` and everything
    shaped like a credential are redacted in any case.
    """
    secrets = tuple(secrets)
    return doc.encode(_document(diagnosis, kind, show_all, include, secrets), secrets)


def _document(
    diagnosis: Diagnosis, kind: str, show_all: bool, include: bool, secrets: Iterable[str]
) -> doc.DoctorDocument:
    look = diagnosis.latest
    considered = diagnosis.considered if show_all else ()
    reach = reached(look) if look.origin is Origin.LIVE else Reached(len(look.sessions), (), ())
    return doc.DoctorDocument(
        schema=doc.SCHEMA,
        target=doc.TargetDocument(kind or _kind(look), look.source),
        server=doc.ServerDocument(look.identity.line.value, look.identity.version),
        findings=tuple(
            finding_document(finding, included(diagnosis, finding) if include else {}, secrets)
            for finding in diagnosis.findings
        ),
        unknown=tuple(doc.UnknownDocument(gap.what, gap.why) for gap in diagnosis.unknown),
        checked=doc.CheckedDocument(
            taken=doc.moment(look.taken_ms),
            codes=tuple(one.code for one in CLASSES),
            scopes=tuple(doc.ScopeDocument(scope.directory, scope.reads) for scope in look.scopes),
            sessions=len(look.sessions),
            asks=len(look.asks),
            considered=tuple(doc.ConsideredDocument(c.code, c.session, c.why_not) for c in considered),
            blind=tuple(doc.UnknownDocument(gap.what, gap.why) for gap in look.blind),
            seconds_between=_seconds_between(diagnosis),
            holders=tuple(
                doc.HolderDocument(one.name, one.pid, doc.moment(int(one.created * 1000)))
                for one in (look.holders.seen if look.holders else ())
            ),
            sessions_read=reach.read,
            not_asked=tuple(
                doc.NotAskedDocument(one.directory, one.sessions, one.why) for one in reach.untouched
            ),
            effects=reach.effects,
        ),
        activity=tuple(_activity(one) for one in diagnosis.activity),
        ask=_ask(diagnosis.ask) if diagnosis.ask else None,
    )


def _kind(look: Snapshot) -> str:
    return "url" if look.origin is Origin.LIVE else look.origin.value


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


def finding_document(
    finding: Finding, extra: dict[str, str], secrets: Iterable[str] = ()
) -> doc.FindingDocument:
    """One finding; `extra` are the values that were asked for. A request that `secrets`, or what looks like
    one, would be taken out of has its body withheld."""
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
        since=None if finding.since_ms is None else doc.moment(finding.since_ms) or None,
        age_s=None if finding.age_s is None else round(finding.age_s, 1),
        confidence=finding.confidence.value,
        unless=finding.unless,
        evidence=finding.evidence,
        recovery=tuple(_recovery(offer, secrets) for offer in finding.recovery),
        page=finding.page,
        included=extra,
    )


def _recovery(offer: RecoveryOffer, secrets: Iterable[str]) -> doc.RecoveryDocument:
    do = msgspec.convert(offer.do, doc.RequestDocument)
    if redact_value(do.body, secrets) != do.body:
        do = replace(do, body=None, withheld=True)
    return doc.RecoveryDocument(
        id=offer.id,
        sentence=offer.sentence,
        do=do,
        loses=offer.loses,
        leaves=offer.leaves,
        confirms=offer.confirms,
        requires=offer.requires,
        safe_to_automate=offer.safe_to_automate,
    )
