"""Executing a notebook: this interpreter's kernel, a limit a cell, progress lines, one named error each."""

import asyncio
import contextlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from wedged.errors import CellFailed, CellTimedOut, GuideError, KernelDied
from wedged.facts.markdown_text import one_line, strip_ansi
from wedged.guide.kernel import kernel_manager
from wedged.guide.notebook import (
    INJECTED,
    Stop,
    mark_stopped,
    read_notebook,
    tags,
    with_parameters,
    write_notebook,
)

Progress = Callable[[str], None]

# For a cell that hangs. The longest one measures four servers, seven minutes with the fewest trials.
CELL_SECONDS = 1800.0
_START_S = 60
_SCRATCH = ".kernel-"


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Executed:
    """A notebook that ran to its end: where it stands, how long it took, its slowest cells first."""

    path: Path
    seconds: float
    cells: tuple[tuple[int, float], ...]


def execute(
    source: Path,
    run: Path,
    parameters: Mapping[str, object],
    *,
    cell_seconds: float = CELL_SECONDS,
    progress: Progress = _silent,
    working_directory: Path | None = None,
) -> Executed:
    """Run `source` with `parameters` and write it, with its outputs, to ``run/notebooks/<name>.ipynb``.

    The kernel sees ``WEDGED_RUN``, the absolute path of `run`, and runs in `working_directory` (the
    notebook's own folder by default). What a cell writes to stderr is progress: it goes to `progress`, not
    into the notebook. An executed part stands in the run folder however the execution ends.

    Raises:
        CellFailed, CellTimedOut, KernelDied: each names the notebook and the cell.
        EvidenceError: `source` is no notebook.
        UsageError: a parameter is no plain literal.
    """
    notebook = with_parameters(read_notebook(source), parameters)
    target = run / "notebooks" / source.name
    began = time.monotonic()
    run.mkdir(parents=True, exist_ok=True)
    remove_abandoned(run.parent)
    # In the run's own folder: a build that is killed leaves nothing in anybody's temporary folder.
    with tempfile.TemporaryDirectory(prefix=f"{_SCRATCH}{os.getpid()}-", dir=run) as scratch:
        client = _Client(notebook, source.stem, progress, kernel_manager(Path(scratch)), cell_seconds)
        client.resources = {"metadata": {"path": str(working_directory or source.parent.resolve())}}
        try:
            client.run(_environment(run, Path(scratch)))
        except GuideError as error:
            kind = type(error).__name__
            mark_stopped(notebook, Stop(client.number, kind, one_line(str(error), 400)))
            raise
        finally:
            write_notebook(notebook, target)
    slowest = tuple(sorted(client.took, key=lambda pair: -pair[1]))
    return Executed(target, time.monotonic() - began, slowest)


def remove_abandoned(runs: Path) -> None:
    """Remove what killed builds left of their kernels in the run folders below `runs`."""
    for scratch in runs.glob(f"*/{_SCRATCH}*"):
        builder = scratch.name.removeprefix(_SCRATCH).partition("-")[0]
        if builder.isdecimal() and not psutil.pid_exists(int(builder)):
            shutil.rmtree(scratch, ignore_errors=True)


def _environment(run: Path, scratch: Path) -> dict[str, str]:
    # A user's own IPython start-up files would run in the kernel and make it another machine's notebook.
    return {
        **os.environ,
        "WEDGED_RUN": str(run.resolve()),
        "WEDGED_PARENT": str(os.getpid()),
        "IPYTHONDIR": str(scratch / "ipython"),
        "PYTHONHASHSEED": "0",
    }


class _Client(NotebookClient):
    """nbclient, which also counts cells, times them and passes stderr on as progress."""

    def __init__(
        self, notebook: NotebookNode, name: str, progress: Progress, manager: KernelManager, seconds: float
    ) -> None:
        super().__init__(
            notebook, km=manager, timeout=seconds, startup_timeout=_START_S, record_timing=False,
            force_raise_errors=True, on_cell_start=self._starts, on_cell_executed=self._ends,
        )  # fmt: skip
        self.name, self.progress = name, progress
        self.number, self.took = 0, list[tuple[int, float]]()
        self._current: NotebookNode | None = None
        self._began = 0.0
        self._signal: signal.Signals | None = None

    def run(self, environment: dict[str, str]) -> None:
        """Every cell, in order. A signal to us ends the kernel first, and only then us."""
        try:
            asyncio.run(self.async_execute(env=environment, cleanup_kc=True))
        except (asyncio.CancelledError, DeadKernelError) as error:
            # nbclient takes any cancelling for the death of the kernel.
            if self._signal is signal.SIGTERM:
                raise SystemExit(128 + signal.SIGTERM) from None
            if self._signal is signal.SIGINT:
                raise KeyboardInterrupt from None
            raise KernelDied(f"{self._where()}: the kernel died") from error
        except CellTimeoutError as error:
            raise CellTimedOut(f"{self._where()} ran past its limit of {self.timeout:g} s") from error
        except CellExecutionError as error:
            what = one_line(f"{error.ename}: {error.evalue}", 300)
            raise CellFailed(f"{self._where()} failed: {what}") from error
        except RuntimeError as error:
            # nbclient's way of saying that the kernel never answered.
            raise KernelDied(f"{self._where()}: {one_line(str(error), 300)}") from error

    def _where(self) -> str:
        if self._current is None:
            return f"{self.name}, before its first cell"
        return f"{self.name}, cell {self.number} ({first_line(self._current)})"

    def _starts(self, cell: NotebookNode, **_: object) -> None:
        if cell.cell_type != "code":
            return
        if self._current is None:
            self._take_signals()
        # Counted as in the source notebook, which is where a reader looks for the cell.
        self.number += INJECTED not in tags(cell)
        self._current, self._began = cell, time.monotonic()
        total = sum(c.cell_type == "code" and INJECTED not in tags(c) for c in self.nb.cells)
        if INJECTED in tags(cell):
            return
        self.progress(f"{self.name}: cell {self.number} of {total}: {first_line(cell)}")

    def _ends(self, cell: NotebookNode, **_: object) -> None:
        if cell is self._current:
            self.took.append((self.number, time.monotonic() - self._began))

    def _take_signals(self) -> None:
        # nbclient's own handlers end the kernel and let the build call that a death.
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def taken(which: signal.Signals) -> None:
            self._signal = which
            if task is not None:
                task.cancel()

        with contextlib.suppress(RuntimeError, NotImplementedError):
            for which in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(which, taken, which)

    def output(
        self, outs: list[NotebookNode], msg: dict[str, Any], display_id: str | None, cell_index: int
    ) -> Any:
        content = msg.get("content", {})
        if msg.get("msg_type") == "stream" and content.get("name") == "stderr":
            for line in strip_ansi(str(content.get("text", ""))).replace("\r", "\n").splitlines():
                if line.strip():
                    self.progress(f"{self.name}: {one_line(line, 200)}")
            return None
        return super().output(outs, msg, display_id, cell_index)


def first_line(cell: NotebookNode) -> str:
    """The cell's first line, which is how a reader finds it in the notebook."""
    line = next((line for line in str(cell.source).splitlines() if line.strip()), "empty")
    return one_line(line, 60)
