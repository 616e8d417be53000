import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from wedged.servers.platform_packages import Machine

from .fake_npm import FakeNpm, leftovers


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeNpm]:
    """The fake npm, alone on PATH, with cache and temporary folder of its own; nothing may be left there."""
    fake = FakeNpm.make(tmp_path / "registry")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("PATH", str(fake.home / "bin"))
    monkeypatch.setenv("WEDGED_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield fake
    assert leftovers(tmp_path / "cache" / "servers") == []
    assert leftovers(tmp_path / "tmp") == []


@pytest.fixture
def linux_x64(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package names of one kind of machine, whatever this one is."""
    monkeypatch.setattr(Machine, "here", lambda: Machine("linux", "x64", musl=False, avx2=True))
