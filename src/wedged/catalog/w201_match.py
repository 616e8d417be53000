"""W201's matcher: a call that its server still has as running, and that nothing can run any more."""

from wedged.catalog.stale_call import Runner, StaleCall, clock, of_calls, stale_calls
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Considered, Finding, FindingStatus, Subject
from wedged.facts.process import ProcessFacts
from wedged.facts.session import PartStatus
from wedged.facts.snapshot import Snapshot, Window

CODE = "W201"
SLUG = "hard-crash"
TITLE = "Tool still shown as running after a crash or restart, and nothing runs it"

_OTHER = "W002"
_UNLESS = "another machine or a virtual machine has the same database open and runs the call"
_UNLESS_UNSEEN = (
    "another server runs it: two servers on one database look exactly like this, and then every cure destroys"
    " a live turn. Look on the server's own machine for other processes that have the database open"
)


def match(window: Window, grace_s: float) -> Match:
    """A finding for each unfinished call of an idle session that no process can be running.

    `stuck` and of high confidence where every process that has the database open is younger than the call.
    Where that can't be seen, low, once the call is older than `grace_s` and was there in both looks; what
    another server runs, or could run, is W002's.
    """
    findings, considered = [], []
    for call in stale_calls(window.latest):
        if call.runner is Runner.ELSEWHERE:
            considered.append(_dismiss(call, f"{call.why}: see {_OTHER}"))
        elif call.runner is Runner.NONE:
            findings.append(_finding(call, window.latest, Confidence.HIGH))
        elif why_not := _too_soon(call, window, grace_s):
            considered.append(_dismiss(call, why_not))
        else:
            findings.append(_finding(call, window.latest, Confidence.LOW))
    return Match(tuple(findings), tuple(considered))


def variant_of(call: StaleCall) -> str:
    """A call that ran, or one that the model was still writing."""
    return "running" if call.part.status is PartStatus.RUNNING else "unwritten"


def _too_soon(call: StaleCall, window: Window, grace_s: float) -> str:
    if call.age_s is not None and call.age_s < grace_s:
        return f"it began {call.age_s:.0f} s ago, within the grace of {grace_s:g} s, and {call.why}"
    before = window.earlier.session(call.session.id) if window.earlier else None
    if before is not None and call.part.id not in {part.id for part in before.unfinished}:
        return "it was not there in the first look"
    return ""


def _finding(call: StaleCall, look: Snapshot, confidence: Confidence) -> Finding:
    sure = confidence is Confidence.HIGH
    return Finding(
        id=f"{CODE}:{call.session.id}:{call.part.id}",
        code=CODE,
        slug=SLUG,
        title=TITLE,
        variant=variant_of(call),
        status=FindingStatus.STUCK,
        session=call.session.id,
        directory=call.session.directory,
        subject=Subject("tool_part", call.part.id, call.part.message_id),
        since_ms=call.since_ms,
        age_s=call.age_s,
        confidence=confidence,
        unless=_UNLESS if sure else _UNLESS_UNSEEN,
        evidence=_evidence(call, look),
        candidates=() if sure else (CODE, _OTHER),
    )


def _evidence(call: StaleCall, look: Snapshot) -> tuple[str, ...]:
    """What a person would check by hand. The command is not named: it may hold secrets."""
    part, since = call.part, call.since_ms
    began = f" since {clock(since)}" if since is not None else ""
    lines = [
        f"its call {part.call_id} ({part.tool}) is {part.status}{began}",
        f"{of_calls(look.identity.line)}, asked for the session's own directory, does not name the session",
    ]
    if call.runner is Runner.NONE and look.processes is not None:
        server = _of_holders(look.processes.server, look)
        lines.append(
            f"the server is process {server.pid}, begun {clock(server.created * 1000)}: after the call"
        )
        others = len(look.holders.seen) - 1 if look.holders else 0
        beside = (
            f"{others} other processes have its database open, all" if others > 0 else "no other process has"
        )
        lines.append(f"{beside} younger than the call" if others > 0 else f"{beside} its database open")
    else:
        lines.append(call.why)
    if call.process is not None:
        lines.append(f"process {call.process.process.pid} still runs its command, below no server (W203)")
    return tuple(lines)


def _of_holders(server: ProcessFacts, look: Snapshot) -> ProcessFacts:
    """The server as the look at the database's holders has it: its start is exact there."""
    seen = look.holders.seen if look.holders else ()
    return next((one for one in seen if one.pid == server.pid), server)


def _dismiss(call: StaleCall, why: str) -> Considered:
    return Considered(
        CODE, call.session.id, f"{call.part.tool} {call.part.call_id} is {call.part.status}: {why}"
    )
