import base64
import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from wedged.errors import InstallError, IntegrityMismatch
from wedged.servers.tarball import check_integrity, extract_program


def tarball(path: Path, *members: tarfile.TarInfo, data: bytes = b"program") -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for member in members:
            member.size = len(data) if member.isreg() else 0
            archive.addfile(member, io.BytesIO(data) if member.isreg() else None)
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def sri(data: bytes, algorithm: str = "sha512") -> str:
    return f"{algorithm}-" + base64.b64encode(hashlib.new(algorithm, data).digest()).decode()


def test_only_the_program_is_extracted(tmp_path: Path) -> None:
    file = tarball(
        tmp_path / "t.tgz", member("package/README"), member("../evil"), member("pkg/bin/opencode")
    )
    into = tmp_path / "into"
    into.mkdir()
    assert extract_program(file, "opencode", into).read_bytes() == b"program"
    assert [path.name for path in into.iterdir()] == ["opencode"]
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        member("package/bin/other"),
        member("package/bin/opencode", tarfile.SYMTYPE, "/bin/sh"),
        member("package/bin/opencode", tarfile.LNKTYPE, "package/README"),
        member("package/bin/opencode", tarfile.DIRTYPE),
        member("package/bin/opencode", tarfile.FIFOTYPE),
        member("../bin/opencode"),
    ],
    ids=["absent", "symlink", "hard link", "folder", "fifo", "outside"],
)
def test_no_regular_program(wrong: tarfile.TarInfo, tmp_path: Path) -> None:
    file = tarball(tmp_path / "t.tgz", wrong)
    into = tmp_path / "into"
    into.mkdir()
    with pytest.raises(InstallError):
        extract_program(file, "opencode", into)
    assert list(into.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"<html>", b"\x1f\x8b\x08\x00rubbish"])
def test_no_tarball_at_all(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.tgz").write_bytes(data)
    with pytest.raises(InstallError):
        extract_program(tmp_path / "t.tgz", "opencode", tmp_path)


def test_a_tarball_cut_short(tmp_path: Path) -> None:
    whole = tarball(
        tmp_path / "t.tgz", member("package/bin/opencode"), data=bytes(range(256)) * 4000
    ).read_bytes()
    (tmp_path / "cut.tgz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InstallError):
        extract_program(tmp_path / "cut.tgz", "opencode", tmp_path)


def test_integrity(tmp_path: Path) -> None:
    file = tmp_path / "t.tgz"
    file.write_bytes(b"these bytes")
    check_integrity(file, sri(b"these bytes"))
    check_integrity(file, f"{sri(b'x', 'sha1')} {sri(b'others')} {sri(b'these bytes')}?opt")


@pytest.mark.parametrize(
    "integrity", [sri(b"others"), sri(b"these bytes", "sha1"), "", "sha512-", "sha512-%%%"]
)
def test_integrity_that_does_not_match(integrity: str, tmp_path: Path) -> None:
    file = tmp_path / "t.tgz"
    file.write_bytes(b"these bytes")
    with pytest.raises(IntegrityMismatch):
        check_integrity(file, integrity)
