"""The mark for resumption in a database of our making, and a count that is set by hand."""

import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from wedged.errors import LabError
from wedged.facts.server import Line
from wedged.facts.trial import Lane
from wedged.lab.bench import Bench
from wedged.lab.scenarios.w103_store import Mark, mark, marks, set_attempts
from wedged.lab.timeline import Timeline


def bench(tmp_path: Path, line: Line = Line.V2_RELEASED, *, alive: bool = False) -> Bench:
    """As much of a bench as the store needs."""
    folder = tmp_path / "opencode"
    folder.mkdir(exist_ok=True)
    with closing(sqlite3.connect(folder / "opencode.db")) as store, store:
        store.execute("CREATE TABLE IF NOT EXISTS session_v2 (id, time_suspended, resume_attempts)")
        store.execute("DELETE FROM session_v2")
        store.executemany("INSERT INTO session_v2 VALUES (?, ?, ?)", [("ses", 1, 0), ("other", None, 0)])
    made = SimpleNamespace(
        identity=SimpleNamespace(line=line),
        home=SimpleNamespace(env={"XDG_DATA_HOME": str(tmp_path)}),
        server=SimpleNamespace(alive=lambda: alive),
        timeline=Timeline(),
    )
    return cast(Bench, made)


def test_a_count_is_set_for_the_sessions_named_and_said_on_their_timeline(tmp_path: Path) -> None:
    there = bench(tmp_path)
    set_attempts(there, ["ses"], 9)
    assert marks(there, ["ses", "other"]) == {"ses": Mark(True, 9), "other": Mark(False, 0)}
    assert mark(there, "ses") == Mark(True, 9)
    kinds = [(o.lane, o.kind) for o in there.timeline.of("ses")]
    assert kinds == [(Lane.DATABASE, "resumptions counted by hand"), (Lane.DATABASE, "mark set")]


@pytest.mark.parametrize(
    ("line", "alive", "said"),
    [(Line.V2_RELEASED, True, "the server runs"), (Line.V2_PREVIEW, False, "no resumptions are counted")],
)
def test_a_count_is_not_set_where_it_would_lie(tmp_path: Path, line: Line, alive: bool, said: str) -> None:
    there = bench(tmp_path, line, alive=alive)
    with pytest.raises(LabError, match=said):
        set_attempts(there, ["ses"], 9)
    assert marks(bench(tmp_path), ["ses"]) == {"ses": Mark(True, 0)}


def test_a_store_that_is_none_is_said(tmp_path: Path) -> None:
    there = bench(tmp_path)
    (tmp_path / "opencode" / "opencode.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(LabError, match="could not be written"):
        set_attempts(there, ["ses"], 9)
    with pytest.raises(LabError, match="could not be read"):
        marks(there, ["ses"])
