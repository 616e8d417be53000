"""Runs a program on a pseudo-terminal and passes its bytes through a socket. Started by the keeper.

``python -m wedged.lab.terminal_host SOCKET ROWS COLUMNS PROGRAM [ARGUMENT …]``. It stands between the keeper,
which starts programs without a terminal, and the lab, which may die: the program ends with this process, and
this process ends when the program or the socket does.
"""

import contextlib
import os
import select
import socket
import sys
from pathlib import Path

from ptyprocess import PtyProcess

from wedged.lab.socket_address import socket_address

_CHUNK = 1 << 16


def main(arguments: list[str]) -> int:
    """Run until the program or the socket's other end is gone; the program's exit status."""
    place, rows, columns, *argv = arguments
    with socket.socket(socket.AF_UNIX) as lab:
        with socket_address(Path(place)) as address:
            lab.connect(address)
        child = PtyProcess.spawn(argv, dimensions=(int(rows), int(columns)))
        try:
            _pass_on(child.fd, lab)
        finally:
            # The terminal goes away, as when a window is closed; what does not mind is the keeper's to end.
            child.close(force=True)
    return int(child.exitstatus or 0)


def _pass_on(terminal: int, lab: socket.socket) -> None:
    ends: list[int] = [terminal, lab.fileno()]
    while True:
        ready, _, _ = select.select(ends, [], [])
        if terminal in ready:
            # A terminal whose program has ended answers with an error rather than with an end.
            try:
                said = os.read(terminal, _CHUNK)
            except OSError:
                return
            if not said:
                return
            with contextlib.suppress(BrokenPipeError):
                lab.sendall(said)
        if lab.fileno() in ready:
            typed = lab.recv(_CHUNK)
            if not typed:
                return
            os.write(terminal, typed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
