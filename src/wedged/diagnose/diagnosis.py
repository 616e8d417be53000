"""From a window to findings, worst first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from wedged.catalog import CLASSES
from wedged.diagnose.activity import activities
from wedged.diagnose.file_candidates import from_file
from wedged.diagnose.one_ask import AskAnswer, AskVerdict, what_became_of
from wedged.errors import Refused
from wedged.facts.activity import Activity
from wedged.facts.failure_class import FailureClass
from wedged.facts.finding import Confidence, Considered, Finding, FindingStatus, RecoveryOffer
from wedged.facts.recovery import Action, Request, Step, Target
from wedged.facts.snapshot import Gap, Origin, Snapshot, Window

# What stands in a request until somebody writes a better sentence.
MESSAGE = "Stay inside the project."
_FILE = "check of the file's unfinished calls"
_ACTIVITY = "check of what each session waits for"

T = TypeVar("T")

_STATUS_RANK = {status: rank for rank, status in enumerate(FindingStatus)}
_CONFIDENCE_RANK = {confidence: rank for rank, confidence in enumerate(Confidence)}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a look adds up to. `unknown` is what could not be read; `considered` what was dismissed.

    `latest` is the look that the findings rest on, `activity` what each working session waits for, `ask` what
    became of the one ask that was inquired about, `seconds_between` the time between the two looks.
    """

    findings: tuple[Finding, ...]
    unknown: tuple[Gap, ...]
    considered: tuple[Considered, ...]
    latest: Snapshot
    activity: tuple[Activity, ...] = ()
    ask: AskAnswer | None = None
    seconds_between: float | None = None

    @property
    def exit_code(self) -> int:
        """The exit code when everything that is stuck or will be counts."""
        return self.exit_code_for(FindingStatus.LATENT)

    def exit_code_for(self, fail_on: FindingStatus) -> int:
        """0 nothing found and all read, 1 a finding of status `fail_on` or worse, 3 nothing found but not all
        read. Of one ask: 1 where a turn waits for it, 3 where that is not known."""
        if any(_STATUS_RANK[finding.status] <= _STATUS_RANK[fail_on] for finding in self.findings):
            return 1
        if self.ask is not None:
            return 1 if self.ask.waits else 3 if self.ask.verdict is AskVerdict.UNKNOWN else 0
        return 3 if self.unknown else 0


def diagnose(
    window: Window,
    grace: float = 60.0,
    *,
    request: Callable[[Action, Target], Request] | None = None,
    classes: Sequence[FailureClass] = CLASSES,
) -> Diagnosis:
    """Try every class on `window`. An ask younger than `grace` seconds is not yet a finding.

    `request` (an `Actor.request`) turns recovery steps into requests; without it findings offer none. A
    check that raises becomes an unknown that names it: one broken check must not hide the others.
    """
    findings: list[Finding] = []
    considered: list[Considered] = []
    unknown = list(window.latest.gaps)
    for one in classes:
        match = _checked(f"check {one.code}", partial(one.match, window, grace), unknown)
        if match is not None:
            findings += [_complete(finding, one, window.latest, request) for finding in match.findings]
            considered += match.considered
    live = window.latest.origin is Origin.LIVE
    made = None if live else _checked(_FILE, partial(from_file, window.latest, grace, classes), unknown)
    if made is not None:
        by_code = {one.code: one for one in classes}
        findings += [
            _complete(finding, by_code[finding.code], window.latest, None) for finding in made.findings
        ]
        considered += made.considered
        unknown += made.unknown
    # What a file holds was being done when it was written; who does it now is not in it.
    activity = _checked(_ACTIVITY, partial(activities, window), unknown) if live else None
    findings.sort(
        key=lambda f: (_STATUS_RANK[f.status], _CONFIDENCE_RANK[f.confidence], -(f.age_s or 0), f.code, f.id)
    )
    earlier = window.earlier
    return Diagnosis(
        tuple(findings),
        tuple(unknown),
        tuple(considered),
        window.latest,
        activity=activity or (),
        seconds_between=(window.latest.taken_ms - earlier.taken_ms) / 1000 if earlier else None,
    )


def _checked(what: str, check: Callable[[], T], unknown: list[Gap]) -> T | None:
    """What a check says; None, and an unknown, where it raises."""
    try:
        return check()
    except Exception as error:
        unknown.append(Gap(what, f"the check itself failed: {type(error).__name__}: {error}"))
        return None


def restrict(diagnosis: Diagnosis, session_id: str) -> Diagnosis:
    """The part that is about one session and its sub-agents. What is unknown stays."""
    family = {session_id}
    # Parents may be listed after their children; a family of n is complete after n rounds at most.
    for _ in diagnosis.latest.sessions:
        grown = family | {s.id for s in diagnosis.latest.sessions if s.parent_id in family}
        if grown == family:
            break
        family = grown
    return replace(
        diagnosis,
        findings=tuple(f for f in diagnosis.findings if f.session in family),
        considered=tuple(c for c in diagnosis.considered if c.session in family),
        activity=tuple(one for one in diagnosis.activity if one.session in family),
    )


def inquire(diagnosis: Diagnosis, ask_id: str) -> Diagnosis:
    """The part that is about one ask, with what became of it. What is unknown stays."""
    answer = what_became_of(ask_id, diagnosis.latest)
    session = answer.seen.ask.session_id if answer.seen else ""
    return replace(
        diagnosis,
        findings=tuple(f for f in diagnosis.findings if f.subject.id == ask_id),
        considered=tuple(c for c in diagnosis.considered if session and c.session == session),
        activity=tuple(one for one in diagnosis.activity if one.ask == ask_id),
        ask=answer,
    )


def _complete(
    finding: Finding,
    one: FailureClass,
    look: Snapshot,
    request: Callable[[Action, Target], Request] | None,
) -> Finding:
    offers = []
    # Whoever is not sure what is stuck is offered nothing that would change it; what is past needs nothing.
    sure = finding.confidence is not Confidence.LOW and finding.status is not FindingStatus.PAST
    steps = one.steps(finding.variant) if sure else ()
    for step in steps if request else ():
        do = _do(step, finding, look, request) if request else None
        if do is not None:
            offers.append(
                RecoveryOffer(
                    id=step.id,
                    action=step.action,
                    sentence=step.sentence,
                    do=do,
                    loses=step.loses,
                    leaves=step.leaves,
                    confirms=step.confirms,
                    requires=step.requires,
                    safe_to_automate=step.safe_to_automate,
                )
            )
    return replace(finding, recovery=tuple(offers), page=f"classes/{one.name}.html")


def _do(
    step: Step, finding: Finding, look: Snapshot, request: Callable[[Action, Target], Request]
) -> dict[str, object] | None:
    """What is to be sent to this server, or run; None where it has no such request for this target."""
    subject = finding.subject
    if step.elsewhere:
        return None
    if step.action is Action.END_PROCESS:
        # The whole group: a shell that is ended alone leaves what it has started.
        argv = ["kill", "-TERM", "--", f"-{subject.id}"]
        return {"method": "", "path": "", "body": None, "argv": argv} if subject.kind == "process" else None
    try:
        wanted = request(step.action, aim(step, finding, look))
    except Refused:
        return None
    return {"method": wanted.method, "path": wanted.path, "body": wanted.body}


def aim(step: Step, finding: Finding, look: Snapshot) -> Target:
    """What a step of this finding is aimed at: its real ids, as `look` has them."""
    subject = finding.subject
    session = look.session(finding.session)
    parts = session.parts if session and subject.kind == "tool_part" else ()
    return Target(
        session_id=finding.session,
        directory=finding.directory,
        ask_id=subject.id if subject.kind == "ask" else "",
        message=step.message or MESSAGE,
        shell_id=subject.id if subject.kind == "shell" else "",
        part=next((part for part in parts if part.id == subject.id), None),
        at_ms=look.taken_ms,
    )
