"""Whole processes, timed: wall clock, processor time and peak memory; the middle of several runs, and all."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ran:
    """One process from its start to its end; `cpu` are seconds of a core that were its own."""

    seconds: float
    cpu: float
    peak_mb: float
    code: int
    out: str


@dataclass(frozen=True)
class Measured:
    """Several runs of the same."""

    runs: tuple[Ran, ...]

    @property
    def seconds(self) -> float:
        """The middle one's."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def cpu(self) -> float:
        """The middle one's. On a busy machine it says more than the clock."""
        return statistics.median(run.cpu for run in self.runs)

    @property
    def peak_mb(self) -> float:
        """The largest."""
        return max(run.peak_mb for run in self.runs)

    def __str__(self) -> str:
        all_of_them = sorted(run.seconds for run in self.runs)
        return (
            f"{self.seconds:.3f} s (of {len(self.runs)}: {all_of_them[0]:.3f} to {all_of_them[-1]:.3f}), "
            f"{self.cpu:.3f} s of a core, {self.peak_mb:.0f} MB"
        )


def run(argv: Sequence[str], env: Mapping[str, str] | None = None) -> Ran:
    """Run it; what it said on stdout. Its stderr is thrown away."""
    began = time.perf_counter()
    process = subprocess.Popen(
        argv,
        env=None if env is None else dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout
    with process.stdout as pipe:
        out = pipe.read()
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1024 if sys.platform.startswith("linux") else 1024 * 1024
    cpu = usage.ru_utime + usage.ru_stime
    return Ran(took, cpu, usage.ru_maxrss / unit, process.returncode, out)


def measure(
    argv: Sequence[str],
    times: int,
    env: Mapping[str, str] | None = None,
    *,
    check: Callable[[Ran], None],
) -> Measured:
    """Run it once to warm the caches, then `times` times; `check` looks at each."""
    runs = [run(argv, env) for _ in range(times + 1)]
    for ran in runs:
        check(ran)
    return Measured(tuple(runs[1:]))


def python(code: str, *arguments: str) -> tuple[str, ...]:
    """A line of Python as a process of its own."""
    return (sys.executable, "-c", code, *arguments)


def wedged(*arguments: str) -> tuple[str, ...]:
    """The command itself."""
    return (sys.executable, "-m", "wedged", *arguments)
