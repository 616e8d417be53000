"""What the keeper does for its lab: homes, servers, their families, and the end of all of them."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from wedged.lab import home_folder, process_table
from wedged.lab.ending import end
from wedged.lab.family import Families
from wedged.lab.journal import LAB_VARIABLE, SERVER_VARIABLE, Journal
from wedged.lab.process_table import Key

_GRACE_S = 0.5
_GIVE_UP_S = 5.0
_STRIKES = 200
_QUIET = 20

Tree = dict[str, object]


class Keeping:
    """The keeper's state: the servers it started, the homes it made, and the journal of both."""

    def __init__(self, hello: Tree, wake: int) -> None:
        self.lab_id = str(hello["lab_id"])
        self.lab_pid = int(str(hello["lab_pid"]))
        self.temp = Path(str(hello["temp"]))
        self.path = Path(str(hello["journal"]))
        self.wake = wake
        lab = (self.lab_pid, int(str(hello["lab_start"])))
        keeper = process_table.look(os.getpid())
        assert keeper is not None  # noqa: S101
        self.journal = Journal(self.lab_id, process_table.boot_id(), lab, keeper.key, self.temp)
        self.journal.write(self.path)
        self.families = Families()
        self.running: dict[int, tuple[Key, subprocess.Popen[bytes]]] = {}
        self.ended: dict[Key, int] = {}
        self.spawned = 0
        self.last_look = 0.0
        self.operations: dict[str, Callable[[Tree], object]] = {
            "home": self.home,
            "drop_home": self.drop_home,
            "spawn": self.spawn,
            "signal": self.signal,
            "ended": self.how_it_ended,
            "family": self.family,
            "end_tree": self.end_tree,
        }

    def home(self, request: Tree) -> str:
        """Journal a new home, then make it."""
        path = home_folder.new_path(self.temp, str(request["label"]))
        self.note(homes=(*self.journal.homes, path))
        home_folder.make(path, self.lab_id)
        return str(path)

    def drop_home(self, request: Tree) -> None:
        """Remove one home, then strike it from the journal."""
        path = Path(str(request["path"]))
        if path not in self.journal.homes:
            raise ValueError("not a home of this lab")
        self.remove(path)
        self.note(homes=tuple(home for home in self.journal.homes if home != path))

    def spawn(self, request: Tree) -> Key:
        """Start a program in a session of its own, with the lab's marks in its environment."""
        self.spawned += 1
        environment = dict(request["env"])  # type: ignore[call-overload]
        environment |= {LAB_VARIABLE: self.lab_id, SERVER_VARIABLE: str(self.spawned)}
        log = os.open(str(request["log"]), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            process = subprocess.Popen(
                list(request["argv"]),  # type: ignore[call-overload]
                env=environment,
                cwd=str(request["cwd"]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        finally:
            os.close(log)
        # Not reaped yet, so the pid is still its own, even if it has ended.
        seen = process_table.look(process.pid)
        assert seen is not None  # noqa: S101
        self.running[process.pid] = (seen.key, process)
        self.families.add_server(seen.key, self.spawned)
        self.note(processes=(*self.journal.processes, seen.key))
        return seen.key

    def signal(self, request: Tree) -> bool:
        """Signal one server. Its family is written down first: what it leaves can be told afterwards."""
        key = self.known(request)
        self.look()
        seen = process_table.look(key[0])
        return seen is not None and seen.key == key and process_table.send(seen, int(str(request["signal"])))

    def how_it_ended(self, request: Tree) -> int | None:
        """The return code as subprocess gives it (-N: ended by signal N), None while it runs."""
        key = self.known(request)
        self.reap()
        return self.ended.get(key)

    def family(self, request: Tree) -> list[Key]:
        """The server and everything it started that still runs, orphans included."""
        number = self.families.number(self.known(request))
        return [process.key for process, owner in self.look() if owner == number]

    def end_tree(self, request: Tree) -> int:
        """End a server and everything it started; how many had to be signalled."""
        number = self.families.number(self.known(request))
        assert number is not None  # noqa: S101
        belongs = partial(self.families.owns, number)
        told = end(
            lambda: self.families.members(number),
            grace=float(str(request["grace"])),
            pause=lambda late: self.pause(belongs, late),
            none_left=lambda: self.strike(belongs),
            give_up=_GIVE_UP_S,
        )
        self.look()
        return len(told)

    def known(self, request: Tree) -> Key:
        """The server that is meant, if this keeper ever started it."""
        key = (int(str(request["pid"])), int(str(request["start"])))
        if self.families.number(key) is None:
            raise ValueError("not a process of this lab")
        return key

    def look(self) -> list[tuple[process_table.Running, int]]:
        """Look at all descendants and journal those that are new."""
        self.last_look = time.monotonic()
        found = self.families.look()
        keys = tuple(sorted(process.key for process, _ in found))
        if keys != self.journal.processes:
            # A full disk must not end the lab: servers and homes are in the journal already.
            with contextlib.suppress(OSError):
                self.note(processes=keys)
        return found

    def note(self, **changes: object) -> None:
        """Change the journal, on disk first."""
        changed = self.journal._replace(**changes)  # type: ignore[arg-type]
        changed.write(self.path)
        self.journal = changed

    def reap(self) -> bool:
        """Collect every child that has ended: servers with their status, adopted orphans without.

        True when no child is left. Then no descendant is left either: an orphan becomes a child at once, so a
        process below this one always has a child of this one above it.
        """
        while True:
            try:
                info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return True
            if info is None:
                return False
            if info.si_pid in self.running:
                key, process = self.running.pop(info.si_pid)
                self.ended[key] = process.wait()
            else:
                os.waitpid(info.si_pid, 0)

    def pause(self, belongs: Callable[[int], bool], striking: bool) -> None:
        """Let up to 10 ms pass, less when a child ends; then reap, and strike when it is time to."""
        if select.select([self.wake], [], [], 0.01)[0]:
            drain(self.wake)
        self.reap()
        if striking:
            self.strike(belongs)

    def strike(self, belongs: Callable[[int], bool]) -> bool:
        """Kill those children that `belongs` accepts, in a race with what forks. True when none was left.

        A process that forks and exits at once is gone before a walk through /proc comes to it, but it hands
        its child to this keeper each time. The direct children are one short file away: reading and killing
        in a tight loop catches the chain.
        """
        quiet = 0
        with contextlib.suppress(OSError):
            for _ in range(_STRIKES):
                # A child of ours keeps its pid until we reap it: no other process can be hit.
                chain = [pid for pid in process_table.children(os.getpid()) if belongs(pid)]
                for pid in chain:
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)
                self.reap()
                quiet = 0 if chain else quiet + 1
                if quiet == _QUIET:
                    return True
            return False
        return True  # this kernel has no such file

    def remove(self, home: Path) -> None:
        """Remove a home after a last check that it is what we made."""
        with contextlib.suppress(FileNotFoundError):
            if why := home_folder.why_not_ours(home, self.lab_id, self.temp):
                raise OSError(why)
            home_folder.remove(home)

    def finish(self) -> int:
        """End everything below, remove the homes, then the journal. 0 when nothing is left."""
        end(
            self.descendants,
            grace=_GRACE_S,
            pause=lambda late: self.pause(lambda _: True, late),
            none_left=self.reap,
        )
        left = []
        for home in self.journal.homes:
            try:
                self.remove(home)
            except OSError as error:
                sys.stderr.write(f"{home.name} stays: {error}\n")
                left.append(home)
        if left:
            self.note(homes=tuple(left), processes=())
            return 1
        self.path.unlink(missing_ok=True)
        return 0

    def descendants(self) -> list[process_table.Running]:
        """Everything below this process."""
        return process_table.descendants(process_table.running(), [os.getpid()])


def drain(wake: int) -> bytes:
    """The signal numbers that have come since the last call."""
    with contextlib.suppress(BlockingIOError):
        return os.read(wake, 4096)
    return b""
