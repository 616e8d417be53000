"""Keepers for tests, and a lab in a process of its own that can be killed."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wedged.facts.process import ProcessFacts
from wedged.lab.keeper import Keeper


@pytest.fixture
def keeper(state: Path) -> Iterator[Keeper]:
    with Keeper.start() as keeper:
        yield keeper


@pytest.fixture
def shell(keeper: Keeper, tmp_path: Path) -> Callable[[str], ProcessFacts]:
    """Starts a command line under the keeper."""

    def start(line: str) -> ProcessFacts:
        env = {"PATH": os.environ["PATH"]}
        return keeper.spawn(["sh", "-c", line], env=env, cwd=tmp_path, log=tmp_path / "shell.log")

    return start


@pytest.fixture
def lab(state: Path) -> Iterator[Callable[[str], "subprocess.Popen[str]"]]:
    """Runs Python lines as a lab of its own that has `keeper`, `home`, `shell(line)` and `tell(...)`."""
    labs: list[subprocess.Popen[str]] = []

    def start(lines: str) -> "subprocess.Popen[str]":
        prelude = (
            "import os, signal, sys\n"
            "from pathlib import Path\n"
            "from wedged.lab.keeper import Keeper\n"
            "keeper = Keeper.start()\n"
            "home = keeper.make_home('test')\n"
            "def tell(*words): print(*words, flush=True)\n"
            "def shell(line, **env):\n"
            "    env = {'PATH': os.environ['PATH'], **env}\n"
            "    return keeper.spawn(['sh', '-c', line], env=env, cwd=home, log=home / 'log')\n"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", prelude + lines], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        labs.append(process)
        return process

    yield start
    for process in labs:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
