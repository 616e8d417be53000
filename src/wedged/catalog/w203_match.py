"""W203's matcher: the process of a call, left behind by a server that is gone."""

from wedged.catalog.stale_call import beside, born, clock
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Considered, Finding, FindingStatus, Subject
from wedged.facts.process import Stray
from wedged.facts.session import SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Origin, Snapshot, Window

CODE = "W203"
SLUG = "orphaned-process"
TITLE = "A command of the agent still runs after its server is gone"

_UNLESS = "somebody has taken it over on purpose: nothing on this machine says who waits for a process"
_UNMARKED = "{} has the same command line, and not the environment that OpenCode gives to its commands"


def match(window: Window, grace_s: float) -> Match:
    """A `notice` for each process that runs the command of a call that did not end well, below no server.

    The process must have begun when the call did, under no process that has the server's database open, with
    the environment that OpenCode gives to its commands: high then, medium where its environment can't be
    read. A grace means nothing here: nothing will end it.
    """
    del grace_s
    look = window.latest
    findings: list[Finding] = []
    considered: list[Considered] = []
    if look.origin is Origin.LIVE:
        for session in look.sessions:
            if session.status is Status.IDLE:
                _judge(session, look, findings, considered)
    return Match(tuple(findings), tuple(considered))


def _judge(
    session: SessionFacts, look: Snapshot, findings: list[Finding], considered: list[Considered]
) -> None:
    for part in session.parts:
        stray = beside(part, born(part, session, look.taken_ms), look.strays or ())
        if stray is None or stray.under is not None:
            continue
        if stray.marked is False:
            why = _UNMARKED.format(f"process {stray.process.pid}")
            considered.append(Considered(CODE, session.id, why))
        else:
            findings.append(_finding(stray, part, session, look))


def _finding(stray: Stray, part: ToolPart, session: SessionFacts, look: Snapshot) -> Finding:
    process = stray.process
    since = int(process.created * 1000)
    return Finding(
        id=f"{CODE}:{process.pid}:{since}",
        code=CODE,
        slug=SLUG,
        title=TITLE,
        variant="of-a-stale-call" if not part.status.terminal else "of-an-ended-call",
        status=FindingStatus.NOTICE,
        session=session.id,
        directory=session.directory,
        subject=Subject("process", str(process.pid), part.message_id),
        since_ms=since,
        age_s=max(0.0, (look.taken_ms - since) / 1000),
        confidence=Confidence.HIGH if stray.marked else Confidence.MEDIUM,
        unless=_UNLESS,
        evidence=(
            f"process {process.pid} ({process.name}) runs the command of call {part.call_id}",
            f"it began at {clock(since)}, when the call did",
            f"the call is {part.status}, its session idle",
            "the process is below no process that has this server's database open",
            "its environment holds what OpenCode gives to the commands it runs"
            if stray.marked
            else "its environment can't be read by this user",
        ),
    )
