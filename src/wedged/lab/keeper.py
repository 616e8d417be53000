"""The keeper, as the lab sees it: it starts what the lab needs and leaves nothing of it behind."""

import atexit
import os
import secrets
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from wedged.errors import DeadlinePassed, LabError
from wedged.facts.process import ProcessFacts
from wedged.lab import journal, process_table, process_tree
from wedged.lab.keeper_pipe import KeeperPipe
from wedged.lab.sweep import sweep, sweep_own
from wedged.waiting import wait_for

__all__ = ["Ended", "Keeper", "sweep"]

_ANSWER_S = 20.0
_KILL_S = 5.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: by itself with `returncode`, or by `signal`; the other one is None.

    `forced` says that it had not ended by the deadline and was killed.
    """

    returncode: int | None
    signal: int | None
    forced: bool = False


class Keeper:
    """A supervisor process that ends and removes everything it started as soon as this process is gone.

    Whatever the end (``close``, an exception, SIGKILL of this process), no descendant of it and no home is
    left. Methods may be called from several threads. When the keeper itself was killed, every method raises
    `KeeperGone`; `close` then cleans up by the journal.
    """

    def __init__(self) -> None:
        """Use `Keeper.start`."""
        if not sys.platform.startswith("linux"):
            raise LabError("the lab needs Linux: its keeper is a child subreaper, which only Linux has")
        self.lab_id = secrets.token_hex(6)
        self.swept: tuple[str, ...] = ()
        self._owner = os.getpid()
        self._starts: dict[tuple[int, float], int] = {}
        self._journal = journal.folder() / f"{self.lab_id}.json"
        self._pipe = KeeperPipe()
        atexit.register(self.close)

    @classmethod
    def start(cls) -> "Keeper":
        """Sweep what dead labs left (`swept` holds its sentences), then start a keeper for this process.

        Raises:
            KeeperGone: the keeper did not come up; the message ends with its last words.
            LabError: this is not Linux.
        """
        swept = sweep()
        keeper = cls()
        keeper.swept = swept
        me = process_table.look(os.getpid())
        assert me is not None  # noqa: S101
        try:
            keeper._pipe.ask(
                {
                    "lab_id": keeper.lab_id,
                    "lab_pid": me.pid,
                    "lab_start": me.start,
                    "temp": str(Path(tempfile.gettempdir()).resolve()),
                    "journal": str(keeper._journal),
                },
                _ANSWER_S,
            )
        except LabError:
            keeper.close()
            raise
        return keeper

    def __enter__(self) -> "Keeper":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The keeper's own pid."""
        return self._pipe.pid

    def memory(self) -> int:
        """The keeper's resident memory in bytes, 0 when it has ended."""
        try:
            return int(psutil.Process(self.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def make_home(self, label: str) -> Path:
        """A new empty folder ``wedged-<label>-…`` under the temporary folder, journalled before it exists."""
        return Path(str(self._ask("home", label=label)))

    def drop_home(self, path: Path) -> None:
        """Remove a home now rather than at the end. End what works in it first.

        Raises:
            LabError: it is not one of this keeper's homes, or something in it can't be removed.
        """
        self._ask("drop_home", seconds=60.0, path=str(path))

    def spawn(self, argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, log: Path) -> ProcessFacts:
        """Start a program in its own session, stdin closed, stdout and stderr appended to `log`.

        `env` is its whole environment, to which the keeper adds its marks WEDGED_LAB and WEDGED_SERVER.

        Raises:
            LabError: it could not be started.
        """
        pid, start = _pair(self._ask("spawn", argv=list(argv), env=dict(env), cwd=str(cwd), log=str(log)))
        started = start / process_table.TICKS_PER_SECOND + psutil.boot_time()
        self._starts[pid, started] = start
        return ProcessFacts(pid, self.pid, started, Path(argv[0]).name[:15], tuple(argv))

    def ended(self, process: ProcessFacts) -> Ended | None:
        """How it ended, None while it runs."""
        return _ended(self._ask("ended", **self._named(process)))

    def family(self, process: ProcessFacts) -> tuple[ProcessFacts, ...]:
        """The process and everything it started that still runs, also what outlived its parents."""
        pairs = self._ask("family", **self._named(process))
        assert isinstance(pairs, list)  # noqa: S101
        seen = (process_tree.facts(_pair(pair)[0]) for pair in pairs)
        return tuple(each for each in seen if each)

    def terminate(self, process: ProcessFacts, seconds: float = 5.0) -> Ended:
        """SIGTERM to this one process, SIGKILL when it has not ended within `seconds`. Its children stay."""
        self._signal(process, signal.SIGTERM)
        try:
            return self._wait_end(process, seconds)
        except DeadlinePassed:
            killed = self.kill(process)
        return Ended(killed.returncode, killed.signal, forced=True)

    def kill(self, process: ProcessFacts) -> Ended:
        """SIGKILL to this one process, as a crash would end it. Its children stay."""
        self._signal(process, signal.SIGKILL)
        return self._wait_end(process, _KILL_S)

    def end_tree(self, process: ProcessFacts, seconds: float = 1.0) -> int:
        """End its whole `family`: SIGTERM, SIGKILL after `seconds`. How many processes were signalled.

        Raises:
            LabError: something of it can't be ended.
        """
        told = self._ask("end_tree", seconds=seconds + _ANSWER_S, grace=seconds, **self._named(process))
        assert isinstance(told, int)  # noqa: S101
        return told

    def close(self) -> None:
        """End every descendant, remove every home, end the keeper. Does nothing the second time.

        Raises:
            LabError: something is left; the message says what, and the next start tries again.
        """
        if self._pipe.closed or os.getpid() != self._owner:
            return
        atexit.unregister(self.close)
        status, words = self._pipe.close()
        if status != 0:
            sentences = sweep_own(self._journal)
            if self._journal.exists():
                raise LabError("the lab could not clean up: " + "; ".join(filter(None, (words, *sentences))))

    def _named(self, process: ProcessFacts) -> dict[str, int]:
        start = self._starts.get((process.pid, process.created))
        if start is None:
            raise LabError(f"process {process.pid} was not started by this keeper")
        return {"pid": process.pid, "start": start}

    def _signal(self, process: ProcessFacts, number: int) -> None:
        self._ask("signal", signal=int(number), **self._named(process))

    def _wait_end(self, process: ProcessFacts, seconds: float) -> Ended:
        return wait_for(lambda: self.ended(process), f"process {process.pid} to end", seconds)

    def _ask(self, op: str, *, seconds: float = _ANSWER_S, **request: object) -> object:
        return self._pipe.ask({"op": op, **request}, seconds)


def _pair(value: object) -> tuple[int, int]:
    assert isinstance(value, list)  # noqa: S101
    return int(value[0]), int(value[1])


def _ended(code: object) -> Ended | None:
    if not isinstance(code, int):
        return None
    return Ended(None, -code) if code < 0 else Ended(code, None)
