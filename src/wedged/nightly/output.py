"""What a step says: results to stdout, progress to stderr, and outputs to the workflow that runs it."""

import os
import sys
from pathlib import Path


def say(line: str) -> None:
    """One line of progress, to stderr."""
    from wedged.facts.plain_text import plain

    print(plain(line), file=sys.stderr, flush=True)  # noqa: T201


def set_output(name: str, value: str) -> None:
    """Print `value`; under GitHub Actions it is also the step's output `name`."""
    show(value)
    if file := os.environ.get("GITHUB_OUTPUT"):
        with Path(file).open("a", encoding="utf-8") as outputs:
            outputs.write(f"{name}={value}\n")


def show(text: str) -> None:
    """Part of the result, to stdout."""
    print(text)  # noqa: T201
