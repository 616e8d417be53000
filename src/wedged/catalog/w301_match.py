"""Recognising W301 in a window: a shell that runs, joined to a session whose turn is over. Pure."""

from dataclasses import replace

from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, Considered, Finding, FindingStatus, Subject
from wedged.facts.lineage import parents
from wedged.facts.process import Shell
from wedged.facts.session import PartStatus, SessionFacts, Status
from wedged.facts.snapshot import Origin, Snapshot, Window

CODE = "W301"
SLUG = "invisible-background-shell"
TITLE = "OpenCode background shells aren't pending work: the session looks finished, stop misses them"

_RUNNING = "running"
# What a file says of a shell of whose end it holds nothing.
_NOT_SAID = "unknown"
_UNLESS = "the shell has ended since this look"
_UNLESS_UNSEEN = f"{_UNLESS}, or its process has: the processes of the server could not be seen"
_UNLESS_GHOST = "the shell ended while this look was made: look again"
_UNLESS_GONE = "the session is there and was not in the list that was read"


def match(window: Window, grace_s: float) -> Match:
    """Each listed shell whose session's turn is over, and what was dismissed.

    A shell needs no age: it is in nobody's way, and what counts is that a restart would end it. So the grace
    does not matter here. High confidence where its process was seen after its session's status; medium where
    processes can't be seen or the session was not found; from a file always low.
    """
    del grace_s
    look = window.latest
    findings, considered = [], []
    for shell in look.shells:
        judged = _from_file(shell, look) if look.origin is not Origin.LIVE else _judge(shell, window)
        if isinstance(judged, Finding):
            findings.append(judged)
        else:
            considered.append(judged)
    return Match(tuple(findings), tuple(considered))


def _judge(shell: Shell, window: Window) -> Finding | Considered:
    look = window.latest
    owner = look.session(shell.session_id)
    if shell.status != _RUNNING:
        return _dismiss(shell, f"{shell.id} is {shell.status or 'of no known status'}")
    if not shell.session_id:
        return _dismiss(shell, f"{shell.id} names no session: a client's own command, not an agent's")
    if owner is None:
        return _finding(shell, look, "ownerless", Confidence.MEDIUM, _UNLESS_GONE)
    if owner.works:
        if any(_is_of(shell, str(part.input.get("command", ""))) for part in owner.unfinished):
            return _dismiss(shell, f"{shell.id} is the foreground shell of a turn that runs")
        return _dismiss(shell, f"the turn of {owner.id}, which {shell.id} belongs to, still runs")
    if owner.status is not Status.IDLE:
        return _dismiss(shell, f"the status of {owner.id}, which {shell.id} belongs to, could not be read")
    variant = "sub-agent" if owner.parent_id else "own"
    if _process_seen(shell, look) is None:
        return _finding(shell, look, variant, Confidence.MEDIUM, _UNLESS_UNSEEN)
    if _process_seen(shell, look):
        return _finding(shell, look, variant, Confidence.HIGH, _UNLESS)
    twice = window.earlier is not None and _gone_before(shell, window.earlier)
    confidence = Confidence.HIGH if twice else Confidence.MEDIUM
    return _finding(shell, look, "ghost", confidence, "" if twice else _UNLESS_GHOST)


def _process_seen(shell: Shell, look: Snapshot) -> bool | None:
    """Whether its process is below the server; None where that can't be known."""
    if look.processes is None or shell.pid is None:
        return None
    return any(process.pid == shell.pid for process in look.processes.below)


def _gone_before(shell: Shell, earlier: Snapshot) -> bool:
    listed = any(one.id == shell.id and one.status == _RUNNING for one in earlier.shells)
    return listed and _process_seen(shell, earlier) is False


def _finding(shell: Shell, look: Snapshot, variant: str, confidence: Confidence, unless: str) -> Finding:
    since = shell.started_ms
    return Finding(
        id=f"{CODE}:{shell.id}",
        code=CODE,
        slug=SLUG,
        title=TITLE,
        variant=variant,
        # A ghost's session waits for a notice that will not come; every other shell reports its own end.
        status=FindingStatus.STUCK if variant == "ghost" else FindingStatus.NOTICE,
        session=shell.session_id,
        directory=shell.directory,
        subject=Subject("shell", shell.id),
        since_ms=since,
        age_s=None if since is None else max(0.0, (look.taken_ms - since) / 1000),
        confidence=confidence,
        unless=unless,
        evidence=_evidence(shell, look),
    )


def _evidence(shell: Shell, look: Snapshot) -> tuple[str, ...]:
    """What a person would check by hand. The command is not named: it may hold secrets."""
    by = ", ".join(shell.listed_by) or "the server"
    lines = [f"{by} lists {shell.id} as {shell.status}, in {shell.directory}"]
    seen = _process_seen(shell, look)
    if seen:
        lines.append(f"its process {shell.pid} is there, below the server")
    elif seen is False:
        lines.append(f"there is no process {shell.pid} below the server")
    owner = look.session(shell.session_id)
    if owner is None:
        return (*lines, f"its session {shell.session_id} is not among the server's sessions")
    ended = f", its last turn {owner.outcome}" if owner.outcome else ""
    lines.append(f"its session is {owner.status}{ended}")
    if any(_is_of(shell, str(p.input.get("command", ""))) and _done(p.status) for p in owner.parts):
        lines.append("a call with its command is completed: the command was moved to the background")
    lines += [_above(session_id, look) for session_id in parents(owner.id, look)]
    return tuple(lines)


def _above(session_id: str, look: Snapshot) -> str:
    session = look.session(session_id)
    return (
        f"that is a sub-agent's session; {session_id} above it is {session.status if session else 'unread'}"
    )


def _from_file(shell: Shell, look: Snapshot) -> Finding | Considered:
    """A file holds no end of it, which is not to say that it runs."""
    if shell.status not in (_RUNNING, _NOT_SAID):
        return _dismiss(shell, f"{shell.id} is {shell.status or 'of no known status'}")
    owner = look.session(shell.session_id)
    where = shell.directory or (owner.directory if owner else "") or "the session's directory"
    finding = _finding(
        shell,
        look,
        "sub-agent" if owner and owner.parent_id else "own",
        Confidence.LOW,
        "it has ended: a server that was restarted or crashed records no end. On the server that holds this "
        f"file GET /api/shell with location[directory]={where} decides: it lists {shell.id}, or not",
    )
    by = ", ".join(shell.listed_by) or "the file"
    line = f"{by} holds the start of {shell.id}, and no end of it"
    return replace(finding, evidence=(line, *_family(owner, look)), candidates=(CODE,))


def _family(owner: SessionFacts | None, look: Snapshot) -> tuple[str, ...]:
    above = parents(owner.id, look) if owner else ()
    return (f"its session is a sub-agent's; above it: {', '.join(above)}",) if above else ()


def _is_of(shell: Shell, command: str) -> bool:
    return bool(command.strip()) and command.strip() == shell.command.strip()


def _done(status: PartStatus) -> bool:
    return status is PartStatus.COMPLETED


def _dismiss(shell: Shell, why: str) -> Considered:
    return Considered(CODE, shell.session_id, why)
