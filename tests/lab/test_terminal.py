"""A program on a terminal of its own: what it draws, what it is told, and that it ends with the lab."""

import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from wedged.errors import DeadlinePassed, LabError
from wedged.lab.home import Home
from wedged.lab.keeper import Keeper
from wedged.lab.terminal import COLUMNS, ROWS, Terminal, open_terminal

# Asks the terminal for its background, says what it was told and its own size, echoes a line, then draws on.
PROGRAM = r"""
import os, sys, termios, time, tty
fd = sys.stdin.fileno()
before = termios.tcgetattr(fd)
tty.setraw(fd)
sys.stdout.write("\x1b]11;?\x1b\\"); sys.stdout.flush()
told = b""
while not told.endswith(b"\\"): told += os.read(fd, 1)
termios.tcsetattr(fd, termios.TCSANOW, before)
print("told", told[5:-2].decode(), *os.get_terminal_size(), flush=True)
print("\x1b[31mred\x1b[0m heard", input(), flush=True)
for n in range(3):
    sys.stdout.write("\x1b[?2026h."); sys.stdout.flush()
print("drawn", flush=True)
time.sleep(600)
"""


@pytest.fixture
def home(keeper: Keeper) -> Home:
    return Home(keeper.make_home("terminal"))


def program(keeper: Keeper, home: Home, source: str = PROGRAM) -> Terminal:
    return open_terminal(keeper, home, [sys.executable, "-c", source], cwd=home.root)


def test_a_program_sees_a_terminal_and_is_seen(keeper: Keeper, home: Home) -> None:
    with program(keeper, home) as terminal:
        terminal.wait_for(f"told rgb:1010/1010/1010 {COLUMNS} {ROWS}")
        terminal.type("hello\r")
        terminal.wait_for("red heard hello")
        assert terminal.text == terminal.screen.text
        row = next(row for row in terminal.screen.rows if "heard" in "".join(cell.text for cell in row))
        assert [cell.ink for cell in row[:5]] == ["red", "red", "red", "default", "default"]
        terminal.wait_for("drawn")
        quiet = terminal.watch(0.3)
        assert (quiet.bytes, quiet.redraws) == (0, 0)
        assert quiet.core < 0.5
        below = terminal.below()
        assert len(below) == 1
    assert not any(psutil.pid_exists(process.pid) for process in (*below, terminal.process))


def test_redraws_are_counted_also_where_a_mark_is_cut_in_two(keeper: Keeper, home: Home) -> None:
    source = "import os, sys\nsys.stdin.readline()\nos.write(1, b'\\x1b[?20')\nsys.stdin.readline()\n"
    source += (
        "os.write(1, b'26hx\\x1b[?2026hy\\x1b[?2026hz')\nprint('drawn', flush=True)\nsys.stdin.readline()"
    )
    with program(keeper, home, source) as terminal:
        terminal.type("\r")
        terminal.type("\r")
        terminal.wait_for("drawn")
        assert terminal.drawn.redraws == 3


def test_a_temporary_folder_with_a_long_name_is_no_hindrance(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temp = tmp_path / ("long" * 30)
    temp.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temp))
    with Keeper.start() as keeper, program(keeper, Home(keeper.make_home("terminal"))) as terminal:
        terminal.wait_for("told")


def test_what_never_comes_is_named(keeper: Keeper, home: Home) -> None:
    with program(keeper, home) as terminal, pytest.raises(DeadlinePassed, match="'never' on the screen"):
        terminal.wait_for("never", 0.2)


def test_a_program_that_ends_is_noticed(keeper: Keeper, home: Home) -> None:
    with program(keeper, home, "print('bye')") as terminal, pytest.raises(LabError, match="ended before"):
        terminal.wait_for("never")
