"""One run of npm: its output within a deadline, and no process of it afterwards."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from wedged.errors import NpmMissing, RegistryUnreachable
from wedged.servers.leftovers import folder_bytes, note_child

_TICK_SECONDS = 1.0


def run_npm(
    argv: Sequence[str], work: Path, seconds: float, progress: Callable[[int], None] | None = None
) -> tuple[int, bytes]:
    """Exit code and standard output of `argv`, run in ``work/npm`` with ``work/npm-cache`` as npm's cache.

    Without `progress` it may take `seconds` in all. With it, `seconds` is how long the cache may stand
    still, and `progress` gets its size in bytes when it grew.

    Raises:
        NpmMissing: it can't be started.
        RegistryUnreachable: the deadline passed.
    """
    try:
        process = subprocess.Popen(
            argv,
            cwd=work / "npm",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise NpmMissing(f"npm is on PATH and can't be started: {error.strerror}") from error
    with _ended(process):
        note_child(work, process.pid)
        moved, came = time.monotonic(), 0
        while True:
            try:
                output, _ = process.communicate(timeout=min(_TICK_SECONDS, seconds))
                return process.returncode, output
            except subprocess.TimeoutExpired:
                pass
            now = time.monotonic()
            if progress is not None and (grown := folder_bytes(work / "npm-cache")) != came:
                moved, came = now, grown
                progress(came)
            elif now - moved >= seconds:
                what = "answer" if progress is None else "further byte"
                raise RegistryUnreachable(f"no {what} came from the npm registry within {seconds:g} s")


@contextlib.contextmanager
def _ended(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    try:
        yield
    finally:
        if process.poll() is None:
            # npm can be a wrapper with a child of its own, so the whole group.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
