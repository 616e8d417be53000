"""A program's screen: a real pseudo-terminal, what is drawn on it, and what that costs."""

import json
import re
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil
import pyte

from wedged.errors import DeadlinePassed, LabError
from wedged.facts.process import ProcessFacts
from wedged.facts.screen import Cell, Screen
from wedged.lab.home import Home
from wedged.lab.keeper import Keeper
from wedged.lab.socket_address import socket_address
from wedged.waiting import pause, wait_for

ROWS, COLUMNS = 57, 226
_HOST_S = 10.0
_LOOK_S = 0.1
_CHUNK = 1 << 16
# A program brackets what it draws at once in these (synchronized output, DEC private mode 2026).
_REDRAW = b"\x1b[?2026h"
# What a program asks its terminal, and what an xterm with a dark background says.
_ANSWERS: tuple[tuple[re.Pattern[bytes], bytes], ...] = (
    (re.compile(rb"\x1b\]10;\?(?:\x07|\x1b\\)"), b"\x1b]10;rgb:e0e0/e0e0/e0e0\x1b\\"),
    (re.compile(rb"\x1b\]11;\?(?:\x07|\x1b\\)"), b"\x1b]11;rgb:1010/1010/1010\x1b\\"),
    (re.compile(rb"\x1b\[>0?q"), b"\x1bP>|XTerm(390)\x1b\\"),
    (re.compile(rb"\x1b\[\?u"), b"\x1b[?0u"),
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Bytes and redraws sent to a terminal. A redraw is a synchronized one: programs that don't bracket their
    drawing have none."""

    bytes: int
    redraws: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a program did in `seconds`: bytes and redraws sent to its terminal, and the share of one core that
    it and everything it had started used (1.0 is a whole core)."""

    seconds: float
    bytes: int
    redraws: int
    core: float


class Terminal:
    """A program on a terminal of its own. A context manager that ends it and all it has started.

    Its screen is xterm-256color's, as `pyte` keeps it; queries that a program makes of its terminal are
    answered.
    """

    def __init__(self, keeper: Keeper, process: ProcessFacts, line: socket.socket, log: Path) -> None:
        """Use `open_terminal`."""
        self.process = process
        self.log = log
        self._keeper = keeper
        self._line = line
        self._lock = threading.Lock()
        self._screen = _Screen(COLUMNS, ROWS, self.type)
        self._stream = pyte.ByteStream(self._screen)
        self._bytes = self._redraws = 0
        self._tail = b""
        self._thread = threading.Thread(target=self._read, name="terminal", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the terminal, then end what did not end with it. Safe to call twice."""
        self._line.close()
        self._keeper.end_tree(self.process)
        self._thread.join(5)

    def type(self, keys: str | bytes) -> None:
        """Send what a person would type."""
        self._line.sendall(keys.encode() if isinstance(keys, str) else keys)

    @property
    def screen(self) -> Screen:
        """What is on the screen now."""
        with self._lock:
            rows = [
                tuple(_cell(self._screen.buffer[y][x]) for x in range(self._screen.columns))
                for y in range(self._screen.lines)
            ]
        return Screen(tuple(rows))

    @property
    def text(self) -> str:
        """The words on the screen now, as `Screen.text` has them, without going through cells that were never
        drawn on."""
        with self._lock:
            rows = [self._screen.buffer[y] for y in range(self._screen.lines)]
            return "\n".join(
                "".join(row[x].data or " " for x in range(max(row, default=-1) + 1)).rstrip() for row in rows
            )

    def wait_for(self, words: str, seconds: float = 20.0) -> None:
        """Until `words` are on the screen.

        Raises:
            DeadlinePassed: they are not.
            LabError: the program has ended.
        """
        what = f"{words!r} on the screen"

        def there() -> bool:
            if words in self.text:
                return True
            if self._keeper.ended(self.process):
                raise LabError(f"the program ended before there was {what}")
            return False

        wait_for(there, what, seconds, every=_LOOK_S)

    @property
    def drawn(self) -> Drawn:
        """What it has drawn so far."""
        with self._lock:
            return Drawn(self._bytes, self._redraws)

    def watch(self, seconds: float) -> Drawing:
        """What it draws in the next `seconds`, with nothing typed."""
        before, used, began = self.drawn, self._used(), time.monotonic()
        pause(seconds)
        took, spent = time.monotonic() - began, self._used() - used
        after = self.drawn
        return Drawing(
            round(took, 2), after.bytes - before.bytes, after.redraws - before.redraws, round(spent / took, 4)
        )

    def below(self) -> tuple[ProcessFacts, ...]:
        """The program and what it has started, its host left out."""
        return tuple(p for p in self._keeper.family(self.process) if p.pid != self.process.pid)

    def _used(self) -> float:
        """Seconds of processor time that the program and what it has started have used so far."""
        total = 0.0
        for each in self.below():
            try:
                times = psutil.Process(each.pid).cpu_times()
            except psutil.Error:
                continue
            total += times.user + times.system
        return total

    def _read(self) -> None:
        while True:
            try:
                said = self._line.recv(_CHUNK)
            except OSError:
                return
            if not said:
                return
            with self._lock:
                self._bytes += len(said)
                self._redraws += (self._tail + said).count(_REDRAW)
                # Long enough for a query cut in two, too short to hold a whole redraw mark twice.
                seen, self._tail = self._tail + said, said[-(len(_REDRAW) - 1) :]
                self._stream.feed(said)
            self._answer(seen)

    def _answer(self, seen: bytes) -> None:
        for query, answer in _ANSWERS:
            for _ in query.finditer(seen):
                self.type(answer)


class _Screen(pyte.Screen):
    """pyte's screen, whose reports go back to the program."""

    def __init__(self, columns: int, lines: int, send: Callable[[str], None]) -> None:
        super().__init__(columns, lines)
        self._send = send

    def write_process_input(self, data: str) -> None:
        """What the terminal answers by itself: where the cursor is, what it can do."""
        self._send(data)


def open_terminal(
    keeper: Keeper, home: Home, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None
) -> Terminal:
    """Start `argv` on a terminal of 57 rows and 226 columns in `home`, below `keeper`.

    Raises:
        DeadlinePassed: it did not come up.
    """
    place = home.root / f"{secrets.token_hex(3)}.tty"
    log = home.logs / f"{place.stem}.log"
    environment = {**home.env, "TERM": "xterm-256color", "COLORTERM": "truecolor", **(env or {})}
    host = [sys.executable, "-P", "-m", "wedged.lab.terminal_host", str(place), str(ROWS), str(COLUMNS)]
    with socket.socket(socket.AF_UNIX) as door:
        with socket_address(place) as address:
            door.bind(address)
        door.listen(1)
        door.settimeout(_HOST_S)
        process = keeper.spawn([*host, *argv], env=environment, cwd=cwd, log=log)
        try:
            line, _ = door.accept()
        except TimeoutError:
            keeper.end_tree(process)
            raise DeadlinePassed("the terminal's host", _HOST_S) from None
    line.settimeout(None)
    return Terminal(keeper, process, line, log)


def own_state(home: Home, name: str, *, animated: bool) -> dict[str, str]:
    """The environment of a client with a state folder of its own, which it may animate its screen by or not.

    Clients of one home share their open tabs and settings through that folder: one's would show in the next.
    """
    state = home.root / f"state-{name}"
    (state / "opencode").mkdir(parents=True)
    if not animated:
        (state / "opencode" / "kv.json").write_text(json.dumps({"animations_enabled": False}))
    return {"XDG_STATE_HOME": str(state)}


def _cell(char: pyte.screens.Char) -> Cell:
    ink, paper = (char.bg, char.fg) if char.reverse else (char.fg, char.bg)
    return Cell(char.data or " ", ink, paper, bool(char.bold))
