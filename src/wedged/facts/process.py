"""A process as one look saw it."""

from collections.abc import Sequence
from dataclasses import dataclass

# What stands before a shell's last command.
_ENDS = ("&", ";", "\n")


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """`pid` together with `created` (seconds since 1970) names one process for good; a pid alone does not."""

    pid: int
    parent: int
    created: float
    name: str
    argv: tuple[str, ...] = ()

    @property
    def is_opencode(self) -> bool:
        """Whether it calls itself opencode somewhere in its command line, as OpenCode's servers do."""
        return any("opencode" in word for word in (self.name, *self.argv))


def runs(argv: Sequence[str], command: str) -> bool:
    """Whether a process with these arguments runs this command line: as the shell's own argument, in the
    shell's place, or as the line's last command, which bash puts in its place (``a && b`` becomes ``b``).

    The last is a weak sign: many lines end alike.
    """
    command, line = command.strip(), " ".join(argv)
    if not command or not line:
        return False
    before, found, _ = command.rpartition(line)
    last = bool(found) and command.endswith(line) and before.rstrip(" \t")[-1:] in _ENDS
    return command in (argv[-1].strip(), line) or last


@dataclass(frozen=True, slots=True)
class Tree:
    """A server's process and everything below it. `connections_out` is how many open network connections the
    server itself made (to models, proxies, registries), None where that can't be seen; which session's they
    are can't be."""

    server: ProcessFacts
    below: tuple[ProcessFacts, ...] = ()
    connections_out: int | None = None

    def running(self, command: str) -> ProcessFacts | None:
        """The process that runs this command line, as the shell's argument or in the shell's place.

        A bare prefix proves nothing, so only the whole line counts. None for an empty command.
        """
        wanted = command.strip()
        return next(
            (p for p in self.below if wanted and p.argv and wanted in (p.argv[-1].strip(), " ".join(p.argv))),
            None,
        )


@dataclass(frozen=True, slots=True)
class Holders:
    """Who on this machine has a file open.

    `seen` are the processes by name, oldest first. `held` says that somebody has it open, seen or not, and
    `complete` that every process of this machine could be looked at.
    """

    seen: tuple[ProcessFacts, ...] = ()
    held: bool = False
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Stray:
    """A process outside a server's tree that runs the command of a call which the server has as unfinished.

    `under` is the process above it that has the same database open, None where there is none. `marked` says
    whether its environment holds what OpenCode gives to the commands it runs (None: it can't be read).
    """

    process: ProcessFacts
    under: ProcessFacts | None = None
    marked: bool | None = None


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell that a V2 server lists: background ones, and those of a turn that runs.

    `session_id` is the owner by the record's own word ("" where it names none), `directory` the location
    that lists it, `listed_by` the routes that did. Times are the server's wall clock in milliseconds since
    1970. `command` may hold secrets.
    """

    id: str
    session_id: str
    directory: str
    command: str
    status: str
    pid: int | None = None
    started_ms: int | None = None
    exit: int | None = None
    listed_by: tuple[str, ...] = ()
