"""The file that is written: whole or not at all, never over another one, readable by its user alone."""

import errno
import os
import zipfile
from pathlib import Path

import pytest

from wedged.bundle.archive import write_zip
from wedged.cli import main
from wedged.errors import NotWritten, UsageError

Out = pytest.CaptureFixture[str]
FILES = {"manifest.json": b"{}", "logs/a.log": b"x"}


def test_it_is_whole_and_private(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    write_zip(path, FILES)
    with zipfile.ZipFile(path) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == FILES
        assert archive.testzip() is None
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_nlink == 1
    assert [one.name for one in tmp_path.iterdir()] == ["b.zip"]


def test_another_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    path.write_text("mine")
    with pytest.raises(UsageError, match="--force replaces it"):
        write_zip(path, FILES)
    assert path.read_text() == "mine"
    write_zip(path, FILES, force=True)
    assert zipfile.is_zipfile(path)
    assert [one.name for one in tmp_path.iterdir()] == ["b.zip"]


def test_one_that_appears_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "b.zip"
    sync = os.fsync

    def late(descriptor: int) -> None:
        sync(descriptor)
        path.write_text("theirs")

    monkeypatch.setattr("os.fsync", late)
    with pytest.raises(UsageError, match="exists"):
        write_zip(path, FILES)
    assert path.read_text() == "theirs"
    assert [one.name for one in tmp_path.iterdir()] == ["b.zip"]


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(NotWritten, match="No space left"):
        write_zip(tmp_path / "b.zip", FILES)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("there.zip", "--force replaces it"),
        ("no/b.zip", "is no folder"),
        (".", "is a folder"),
        ("link", "exists"),
    ],
)
def test_a_bad_place_is_said_before_anything_is_asked(
    output: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there.zip").touch()
    Path("link").symlink_to("nowhere")
    # Nothing listens there: the place is judged first.
    assert main(["bundle", "http://127.0.0.1:9", "-o", output]) == 2
    assert words in capsys.readouterr().err


def test_a_bundle_of_a_bundle_makes_no_sense(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "b.zip"
    write_zip(path, FILES)
    assert main(["bundle", str(path), "-o", str(tmp_path / "c.zip")]) == 2
    assert "is a bundle" in capsys.readouterr().err
    assert not (tmp_path / "c.zip").exists()
