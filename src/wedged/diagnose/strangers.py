"""The processes below a server that none of its lists explains. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from wedged.facts.process import ProcessFacts, Tree
from wedged.facts.snapshot import Snapshot

_RUNNING = "running"


@dataclass(frozen=True, slots=True)
class Stranger:
    """A process that nothing explains, whose parent is the server or explained; `below` counts what it has
    started."""

    process: ProcessFacts
    below: int = 0

    @property
    def key(self) -> tuple[int, float]:
        """What names the process for good."""
        return self.process.pid, self.process.created


def strangers(look: Snapshot, expect: Sequence[str] = ()) -> tuple[Stranger, ...]:
    """The topmost unexplained processes of this look; none where the tree could not be seen.

    Explained are those that a shell's record names or that run the command of a shell or of a running call,
    those whose command line holds a piece of `expect`, and whatever is below one of these.
    """
    tree = look.processes
    if tree is None:
        return ()
    settled = _known(look, tree) | {process.pid for process in expected(look, expect)}
    left = [p for p in tree.below if p.pid not in settled and not _above(p.pid, tree) & settled]
    pids = {process.pid for process in left}
    topmost = [process for process in left if not _above(process.pid, tree) & pids]
    return tuple(
        Stranger(top, sum(top.pid in _above(process.pid, tree) for process in left)) for top in topmost
    )


def expected(look: Snapshot, expect: Sequence[str]) -> tuple[ProcessFacts, ...]:
    """The processes whose command line holds one of these pieces."""
    below = look.processes.below if look.processes else ()
    return tuple(process for process in below if any(piece in command_line(process) for piece in expect))


def command_line(process: ProcessFacts) -> str:
    """The command line as one text; the process's name where it can't be read."""
    return " ".join(process.argv) or process.name


def _known(look: Snapshot, tree: Tree) -> set[int]:
    shells = [shell for shell in look.shells if shell.status == _RUNNING]
    commands = {shell.command.strip() for shell in shells}
    for session in look.sessions:
        if session.works:
            commands |= {str(part.input.get("command", "")).strip() for part in session.unfinished}
    named = {shell.pid for shell in shells if shell.pid is not None}
    return named | {process.pid for process in tree.below if _runs(process, commands - {""})}


def _runs(process: ProcessFacts, commands: Collection[str]) -> bool:
    """As the shell's argument, or in the shell's place, which a shell gives to its only command."""
    return bool(process.argv) and (
        process.argv[-1].strip() in commands or " ".join(process.argv).strip() in commands
    )


def _above(pid: int, tree: Tree) -> set[int]:
    parents = {process.pid: process.parent for process in tree.below}
    found: set[int] = set()
    while pid in parents and parents[pid] not in found:
        pid = parents[pid]
        found.add(pid)
    return found
