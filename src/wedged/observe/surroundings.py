"""What is beside a server: who else has its database open, and who runs what it has as unfinished calls."""

import os
import re
import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from wedged.facts.process import Holders, ProcessFacts, Stray, Tree, runs
from wedged.facts.session import SessionFacts, ToolPart
from wedged.facts.snapshot import Gap
from wedged.observe.holders import holders
from wedged.observe.processes import process_facts

_DATABASE = re.compile(r"opencode[\w.-]*\.db")
_SAME_S = 2.0
_WHAT = "who else has the server's database open"
# What V1 (the first two) and V2 put into the environment of the commands that they run.
_MARKS = ("OPENCODE", "OPENCODE_PID", "OPENCODE_TERMINAL")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`holders` is None where `blind` says why. `strays` are in the order of their pids."""

    holders: Holders | None
    strays: tuple[Stray, ...]
    blind: tuple[Gap, ...] = ()


def surroundings(tree: Tree, sessions: Collection[SessionFacts]) -> Surroundings:
    """Look around the server of `tree`; `sessions` are those with unfinished calls. Nothing is sent."""
    found = _holders_of(tree.server)
    held = found if isinstance(found, Holders) else None
    commands = {command for session in sessions for part in session.parts if (command := command_of(part))}
    inside = {tree.server.pid, *(process.pid for process in tree.below)}
    openers = {process.pid: process for process in (held.seen if held else ())}
    strays = _strays(commands, inside, openers)
    return Surroundings(held, strays, (found,) if isinstance(found, Gap) else ())


def command_of(part: ToolPart) -> str:
    """The command line of a shell call that did not end well, "" where it has none."""
    command = part.input.get("command")
    whole = isinstance(command, str) and not (part.status.terminal and not part.error)
    return str(command).strip() if whole else ""


def databases_of(pid: int) -> tuple[Path, ...]:
    """The files that a process has open and that are named as a server's database is.

    Raises:
        psutil.Error: it is gone, or can't be looked into by this user.
    """
    files = psutil.Process(pid).open_files()
    found = {Path(one.path) for one in files if _DATABASE.fullmatch(Path(one.path).name)}
    return tuple(sorted(found))


def _holders_of(server: ProcessFacts) -> Holders | Gap:
    try:
        paths = databases_of(server.pid)
    except psutil.Error:
        return Gap(_WHAT, "the server's open files can't be read by this user")
    if len(paths) != 1:
        return Gap(_WHAT, f"the server has {len(paths)} files open that look like its database")
    try:
        found = holders(paths[0])
    except OSError as error:
        return Gap(_WHAT, f"its database can't be looked at: {error.strerror}")
    seen = tuple(replace(one, created=_exact_start(one)) for one in found.seen)
    complete = found.complete or not _unseen_servers({one.pid for one in seen})
    return replace(found, seen=seen, complete=complete)


def _exact_start(process: ProcessFacts) -> float:
    """When a process began, in seconds since 1970. On Linux psutil knows the time of boot by the whole second
    only, and a call may be younger than the server before it by less than that."""
    try:
        stat = Path(f"/proc/{process.pid}/stat").read_text()
        ticks = int(stat.rpartition(")")[2].split()[19])
        ago = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return process.created
    exact = time.time() - ago
    # Another process of the same pid, or a clock of another kind.
    return exact if abs(exact - process.created) < _SAME_S else process.created


def _unseen_servers(seen: Collection[int]) -> bool:
    """Whether a process that does not let this user look into it may be a server of OpenCode.

    Command lines of other users are readable where open files are not; what is no OpenCode by its command
    line has no business in its database.
    """
    for process in psutil.process_iter():
        if process.pid in seen:
            continue
        try:
            words = (process.name(), *process.cmdline())
        except psutil.NoSuchProcess:
            continue
        except psutil.Error:
            return True
        if any("opencode" in word for word in words) and not _readable(process):
            return True
    return False


def _readable(process: psutil.Process) -> bool:
    try:
        process.open_files()
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False
    return True


def _strays(
    commands: Collection[str], inside: Collection[int], openers: dict[int, ProcessFacts]
) -> tuple[Stray, ...]:
    """Every process of this machine that runs one of the command lines, the server's own left out."""
    found = []
    for process in psutil.process_iter() if commands else ():
        try:
            argv = process.cmdline()
            if process.pid not in inside and argv and any(runs(argv, command) for command in commands):
                above = (openers[p.pid] for p in process.parents() if p.pid in openers)
                found.append(Stray(process_facts(process), next(above, None), _marked(process)))
        except psutil.Error:
            continue
    return tuple(found)


def _marked(process: psutil.Process) -> bool | None:
    try:
        return any(mark in process.environ() for mark in _MARKS)
    except psutil.Error:
        return None
