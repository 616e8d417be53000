"""How long ``wedged doctor FILE`` takes on large databases, and how much memory, beside bare sqlite3.

A file is the sample of tests/data/databases, with copies of sessions of 60 messages in V1's or 2.0.15's
shape until it is as large as wanted. The sample by itself shows what starting costs. A file is looked at in
three states: held by a process, left by a killed server (database, -wal and -shm), copied without its -shm.
The floors are processes with bare sqlite3 and ``mode=ro``: one reads the same rows and does nothing with
them, one has SQLite find the calls among them that have not ended.

    python -m benchmarks.doctor_file [--sizes 10,100,1000] [--runs N] [--place FOLDER]
"""

import argparse
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from benchmarks.measure import Measured, Ran, measure, python, wedged

DATA = Path(__file__).parents[1] / "tests" / "data" / "databases"
_MESSAGES = 60
_AT_ONCE = 4
_TEXTS = 300
_WORDS = ("foo ", "bar", '{"x"', "line\n", "\u65e5\u672c", " " * 20)
_ROWS = {
    "v1-1.17.18": "select session_id, id, data from message union all select session_id, id, data from part",
    "v2-2.0.15": "select session_id, id, data from session_message",
}
_OPEN = {
    "v1-1.17.18": "select id from part where json_extract(data, '$.type') = 'tool' "
    "and json_extract(data, '$.state.status') not in ('completed', 'error')",
    "v2-2.0.15": "select session_message.id from session_message, json_each(data, '$.content') as piece "
    "where session_message.type = 'assistant' and json_extract(piece.value, '$.type') = 'tool' "
    "and json_extract(piece.value, '$.state.status') not in ('completed', 'error')",
}
_FLOOR = """
import sqlite3, sys
connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
print(sum(1 for row in connection.execute(sys.argv[2])))
"""
_HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("pragma wal_autocheckpoint=0")
connection.execute(f"update {sys.argv[2]} set title = title")
print("held", flush=True)
sys.stdin.read()
"""
Row = tuple[object, ...]
Rows = dict[str, list[Row]]


@cache
def _texts(mean: int) -> list[str]:
    seed = random.Random(mean)  # noqa: S311
    lengths = [int(seed.expovariate(1 / mean)) for _ in range(_TEXTS)]
    return ["".join(seed.choices(_WORDS, k=length)) for length in lengths]


def words(mean: int, seed: random.Random) -> str:
    """Output of a command, `mean` words long on average."""
    return seed.choice(_texts(mean))


def text(tree: object) -> str:
    """As servers write it."""
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


def v1_session(n: int, seed: random.Random) -> Rows:
    """A finished session's rows by table."""
    session, rows = f"ses_{n:030d}", {"message": list[Row](), "part": list[Row]()}
    for m in range(_MESSAGES):
        message = f"msg_{n:06d}_{m:020d}"
        created = 1_700_000_000_000 + n * 1000 + m
        info = {"role": "assistant" if m % 6 else "user", "time": {"created": created, "completed": created}}
        rows["message"].append((message, session, created, created, text(info)))
        output = words(1500, seed)
        state = {
            "status": "completed",
            "input": {"command": "x" * 50},
            "output": output,
            "metadata": {"output": output, "exit": 0},
            "title": "t",
            "time": {"start": created, "end": created},
        }
        parts: tuple[object, ...] = (
            {"type": "step-start"},
            {"type": "text", "text": words(200, seed)},
            {"type": "tool", "tool": "bash", "callID": "c", "state": state},
            {"type": "step-finish"},
        )
        rows["part"] += [
            (f"prt_{n:06d}{m:04d}{k:020d}", message, session, created, created, text(part))
            for k, part in enumerate(parts)
        ]
    return rows


def v2_session(n: int, seed: random.Random) -> Rows:
    """A finished session's rows by table."""
    session, rows = f"ses_{n:030d}", list[Row]()
    for m in range(_MESSAGES):
        message, time = f"msg_{n:06d}_{m:020d}", {"created": 1, "ran": 1, "completed": 2}
        calls = [
            {
                "type": "tool",
                "id": f"call_{k}",
                "name": "shell",
                "executed": False,
                "state": {
                    "status": "completed",
                    "input": {"command": "x" * 50},
                    "content": [{"type": "text", "text": words(1500, seed)}],
                    "metadata": {"exit": 0},
                },
                "time": time,
            }
            for k in range(2)
        ]
        content = [{"type": "text", "text": words(200, seed)}, *calls]
        tree: object = {"time": time, "content": content, "finish": "tool-calls"}
        if m % 6 == 0:
            tree = {"time": time, "text": words(100, seed)}
        rows.append((message, session, "assistant" if m % 6 else "user", m, 1, 1, text(tree)))
    return {"session_message": rows}


def fill(path: Path, megabytes: int, table: str, make: Callable[[int, random.Random], Rows]) -> None:
    """Copy sessions in until the file is as large as wanted. What the sample has in its -wal stays there."""
    seed = random.Random(1)  # noqa: S311
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in ("foreign_keys=0", "synchronous=0"):
            connection.execute(f"pragma {pragma}")
        columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
        row = connection.execute(f"select * from {table} order by time_updated limit 1").fetchone()  # noqa: S608
        sample = dict(zip(columns, row, strict=True)) | {"parent_id": None}
        n = 0
        while path.stat().st_size < megabytes * 1e6:
            connection.execute("begin")
            for _ in range(_AT_ONCE):
                n += 1
                mine = sample | {"id": f"ses_{n:030d}", "slug": f"slug{n}"}
                _insert(connection, table, [tuple(mine.values())])
                for below, rows in make(n, seed).items():
                    _insert(connection, below, rows)
            connection.execute("commit")
            connection.execute("pragma wal_checkpoint(truncate)").fetchone()


def _insert(connection: sqlite3.Connection, table: str, rows: list[Row]) -> None:
    marks = ", ".join("?" * len(rows[0]))
    connection.executemany(f"insert into {table} values ({marks})", rows)  # noqa: S608


@contextmanager
def held(path: Path, table: str) -> Iterator[None]:
    """A process has it open, with its newest writes in the -wal, and is killed at the end: both stay."""
    argv = python(_HOLD, str(path), table)
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        try:
            yield
        finally:
            process.kill()


def one_file(name: str, megabytes: int, runs: int, place: Path) -> None:
    """Measure one file in its three states and print them beside the floor."""
    with zipfile.ZipFile(DATA / f"{name}.zip") as archive:
        archive.extractall(place)
    (path,) = place.glob("opencode*.db")
    table, make = ("session", v1_session) if name.startswith("v1") else ("session_v2", v2_session)
    argv = wedged("doctor", str(path), "--json")
    start = measure(argv, runs, check=found)
    fill(path, megabytes, table, make)
    size = path.stat().st_size / 1e6
    print(f"{name}, {size:.0f} MB")
    print(f"  doctor on the sample by itself: {start}")
    with held(path, table):
        floor = measure(python(_FLOOR, str(path), _ROWS[name]), runs, check=fine)
        print(f"  floor, the same {floor.runs[0].out.strip()} rows read: {floor}")
        finds = measure(python(_FLOOR, str(path), _OPEN[name]), runs, check=fine)
        print(f"  floor, {finds.runs[0].out.strip()} open calls found by SQLite: {finds}")
        tell(floor, finds, "held by a process", measure(argv, runs, check=found))
    tell(floor, finds, "left by a killed server", measure(argv, runs, check=found))
    Path(f"{path}-shm").unlink()
    tell(floor, finds, "copied without its -shm", measure(argv, runs, check=found))


def tell(floor: Measured, finds: Measured, state: str, seen: Measured) -> None:
    """One line."""
    how = json.loads(seen.runs[-1].out)["checked"]["scopes"][0]["reads"][0]
    print(f"  {state} ({how.partition(',')[0]}): {seen}")
    for name, one in (("reading", floor), ("finding", finds)):
        print(f"    {seen.seconds / one.seconds:.2f} of {name}; by core time {seen.cpu / one.cpu:.2f}")


def fine(ran: Ran) -> None:
    """It read something."""
    assert ran.code == 0
    assert int(ran.out) > 0


def found(ran: Ran) -> None:
    """It found what the sample holds."""
    assert ran.code == 1, ran.code
    assert json.loads(ran.out)["findings"]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", default="10,100,1000", help="megabytes (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default: %(default)s)")
    parser.add_argument("--names", default=",".join(_ROWS), help="samples (default: %(default)s)")
    parser.add_argument("--place", type=Path, help="where files are made (default: the temporary folder)")
    options = parser.parse_args()
    for name in options.names.split(","):
        for size in options.sizes.split(","):
            place = Path(tempfile.mkdtemp(prefix="wedged-benchmark-", dir=options.place))
            try:
                one_file(name, int(size), options.runs, place)
            finally:
                shutil.rmtree(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
