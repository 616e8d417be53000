"""May this server be restarted? What a restart would end, by one look or two. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from wedged.catalog.ask_standing import Standing, standing
from wedged.diagnose.activity import activities
from wedged.diagnose.pending import about
from wedged.diagnose.strangers import Stranger, command_line, expected, strangers
from wedged.facts.lineage import parents
from wedged.facts.process import ProcessFacts, Shell
from wedged.facts.server import Line
from wedged.facts.snapshot import Gap, Snapshot, Window

_RUNNING = "running"
_PROCESSES = "processes of the server"
_LONG = 2000


class Verdict(StrEnum):
    """`UNKNOWN`: nothing was found, but not everything could be read."""

    READY = "ready"
    NOT_SAFE = "not-safe"
    UNKNOWN = "unknown"


class BlockerKind(StrEnum):
    """What runs. `PROCESS`: one below the server that none of its lists explains."""

    SHELL = "shell"
    TURN = "turn"
    ASK = "ask"
    PROCESS = "process"


@dataclass(frozen=True, slots=True)
class Blocker:
    """One thing that a restart would end, leave behind, or make forgotten.

    `id` is the shell's, session's or ask's id, or the process's pid; `session` its session ("" where it has
    none), `parents` the sessions above that one, nearest first. `about` is a command, a question or a title:
    untrusted, and it may hold secrets. `pid` is known for processes, and for shells where the server says
    it.
    """

    kind: BlockerKind
    id: str
    why: str
    session: str = ""
    parents: tuple[str, ...] = ()
    directory: str = ""
    about: str = ""
    pid: int | None = None
    since_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Readiness:
    """The verdict with what it rests on. `unseen` is what this look had no means to see; `expected` are the
    processes that somebody said always run there."""

    look: Snapshot
    blockers: tuple[Blocker, ...]
    unknown: tuple[Gap, ...] = ()
    unseen: tuple[Gap, ...] = ()
    expected: tuple[ProcessFacts, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """What a script wants to know."""
        if self.blockers:
            return Verdict.NOT_SAFE
        return Verdict.UNKNOWN if self.unknown else Verdict.READY

    @property
    def final(self) -> bool:
        """Whether another look can only say the same: it is ready, or all that is unknown can't be seen from
        here at all."""
        if self.verdict is Verdict.UNKNOWN:
            return all(gap in self.unseen for gap in self.unknown)
        return self.verdict is Verdict.READY

    @property
    def exit_code(self) -> int:
        """0 ready, 1 not safe, 3 unknown."""
        return {Verdict.READY: 0, Verdict.NOT_SAFE: 1, Verdict.UNKNOWN: 3}[self.verdict]


def readiness(window: Window, *, expect: Sequence[str] = (), lists_only: bool = False) -> Readiness:
    """What a restart would end.

    `expect` are pieces of the command lines of processes that always run below this server (a language or
    an MCP server); they and what is below them block nothing. A process that no list explains counts where
    both looks saw it, so that one which only passes by does not. With `lists_only` processes are left out;
    else not seeing them is an `unknown`.
    """
    look = window.latest
    if lists_only:
        look = replace(look, processes=None, blind=(Gap(_PROCESSES, "left out"),))
    unseen = _unseen(look)
    found = strangers(look, expect)
    if window.earlier is not None and window.earlier.processes is not None:
        before = {(process.pid, process.created) for process in window.earlier.processes.below}
        found = tuple(one for one in found if one.key in before)
    return Readiness(
        look=look,
        blockers=(
            *(_shell(shell, look) for shell in _running(look)),
            *_turns(window),
            *_asks(look),
            *(_process(one, look) for one in found),
        ),
        unknown=look.gaps if lists_only else (*look.gaps, *unseen),
        unseen=unseen,
        expected=expected(look, expect),
    )


def _unseen(look: Snapshot) -> tuple[Gap, ...]:
    """Of what the look had no means to see, what matters here: the server's processes."""
    if look.processes is not None:
        return ()
    said = tuple(gap for gap in look.blind if gap.what == _PROCESSES)
    return said or (Gap(_PROCESSES, "not looked at"),)


def _running(look: Snapshot) -> list[Shell]:
    found = [shell for shell in look.shells if shell.status == _RUNNING]
    return sorted(found, key=lambda shell: (shell.started_ms or 0, shell.id))


def _shell(shell: Shell, look: Snapshot) -> Blocker:
    owner = look.session(shell.session_id)
    if owner is None:
        why = "its session could not be read" if shell.session_id else "it names no session"
    elif owner.works:
        why = "its session's turn runs"
    else:
        why = "its session's turn is over: no list of active sessions shows it"
    return Blocker(
        kind=BlockerKind.SHELL,
        id=shell.id,
        why=why,
        session=shell.session_id,
        parents=parents(shell.session_id, look),
        directory=shell.directory,
        about=_cut(shell.command),
        pid=shell.pid,
        since_ms=shell.started_ms,
    )


def _turns(window: Window) -> Iterable[Blocker]:
    look = window.latest
    why = {one.session: one.why for one in activities(window)}
    for session in sorted((s for s in look.sessions if s.works), key=lambda s: s.id):
        yield Blocker(
            kind=BlockerKind.TURN,
            id=session.id,
            why=why.get(session.id, f"the server says {session.status}"),
            session=session.id,
            parents=parents(session.id, look),
            directory=session.directory,
            about=_cut(session.title),
        )


def _asks(look: Snapshot) -> Iterable[Blocker]:
    """A restart forgets every ask without an event. One that nothing waits for is no loss."""
    for seen in (standing(ask, look) for ask in look.asks):
        if seen.standing is Standing.LEFTOVER:
            continue
        ask = seen.ask
        yield Blocker(
            kind=BlockerKind.ASK,
            id=ask.id,
            why=f"{ask.action}: {seen.why}" if ask.action else seen.why,
            session=ask.session_id,
            parents=parents(ask.session_id, look),
            directory=ask.directory,
            about=about(seen, _LONG),
            since_ms=seen.since_ms,
        )


def _process(stranger: Stranger, look: Snapshot) -> Blocker:
    origin = "a provider's own runner, an MCP or language server, a terminal, or the child of an ended shell"
    if look.identity.line is Line.V1:
        origin = f"a call's shell (V1 keeps no list of shells), {origin}"
    process = stranger.process
    more = f"; {stranger.below} more below it" if stranger.below else ""
    return Blocker(
        kind=BlockerKind.PROCESS,
        id=str(process.pid),
        why=f"none of the server's lists explains it: {origin}{more}",
        about=_cut(command_line(process)),
        pid=process.pid,
        since_ms=round(process.created * 1000),
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]}… ({len(text)} characters)"
