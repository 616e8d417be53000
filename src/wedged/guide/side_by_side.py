"""Several notebooks at a time, each executed by a process of its own.

That process runs `one_job`: it reads a job as JSON on stdin, writes progress to stderr and, at the end, one
JSON line to stdout.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from wedged.errors import GuideError, WedgedError
from wedged.guide.execute import Progress, execute

_END_S = 15.0


@dataclass(frozen=True, slots=True)
class Job:
    """One notebook: where it stands, the run folder it writes to, its parameters, the limit of a cell."""

    source: str
    run: str
    parameters: Mapping[str, object]
    cell_seconds: float


@dataclass(frozen=True, slots=True)
class Done:
    """How a job ended. `error` is the one line that says why it did not come to its end, "" where it did;
    `cells` its slowest cells first, number and seconds."""

    source: str
    seconds: float = 0.0
    cells: tuple[tuple[int, float], ...] = ()
    error: str = ""
    exit_code: int = 0


def execute_side_by_side(
    jobs: Sequence[Job], at_once: int, progress: Progress, *, worker: Sequence[str]
) -> Iterator[Done]:
    """Execute all, at most `at_once` at a time, and yield each as it ends.

    Where several may run at once, the last one begins with the one before it, which is one more: alone at the
    end it would leave a core idle for as long as it takes.

    `worker` is the command line of a process that calls `one_job`, and that ends when its parent, whose pid
    it finds in WEDGED_PARENT, does.

    Whatever ends this early (an exception where it is iterated, SIGTERM, Ctrl-C), no job goes on.
    """
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    ended: queue.SimpleQueue[Done] = queue.SimpleQueue()
    running = _Running(tuple(worker))
    only_one_waits = threading.Event()
    for job in jobs:
        waiting.put(job)

    def work() -> None:
        with contextlib.suppress(queue.Empty):
            while not running.over:
                job = waiting.get_nowait()
                if waiting.qsize() <= 1:
                    only_one_waits.set()
                ended.put(running.run(job, progress))

    def work_at_the_end() -> None:
        only_one_waits.wait()
        work()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(at_once, len(jobs)))]
    if at_once > 1:
        threads.append(threading.Thread(target=work_at_the_end, daemon=True))
    with _terminated_as_exit():
        try:
            for thread in threads:
                thread.start()
            for _ in jobs:
                yield ended.get()
        finally:
            running.end()
            only_one_waits.set()
            for thread in threads:
                thread.join(_END_S)


class _Running:
    """The processes that work now."""

    def __init__(self, worker: tuple[str, ...]) -> None:
        self.over = False
        self._worker = worker
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[str]] = set()

    def run(self, job: Job, progress: Progress) -> Done:
        with self._lock:
            if self.over:
                return Done(job.source, error="not begun", exit_code=3)
            process = subprocess.Popen(
                self._worker,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "WEDGED_PARENT": str(os.getpid())},
            )
            self._processes.add(process)
        try:
            return self._follow(process, job, progress)
        finally:
            with self._lock:
                self._processes.discard(process)

    def _follow(self, process: subprocess.Popen[str], job: Job, progress: Progress) -> Done:
        told, answer_line, said_on = process.stdin, process.stdout, process.stderr
        assert told is not None  # noqa: S101
        assert answer_line is not None  # noqa: S101
        assert said_on is not None  # noqa: S101
        with contextlib.suppress(BrokenPipeError), told:
            told.write(json.dumps(asdict(job)))
        # The answer is one short line: it fits into the pipe while the progress is read.
        with said_on, answer_line:
            for line in said_on:
                if line.strip():
                    progress(line.rstrip())
            said = answer_line.read()
        code = process.wait()
        name = Path(job.source).stem
        try:
            answer = json.loads(said)
        except ValueError:
            how = f"signal {-code}" if code < 0 else f"status {code}"
            return Done(job.source, error=f"{name}: its process ended with {how}", exit_code=3)
        cells = tuple((int(number), float(seconds)) for number, seconds in answer["cells"])
        return Done(job.source, answer["seconds"], cells, answer["error"], answer["exit_code"])

    def end(self) -> None:
        """SIGTERM to what still works, which ends its kernel first; SIGKILL to what does not mind."""
        with self._lock:
            self.over = True
            processes = tuple(self._processes)
        end_processes(processes)


def end_processes(processes: "Sequence[subprocess.Popen[Any]]") -> None:
    """SIGTERM to all; SIGKILL to each that still runs after a quarter of a minute."""
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()


@contextmanager
def _terminated_as_exit() -> Iterator[None]:
    """SIGTERM raises SystemExit, so that what was begun is ended on the way out. Main thread only."""

    def leave(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def one_job() -> int:
    """Execute the job that stands on stdin; the exit code of the process."""
    job = Job(**json.load(sys.stdin))

    def tell(line: str) -> None:
        print(line, file=sys.stderr, flush=True)  # noqa: T201

    done = Done(job.source)
    try:
        executed = execute(
            Path(job.source),
            Path(job.run),
            job.parameters,
            cell_seconds=job.cell_seconds,
            progress=tell,
        )
        done = Done(job.source, executed.seconds, executed.cells)
    except GuideError as error:
        done = Done(job.source, error=str(error), exit_code=error.exit_code)
    except WedgedError as error:
        done = Done(job.source, error=f"{Path(job.source).stem}: {error}", exit_code=error.exit_code)
    except KeyboardInterrupt:
        return 130
    print(json.dumps(asdict(done)))  # noqa: T201
    return 0
