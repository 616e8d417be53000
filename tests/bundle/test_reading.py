"""Zips from strangers: each is read, or refused in one line; none is unpacked, none makes a traceback."""

import contextlib
import io
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.diagnose.looks import ask, look, session

from wedged.bundle import read_bundle, read_manifest
from wedged.bundle.contents import MANIFEST, WINDOW
from wedged.cli import main
from wedged.errors import CannotLook, UnknownSchema, UnreadableFile
from wedged.facts.snapshot import Window

Out = pytest.CaptureFixture[str]
LOOK = Window(look((ask(),), (session(),)))
HEAD = {
    "schema": 1,
    "kind": "wedged-bundle",
    "wedged": "0.1.0",
    "taken": "2026-11-29T12:00:00Z",
    "target": "x",
}


def made(path: Path, **files: bytes | str) -> Path:
    """A zip with a right manifest and look, but for `files` by name (an empty one is left out)."""
    whole = {MANIFEST: json.dumps(HEAD), WINDOW: msgspec.json.encode(LOOK), **files}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in whole.items():
            if data:
                archive.writestr(name, data)
    return path


def named(path: Path, name: str, mode: int = 0o100600, data: bytes = b"x") -> Path:
    """A right zip with one file more."""
    with zipfile.ZipFile(made(path), "a", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(info, data)
    return path


def twice(path: Path) -> Path:
    with pytest.warns(UserWarning, match="Duplicate name"):
        return named(path, WINDOW)


def bomb(path: Path) -> Path:
    return named(path, "logs/x.log", data=b"\0" * (20 << 20))


def lying(path: Path) -> Path:
    """Its list promises fewer bytes of the look than there are."""
    raw = bytearray(made(path).read_bytes())
    at = raw.rindex(WINDOW.encode()) - 46
    raw[at + 24 : at + 28] = (100).to_bytes(4, "little")
    path.write_bytes(raw)
    return path


def cut(path: Path) -> Path:
    raw = made(path).read_bytes()
    path.write_bytes(raw[: len(raw) * 2 // 3])
    return path


def many(path: Path) -> Path:
    with zipfile.ZipFile(made(path), "a") as archive:
        for number in range(2100):
            archive.writestr(f"f{number}", b"")
    return path


def garbage(path: Path) -> Path:
    path.write_bytes(b"PK\x03\x04" + b"nothing" * 30)
    return path


def encrypted(path: Path) -> Path:
    raw = bytearray(made(path).read_bytes())
    at = raw.rindex(WINDOW.encode()) - 46
    raw[at + 8] |= 1
    path.write_bytes(raw)
    return path


def newer(path: Path) -> Path:
    return made(path, **{MANIFEST: json.dumps({**HEAD, "schema": 2, "wedged": "9.1", "files": "elsewhere"})})


def impossible(path: Path) -> Path:
    tree = msgspec.to_builtins(LOOK)
    tree["latest"]["taken_ms"] = 10**17
    return made(path, **{WINDOW: json.dumps(tree)})


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "up": (lambda path: named(path, "../evil"), "leads out of it"),
    "up in the middle": (lambda path: named(path, "a/../../evil"), "leads out of it"),
    "absolute": (lambda path: named(path, "/etc/cron.d/x"), "leads out of it"),
    "of a drive": (lambda path: named(path, "C:/x"), "leads out of it"),
    "backslash": (lambda path: named(path, "..\\x"), "leads out of it"),
    "a link": (lambda path: named(path, "logs/x", stat.S_IFLNK | 0o777), "is a link"),
    "twice": (twice, "twice"),
    "a bomb": (bomb, "times its size"),
    "a lying size": (lying, "or damaged"),
    "cut short": (cut, "is no zip, or is cut short"),
    "too many": (many, "more than any bundle"),
    "garbage": (garbage, "is no zip"),
    "encrypted": (encrypted, "is encrypted"),
    "no manifest": (lambda path: made(path, **{MANIFEST: ""}), "no bundle of wedged"),
    "another kind": (lambda path: made(path, **{MANIFEST: '{"schema": 1}'}), "no bundle of wedged"),
    "a manifest of lists": (lambda path: made(path, **{MANIFEST: "[" * 9000}), "is damaged"),
    "no look": (lambda path: made(path, **{WINDOW: ""}), "without a look"),
    "another look": (lambda path: made(path, **{WINDOW: '{"latest": 1}'}), WINDOW),
    "an impossible time": (impossible, "is no time"),
    "a newer one": (newer, "of schema 2, made by wedged 9.1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_zip_is_one_line(name: str, tmp_path: Path, capsys: Out) -> None:
    make, words = REFUSED[name]
    path = make(tmp_path / "b.zip")
    assert main(["doctor", str(path)]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["b.zip"]


def test_a_newer_schema_is_told_from_a_broken_file(tmp_path: Path) -> None:
    with pytest.raises(UnknownSchema, match="upgrade it"):
        read_bundle(newer(tmp_path / "b.zip"))
    with pytest.raises(UnreadableFile, match="can't be read"):
        read_bundle(tmp_path / "nothing.zip")


def test_a_right_one_is_read_whole_and_a_changed_one_says_so(tmp_path: Path) -> None:
    path = made(tmp_path / "b.zip")
    window = read_bundle(path)
    assert [gap.what for gap in window.latest.blind] == ["what the server really said"]
    assert window.latest.sessions == LOOK.latest.sessions
    assert window.latest.asks == LOOK.latest.asks
    assert read_manifest(path).wedged == "0.1.0"


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_makes_a_traceback(tmp_path: Path, data: st.DataObject) -> None:
    raw = bytearray(made(tmp_path / "whole.zip").read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged.zip"
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw)
    with contextlib.suppress(CannotLook):
        assert isinstance(read_bundle(path), Window)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_other_value_in_a_look_makes_a_traceback(tmp_path: Path, data: st.DataObject) -> None:
    """Whatever is read is also diagnosed and shown."""
    tree = msgspec.to_builtins(LOOK)
    for _ in range(data.draw(st.integers(1, 3))):
        at = tree
        while isinstance(at, dict | list) and at:
            key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
            if not isinstance(at[key], dict | list) or data.draw(st.integers(0, 5)) == 0:
                at[key] = data.draw(_JSON)
                break
            at = at[key]
    path = made(tmp_path / "other.zip", **{WINDOW: json.dumps(tree)})
    assert main(["doctor", str(path), "--all", "--json"]) in (0, 1, 3)
    buffer = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stderr", buffer)
        main(["doctor", str(path), "--all"])
    assert "internal error" not in buffer.getvalue()
