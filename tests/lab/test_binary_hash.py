"""The hash of what a process executes."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from wedged.errors import LabError
from wedged.lab import binary_hash
from wedged.lab.binary_hash import running_binary_sha256


def running(program: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([str(program), "60"])


def test_it_is_the_file_that_runs_whatever_stands_at_its_path_now(tmp_path: Path) -> None:
    binary_hash._sha256.cache_clear()
    program = tmp_path / "sleep"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", program)
    first = hashlib.sha256(program.read_bytes()).hexdigest()
    before = running(program)
    # Replaced, as an update does it, with one more byte at its end.
    newer = tmp_path / "newer"
    newer.write_bytes(program.read_bytes() + b"\0")
    newer.chmod(0o755)
    newer.replace(program)
    after = running(program)
    try:
        for _ in range(2):
            assert running_binary_sha256(before.pid) == first
            assert running_binary_sha256(after.pid) == hashlib.sha256(program.read_bytes()).hexdigest()
        assert binary_hash._sha256.cache_info().misses == 2, "each file is read once"
    finally:
        for process in (before, after):
            process.kill()
            process.wait()


def test_a_process_that_is_gone_has_none() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    with pytest.raises(LabError, match=f"binary of process {process.pid}"):
        running_binary_sha256(process.pid)
    assert running_binary_sha256(os.getpid())
