"""Databases that real servers made, unpacked; and one server's work on a file, done by a process of ours."""

import contextlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

DATA = Path(__file__).parents[2] / "data" / "databases"
V1, PREVIEW, RELEASED = "v1-1.17.18", "v2-0.0.0-next-16350", "v2-2.0.15"
CARRIED = "v1-carried-to-2.0.15"


@dataclass(frozen=True)
class Made:
    """An unpacked database. `sessions` has the ids by the names that tests/data/databases/make.py gave."""

    path: Path
    sessions: dict[str, str]

    @property
    def wal(self) -> Path:
        return Path(f"{self.path}-wal")

    def name_of(self, session: str) -> str:
        return {value: key for key, value in self.sessions.items()}.get(session, session)


def unpack(name: str, folder: Path) -> Made:
    with zipfile.ZipFile(DATA / f"{name}.zip") as archive:
        archive.extractall(folder / name)
    (path,) = (folder / name).glob("opencode*.db")
    return Made(path, json.loads((folder / name / "sessions.json").read_text()))


def stamps(path: Path) -> dict[str, tuple[str, int, int]]:
    """What would show that somebody wrote: bytes and times of the database and of all that lies beside it."""
    return {
        one.name: (sha256(one.read_bytes()).hexdigest(), one.stat().st_mtime_ns, one.stat().st_size)
        for one in sorted(path.parent.iterdir())
        if one.is_file()
    }


_HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("pragma wal_autocheckpoint=0")
for line in sys.stdin:
    print(connection.execute(line).fetchone(), flush=True)
"""


class Holder:
    """Another process that has a database open, as a server has."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def does(self, sql: str) -> str:
        """Run one statement there; what it answered."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{' '.join(sql.split())}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def holding(path: Path) -> Iterator[Holder]:
    holder = Holder(path)
    holder.does("select count(*) from sqlite_master")
    try:
        yield holder
    finally:
        holder.kill()
        for stream in (holder.process.stdin, holder.process.stdout):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
