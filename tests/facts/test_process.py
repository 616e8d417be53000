"""Which process runs a command line. The argument lists are what bash 5.2 leaves of each."""

import pytest

from wedged.facts.process import runs


@pytest.mark.parametrize(
    ("argv", "command"),
    [
        (("bash", "-c", "echo hello && sleep 600"), "echo hello && sleep 600"),
        (("/usr/bin/bash", "-c", " make test \n"), "make test"),
        (("sleep", "600"), "sleep 600"),
        (("sleep", "600"), "echo hello && sleep 600"),
        (("sleep", "600"), "echo hello; sleep 600"),
        (("sleep", "600"), "echo hello\nsleep 600"),
        (("sleep", "600"), "false || true & sleep 600"),
    ],
)
def test_it_runs(argv: tuple[str, ...], command: str) -> None:
    assert runs(argv, command)


@pytest.mark.parametrize(
    ("argv", "command"),
    [
        ((), "sleep 600"),
        (("bash", "-c", "sleep 600"), ""),
        (("sleep", "60"), "echo hello; sleep 600"),
        (("600",), "echo hello; sleep 600"),
        (("sleep", "600"), "nosleep 600"),
        (("sleep", "600"), "sleep 600; echo done"),
        (("bash", "-c", "sleep 6000"), "sleep 600"),
    ],
)
def test_it_does_not(argv: tuple[str, ...], command: str) -> None:
    assert not runs(argv, command)
