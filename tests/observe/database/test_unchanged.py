"""Looking changes nothing: not the database, not its -wal, not its -shm, and leaves no copy behind."""

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from wedged.errors import UnreadableFile
from wedged.facts.process import Holders
from wedged.observe.database import copying, look_at_database, opening
from wedged.observe.database.copying import copy_into
from wedged.observe.database.file_kind import DatabaseFile, database_file
from wedged.observe.database.opening import open_database

from .stores import PREVIEW, RELEASED, V1, holding, stamps, unpack

WRITE = (
    "insert into session (id, project_id, slug, directory, title, version, time_created, time_updated) "
    "values ('ses_new', 'p', 'new', '/d', 'new', '9.9.9', 99999999999999, 99999999999999)"
)


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies are made."""
    path = tmp_path / "temp"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


@pytest.mark.parametrize("name", [V1, PREVIEW, RELEASED])
def test_where_nobody_holds_it_and_its_shm_is_missing_a_copy_is_read(
    name: str, tmp_path: Path, temp: Path
) -> None:
    made = unpack(name, tmp_path)
    before = stamps(made.path)
    look = look_at_database(made.path)
    assert stamps(made.path) == before
    assert any(session.unfinished for session in look.sessions)
    assert look.scopes[0].reads[0].startswith("read from a copy with its -wal (")
    assert look.holders == Holders()
    assert list(temp.iterdir()) == []


@pytest.mark.parametrize("name", [V1, PREVIEW, RELEASED])
def test_where_somebody_holds_it_it_is_read_in_place(name: str, tmp_path: Path, temp: Path) -> None:
    made = unpack(name, tmp_path)
    with holding(made.path) as holder:
        before = stamps(made.path)
        assert set(before) >= {made.path.name, made.wal.name, f"{made.path.name}-shm"}
        temp.chmod(0o500)
        look = look_at_database(made.path)
        assert stamps(made.path) == before
    assert look.scopes[0].reads[0] == (
        f"read in place, read-only, as {look.holders.seen[0].name}, process {holder.process.pid} has it open"  # type: ignore[union-attr]
    )
    assert any(session.unfinished for session in look.sessions)


def test_the_newest_commit_is_seen_while_another_is_under_way(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    with holding(made.path) as holder:
        holder.does(WRITE)
        holder.does("begin immediate")
        holder.does(WRITE.replace("ses_new", "ses_open"))
        before = stamps(made.path)
        look = look_at_database(made.path)
        assert stamps(made.path) == before
    assert look.session("ses_new")
    assert look.session("ses_open") is None
    assert look.identity.version == "9.9.9"


def test_a_holder_that_was_killed_leaves_what_it_had_committed(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    with holding(made.path) as holder:
        holder.does(WRITE)
        holder.kill()
        before = stamps(made.path)
        assert look_at_database(made.path).session("ses_new")
        assert stamps(made.path) == before, "its -shm stays as it was, too"


@pytest.mark.parametrize("name", [V1, PREVIEW, RELEASED])
def test_what_a_killed_server_left_is_read_in_place(name: str, tmp_path: Path, temp: Path) -> None:
    made = unpack(name, tmp_path)
    with holding(made.path) as holder:
        holder.kill()
    before = stamps(made.path)
    temp.chmod(0o500)
    look = look_at_database(made.path)
    assert stamps(made.path) == before
    assert set(before) >= {made.path.name, made.wal.name, f"{made.path.name}-shm"}
    assert look.scopes[0].reads[0].startswith("read in place, read-only with its -wal (")
    assert look.holders == Holders()
    assert any(session.unfinished for session in look.sessions), "all that is open is in the -wal"


@pytest.mark.parametrize("left", [b"", b"\x00" * 32768, b"\xa5" * 32768])
def test_whatever_its_shm_says_is_not_believed(left: bytes, tmp_path: Path, temp: Path) -> None:
    made = unpack(V1, tmp_path)
    Path(f"{made.path}-shm").write_bytes(left)
    before = stamps(made.path)
    temp.chmod(0o500)
    look = look_at_database(made.path)
    assert stamps(made.path) == before
    assert any(session.unfinished for session in look.sessions)


def test_without_a_wal_none_is_made(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    made.wal.unlink()
    Path(f"{made.path}-shm").write_bytes(b"")
    before = stamps(made.path)
    look = look_at_database(made.path)
    assert stamps(made.path) == before
    assert look.scopes[0].reads[0].startswith("read from a copy")


def test_a_server_that_starts_meanwhile_can_write_and_is_not_seen(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    with holding(made.path) as holder:
        holder.kill()
    with open_database(made.path) as database:
        assert database.how.startswith("read in place")
        count = "select count(*) from session"
        before = database.one(count)
        with holding(made.path) as holder:
            holder.does(WRITE)
            assert holder.does("pragma wal_checkpoint(passive)").startswith("(0, ")
            assert holder.does(f"{count} where id = 'ses_new'") == "(1,)"
            assert database.one(count) == before
    assert look_at_database(made.path).session("ses_new")


def test_one_that_keeps_it_to_himself_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_BUSY_S", 0.1)
    made = unpack(V1, tmp_path)
    with holding(made.path) as holder:
        holder.does("pragma locking_mode=exclusive")
        holder.does(WRITE)
        before = stamps(made.path)
        with pytest.raises(UnreadableFile, match=rf"is locked by .*, process {holder.process.pid}$"):
            look_at_database(made.path)
        assert stamps(made.path) == before


def test_a_reader_that_is_no_sqlite_does_not_count_as_a_server(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    with made.path.open("rb"):
        look = look_at_database(made.path)
    assert look.holders
    assert [one.pid for one in look.holders.seen] == [os.getpid()]
    assert look.scopes[0].reads[0].startswith("read from a copy with its -wal")
    assert any(session.unfinished for session in look.sessions)


def test_a_symlink_is_followed_to_where_the_wal_is(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    link = tmp_path / "link.db"
    link.symlink_to(made.path)
    assert any(session.unfinished for session in look_at_database(link).sessions)


def test_a_name_that_means_something_in_an_address(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    odd = tmp_path / "odd" / "a ?mode=rw&#%41.db"
    odd.parent.mkdir()
    shutil.copy(made.path, odd)
    shutil.copy(made.wal, f"{odd}-wal")
    before = stamps(odd)
    assert any(session.unfinished for session in look_at_database(odd).sessions)
    with holding(odd):
        assert any(session.unfinished for session in look_at_database(odd).sessions)
    assert stamps(odd)[odd.name] == before[odd.name]


def test_a_file_that_is_opened_while_it_is_copied_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = unpack(V1, tmp_path)
    with ExitStack() as stack:

        def copy(folder: Path, file: DatabaseFile) -> Path | None:
            copied = copy_into(folder, file)
            stack.enter_context(holding(made.path))
            return copied

        monkeypatch.setattr(opening, "copy_into", copy)
        look = look_at_database(made.path)
    assert look.scopes[0].reads[0].startswith("read in place")


def test_a_file_that_never_stands_still_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = unpack(V1, tmp_path)
    monkeypatch.setattr(opening, "copy_into", lambda folder, file: None)
    with pytest.raises(UnreadableFile, match="changed each of the 5 times"):
        look_at_database(made.path)


def test_a_copy_of_a_file_that_changed_meanwhile_is_worth_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = unpack(V1, tmp_path)
    real = copying._copy

    def copy(source: Path, target: Path) -> None:
        real(source, target)
        os.utime(made.wal)

    monkeypatch.setattr(copying, "_copy", copy)
    (tmp_path / "copy").mkdir()
    assert copy_into(tmp_path / "copy", database_file(made.path)) is None


def test_no_room_for_a_copy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = unpack(V1, tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    with pytest.raises(UnreadableFile, match="no room for 3 MB; set TMPDIR"):
        look_at_database(made.path)
