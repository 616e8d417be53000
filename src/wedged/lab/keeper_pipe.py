"""The lab's end of the pipe to its keeper: start it, ask it, notice when it is gone."""

import contextlib
import itertools
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO

from wedged.errors import KeeperGone, LabError
from wedged.facts.redaction import redact

_CLOSE_S = 30.0
# What the keeper itself needs to run; it has no business with the rest of the lab's environment.
_ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    # Unused by it; there so that a keeper in a process list tells whose it is.
    "WEDGED_STATE",
)


class KeeperPipe:
    """A keeper process and the pipe to it. One question at a time; threads take turns."""

    def __init__(self) -> None:
        """Start the process; it does nothing before its first line."""
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._rest = b""
        # Unlinked from birth: no log to clean up, and still there to be read when the keeper has died.
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in close)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "wedged.lab.keeper_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            bufsize=0,
            cwd="/",
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            start_new_session=True,
        )
        assert self._process.stdin is not None  # noqa: S101
        assert self._process.stdout is not None  # noqa: S101
        self._stdin = self._process.stdin
        self._stdout = self._process.stdout

    @property
    def pid(self) -> int:
        """The keeper's pid."""
        return self._process.pid

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._stdin.closed

    def ask(self, request: dict[str, object], seconds: float) -> object:
        """Send one line, return what the keeper answers to it.

        Raises:
            LabError: the keeper could not do it.
            KeeperGone: it has ended, was closed, or gave no answer within `seconds`.
        """
        with self._lock:
            if self._stdin.closed:
                raise KeeperGone("the keeper is closed")
            number = next(self._numbers)
            try:
                # An unbuffered pipe may take less than it is given.
                line = memoryview(json.dumps({"n": number, **request}).encode() + b"\n")
                while line:
                    line = line[self._stdin.write(line) :]
            except OSError as error:
                raise self._gone() from error
            deadline = time.monotonic() + seconds
            reply = json.loads(self._line(deadline))
            while reply["n"] != number:
                # The answer to a question whose asker was interrupted (Ctrl-C) while it waited.
                reply = json.loads(self._line(deadline))
        if "error" in reply:
            raise LabError(f"the keeper could not do {request.get('op', 'its start')}: {reply['error']}")
        return reply["ok"]

    def close(self) -> tuple[int, str]:
        """Close the pipe and wait until the keeper has cleaned up. Its status and last words."""
        with self._lock:
            self._stdin.close()
            try:
                status = self._process.wait(_CLOSE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                status = self._process.wait()
            self._stdout.close()
            words = self._last_words()
            self._words.close()
        return status, words

    def _line(self, deadline: float) -> bytes:
        while b"\n" not in self._rest:
            if not select.select([self._stdout], [], [], max(deadline - time.monotonic(), 0.0))[0]:
                # Whatever it is stuck in, no more can be asked of it, and nothing it keeps must be left.
                self._process.kill()
                raise KeeperGone("the keeper did not answer in time")
            chunk = os.read(self._stdout.fileno(), 1 << 16)
            if not chunk:
                raise self._gone()
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _gone(self) -> KeeperGone:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        words = self._last_words()
        status = self._process.returncode
        return KeeperGone(f"the keeper is gone (status {status})" + (f": {words}" if words else ""))

    def _last_words(self) -> str:
        self._words.seek(0)
        lines = redact(self._words.read().decode(errors="replace")).strip().splitlines()
        return lines[-1] if lines else ""
