"""The terminal that is written to: how wide it is, whether it wants colour, and a sign of life for whoever
waits at it."""

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from wedged.facts.wrapping import WIDTH, fitting

if TYPE_CHECKING:
    from wedged.diagnose.page import Paint
    from wedged.facts.finding import FindingStatus

# How long a look may take before somebody wonders.
PATIENCE_S = 1.0
_COLOURS = {"stuck": "red", "waiting-on-you": "yellow", "latent": "magenta", "notice": "cyan"}


def screen_width() -> int:
    """The width to write in. Where stdout is no terminal, ``COLUMNS`` or the widest that is used."""
    return fitting(shutil.get_terminal_size((WIDTH, 24)).columns)


def has_colour() -> bool:
    """Whether stdout is written to in colour: ``NO_COLOR`` says no, ``FORCE_COLOR`` yes, else where it is a
    terminal that is not dumb."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return os.environ["FORCE_COLOR"] != "0"
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def paint() -> "Paint":
    """What gives the words of a status their colour, on this terminal."""
    from wedged.diagnose.page import unpainted

    return _painted if has_colour() else unpainted


def _painted(words: str, status: "FindingStatus") -> str:
    colour = _COLOURS.get(status.value)
    return click.style(words, fg=colour, bold=True) if colour else click.style(words, dim=True)


def show(text: str) -> None:
    """Print a report that ends with its own line break, in colour only where `has_colour`."""
    # Left to itself click takes colour out of whatever goes to no terminal, also where it was asked for.
    click.echo(text, nl=False, color=has_colour())


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Say on stderr that `what` goes on, once it has taken `PATIENCE_S` seconds, and erase that at its end.

    Only on a terminal that can erase: a file or a pipe gets nothing.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    over = threading.Event()
    speaker = threading.Thread(target=_say_until, args=(over, what), daemon=True)
    speaker.start()
    try:
        yield
    finally:
        over.set()
        speaker.join()


def _say_until(over: threading.Event, what: str) -> None:
    if over.wait(PATIENCE_S):
        return
    # Loaded here, beside the look: whoever need not wait for it never pays for it.
    from rich.console import Console
    from rich.text import Text

    from wedged.facts.plain_text import plain

    with Console(stderr=True).status(Text(plain(what))):
        over.wait()
