"""A cache entry is whole or it is none."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wedged.errors import CacheNotWritable
from wedged.facts.server import ServerSpec
from wedged.servers import cache_folder, install, installed

from .fake_npm import FakeNpm, leftovers

pytestmark = pytest.mark.usefixtures("linux_x64")
SPEC = ServerSpec.parse("v1@1.17.18")
PACKAGE = "opencode-linux-x64"
PROGRAM = b"#!/bin/sh\necho hi\n"


def flip(binary: Path) -> None:
    binary.write_bytes(PROGRAM.replace(b"hi", b"ho"))


def flip_and_set_the_clock_back(binary: Path) -> None:
    before = binary.stat()
    flip(binary)
    os.utime(binary, ns=(before.st_atime_ns, before.st_mtime_ns))


def cut(binary: Path) -> None:
    binary.write_bytes(PROGRAM[:5])


def forbid(binary: Path) -> None:
    binary.chmod(0o644)


def other_record(**changes: object) -> Callable[[Path], None]:
    def change(binary: Path) -> None:
        record = binary.with_name("record.json")
        record.write_text(json.dumps({**json.loads(record.read_text()), **changes}))

    return change


def no_record(binary: Path) -> None:
    binary.with_name("record.json").unlink()


def deep_record(binary: Path) -> None:
    binary.with_name("record.json").write_text("[" * 100_000)


@pytest.mark.parametrize(
    "damage",
    [
        flip,
        flip_and_set_the_clock_back,
        cut,
        Path.unlink,
        forbid,
        no_record,
        deep_record,
        other_record(schema=2),
        other_record(program="../../../bin/sh"),
        other_record(sha256="0" * 64, mtime_ns=1),
        other_record(unknown=1),
    ],
)
def test_a_damaged_entry_is_installed_anew(damage: Callable[[Path], None], npm: FakeNpm) -> None:
    npm.publish(PACKAGE, "1.17.18", content=PROGRAM)
    server = install(SPEC)
    damage(Path(server.argv[0]))
    assert installed() == ()
    assert install(SPEC) == server
    assert Path(server.argv[0]).read_bytes() == PROGRAM
    assert [call[0] for call in npm.calls()].count("pack") == 2


def test_a_restored_cache_is_good(npm: FakeNpm) -> None:
    npm.publish(PACKAGE, "1.17.18", content=PROGRAM)
    server = install(SPEC)
    folder = Path(server.argv[0]).parent
    record = (folder / "record.json").read_text()
    shutil.copytree(folder, folder.with_name("copy"))
    shutil.rmtree(folder)
    folder.with_name("copy").rename(folder)
    calls = len(npm.calls())
    assert install(SPEC) == server
    assert len(npm.calls()) == calls
    # The new times were written down: the next look needs no hash.
    assert (folder / "record.json").read_text() != record
    assert sorted(path.name for path in folder.iterdir()) == ["opencode", "record.json"]


@pytest.fixture
def small_disk(npm: FakeNpm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file system of one megabyte, for the cache."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["/bin/mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root can mount a small disk; the file size limit is tested instead")
    monkeypatch.setenv("WEDGED_CACHE", str(disk))
    yield disk
    subprocess.run(["/bin/umount", disk], check=True)


def test_a_full_disk(small_disk: Path, npm: FakeNpm) -> None:
    npm.publish(PACKAGE, "1.17.18", content=bytes(8_000_000))
    with pytest.raises(CacheNotWritable, match=r"no space left.*ENOSPC.*WEDGED_CACHE"):
        install(SPEC)
    assert installed() == ()
    assert leftovers(cache_folder()) == []
    npm.publish(PACKAGE, "1.17.18", content=PROGRAM)
    assert install(SPEC).version == "1.17.18"


def test_a_read_only_cache(small_disk: Path, npm: FakeNpm) -> None:
    npm.publish(PACKAGE, "1.17.18", content=PROGRAM)
    npm.publish(PACKAGE, "1.18.34", content=PROGRAM)
    server = install(SPEC)
    subprocess.run(["/bin/mount", "-o", "remount,ro", small_disk], check=True)
    assert install(SPEC) == server
    with pytest.raises(CacheNotWritable, match=r"can't write.*EROFS.*WEDGED_CACHE"):
        install(ServerSpec.parse("v1@1.18.34"))


def test_a_file_size_limit(npm: FakeNpm) -> None:
    npm.publish("opencode-linux-x64", "1.17.18", content=bytes(8_000_000))
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
        "from wedged.facts.server import ServerSpec\n"
        "from wedged.servers.platform_packages import Machine\n"
        "from wedged.servers import install\n"
        "Machine.here = lambda: Machine('linux', 'x64', avx2=True)\n"
        "install(ServerSpec.parse('v1@1.17.18'))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "CacheNotWritable: no space left" in ended.stderr
    assert "EFBIG" in ended.stderr
    assert installed() == ()


def test_a_cache_folder_that_is_a_file(npm: FakeNpm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WEDGED_CACHE", str(tmp_path / "file"))
    assert installed() == ()
    with pytest.raises(CacheNotWritable, match="can't write"):
        install(SPEC)


def test_a_folder_without_permission(npm: FakeNpm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.getuid() == 0:
        pytest.skip("root may write everywhere; the read-only disk is tested instead")
    (tmp_path / "locked").mkdir(mode=0o555)
    monkeypatch.setenv("WEDGED_CACHE", str(tmp_path / "locked"))
    with pytest.raises(CacheNotWritable, match="EACCES"):
        install(SPEC)


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEDGED_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path / "servers"
    monkeypatch.setenv("WEDGED_CACHE", "")
    assert cache_folder().parts[-2:] == ("wedged", "servers")
