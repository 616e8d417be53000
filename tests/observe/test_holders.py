"""Who has a file open: by open files, by SQLite's locks, and what can't be seen."""

import os
from pathlib import Path

import pytest
from tests.observe.database.stores import V1, holding, unpack

from wedged.facts.process import Holders
from wedged.observe import holders as module
from wedged.observe.holders import describe, holders


def test_nobody(tmp_path: Path) -> None:
    assert holders(unpack(V1, tmp_path).path) == Holders()


def test_somebody_with_his_time_of_birth(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    with holding(made.path) as one, holding(made.path) as two:
        seen = holders(made.path)
        assert [process.pid for process in seen.seen] == [one.process.pid, two.process.pid], "oldest first"
        assert seen.seen[0].created <= seen.seen[1].created
        assert (seen.held, seen.complete) == (True, True)
        assert describe(seen.seen[0]).endswith(f", process {one.process.pid}")
        assert str(made.path) in seen.seen[0].argv
        assert str(made.path) not in describe(seen.seen[0])
    assert holders(made.path) == Holders()


def blindfold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other users' processes may not be looked into."""

    def refused(pid: int, wanted: os.stat_result, path: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(module, "_opens", refused)


def test_another_users_processes_show_by_their_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = unpack(V1, tmp_path)
    blindfold(monkeypatch)
    assert holders(made.path) == Holders()
    with holding(made.path) as one, holding(made.path) as two:
        seen = holders(made.path)
        assert {process.pid for process in seen.seen} == {one.process.pid, two.process.pid}
        assert (seen.held, seen.complete) == (True, True)


def test_without_the_kernels_list_a_lock_tells_of_one_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = unpack(V1, tmp_path)
    blindfold(monkeypatch)
    monkeypatch.setattr(module, "_LOCKS", tmp_path / "none")
    with holding(made.path) as one:
        seen = holders(made.path)
        assert [process.pid for process in seen.seen] == [one.process.pid]
        assert (seen.held, seen.complete) == (True, False)


def test_a_holder_outside_of_our_container_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = unpack(V1, tmp_path)
    monkeypatch.setattr(module, "_lock_holder", lambda path: 0)
    assert holders(made.path) == Holders((), held=True, complete=False)


def test_our_own_locks_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = unpack(V1, tmp_path)

    def touched(file: Path, start: int, length: int) -> int | None:
        raise AssertionError("opening and closing the file would drop our own locks")

    with made.path.open("rb"):
        monkeypatch.setattr(module, "_conflict", touched)
        assert [process.pid for process in holders(made.path).seen] == [os.getpid()]
