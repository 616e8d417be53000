"""What a spec becomes, with a registry that holds what the test says."""

import hashlib
import os
from pathlib import Path

import pytest

from wedged.errors import (
    BadServerSpec,
    CacheNotWritable,
    InstallError,
    IntegrityMismatch,
    NoBinaryForPlatform,
    NoSuchVersion,
    NpmMissing,
    RegistryUnreachable,
    WedgedError,
)
from wedged.facts.server import Line, ServerSpec
from wedged.servers import cache_folder, install, installed, remove, resolve

from .fake_npm import FakeNpm

pytestmark = pytest.mark.usefixtures("linux_x64")
SPEC = ServerSpec.parse("v1@1.17.18")
LATEST = ServerSpec.parse("v1@latest")
PACKAGE = "opencode-linux-x64"
PROGRAM = b"#!/bin/sh\necho hi\n"


def test_a_server_is_fetched_once(npm: FakeNpm, monkeypatch: pytest.MonkeyPatch) -> None:
    npm.publish(PACKAGE, "1.17.18", content=PROGRAM)
    said: list[str] = []
    server = install(SPEC, said.append)
    binary = Path(server.argv[0])
    assert len(server.argv) == 1
    assert binary.read_bytes() == PROGRAM
    assert os.access(binary, os.X_OK)
    assert cache_folder() in binary.parents
    assert server.sha256 == hashlib.sha256(PROGRAM).hexdigest()
    assert (server.spec, server.version, server.line) == (SPEC, "1.17.18", Line.V1)
    assert said[-1] == "v1@1.17.18: installed"
    monkeypatch.setenv("PATH", "")
    assert install(SPEC) == server
    assert installed() == (server,)


def test_npm_is_kept_to_one_folder_and_runs_no_script(npm: FakeNpm) -> None:
    npm.publish(PACKAGE, "1.17.18")
    install(SPEC)
    assert [call[0] for call in npm.calls()] == ["view", "pack"]
    for call in npm.calls():
        assert {"--ignore-scripts", "--fetch-retries=0", "--no-dry-run", "--no-offline"} <= set(call)
    for folder in npm.folders():
        assert cache_folder() in folder.parents
        assert not folder.exists()


def test_latest_is_looked_up_each_time(npm: FakeNpm) -> None:
    npm.publish(PACKAGE, "1.18.9")
    assert str(resolve(LATEST)) == "v1@1.18.9"
    assert installed() == ()
    npm.publish(PACKAGE, "1.18.10")
    server = install(LATEST)
    assert str(server.spec) == "v1@1.18.10"
    calls = len(npm.calls())
    assert resolve(SPEC) == SPEC
    assert len(npm.calls()) == calls


def test_latest_without_a_network_names_what_is_cached(npm: FakeNpm) -> None:
    npm.publish(PACKAGE, "1.18.10")
    install(LATEST)
    npm.trouble(view="ENOTFOUND")
    with pytest.raises(RegistryUnreachable, match=r"in the cache: v1@1\.18\.10"):
        resolve(LATEST)


def test_a_strange_latest_is_refused(npm: FakeNpm) -> None:
    (npm.home / "packages.json").write_text('{"opencode-linux-x64": {"../../evil": "sha512-x"}}')
    with pytest.raises(InstallError, match="strange version"):
        resolve(LATEST)


@pytest.mark.parametrize(
    ("spec", "package", "program", "line"),
    [
        ("v1@1.17.18", "opencode-linux-x64-baseline", "opencode", Line.V1),
        ("v2@2.0.15", "@opencode/cli-linux-x64-baseline", "opencode", Line.V2_RELEASED),
        ("v2@0.0.0-next-16350", "@opencode-ai/cli-linux-x64-baseline", "opencode2", Line.V2_PREVIEW),
    ],
)
def test_the_baseline_package_is_taken_where_the_plain_one_is_missing(
    spec: str, package: str, program: str, line: Line, npm: FakeNpm
) -> None:
    parsed = ServerSpec.parse(spec)
    npm.publish(package, parsed.value, f"bin/{program}")
    server = install(parsed)
    assert server.line is line
    assert Path(server.argv[0]).name == program
    assert installed() == (server,)
    assert remove(parsed)


@pytest.mark.parametrize("verb", ["view", "pack"])
@pytest.mark.parametrize(
    ("trouble", "error", "says"),
    [
        ("ENOTFOUND", RegistryUnreachable, "ENOTFOUND"),
        ("EAI_AGAIN", RegistryUnreachable, "EAI_AGAIN"),
        ("ECONNREFUSED", RegistryUnreachable, "ECONNREFUSED"),
        ("FETCH_ERROR", RegistryUnreachable, "FETCH_ERROR"),
        ("E503", RegistryUnreachable, "E503"),
        ("E401", RegistryUnreachable, "refused .E401"),
        ("SELF_SIGNED_CERT_IN_CHAIN", RegistryUnreachable, "refused .SELF_SIGNED"),
        ("EINTEGRITY", IntegrityMismatch, "EINTEGRITY"),
        ("ENOSPC", CacheNotWritable, "no space left.*ENOSPC"),
        ("EFBIG", CacheNotWritable, "no space left.*EFBIG"),
        ("EWHATEVER", InstallError, "EWHATEVER"),
        ("a code\x1b[31m\nwith more", InstallError, "exit code 1 and gave no error code"),
        ("silent", InstallError, "exit code 7"),
        ("nonsense", InstallError, "gave no error code"),
        ("killed", InstallError, "signal 9"),
        ("no node", NpmMissing, r"Node\.js"),
    ],
)
def test_trouble_is_one_line_and_leaves_no_entry(
    verb: str, trouble: str, error: type[WedgedError], says: str, npm: FakeNpm
) -> None:
    npm.publish(PACKAGE, "1.17.18")
    npm.trouble(**{verb: trouble})
    with pytest.raises(error, match=says) as caught:
        install(SPEC)
    assert type(caught.value) is error
    assert str(caught.value).isprintable()
    assert "wall of text" not in str(caught.value)
    assert installed() == ()
    npm.trouble()
    assert install(SPEC).version == "1.17.18"


def test_no_npm(npm: FakeNpm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NpmMissing, match="not on PATH"):
        install(SPEC)


def test_an_npm_that_is_no_program(npm: FakeNpm) -> None:
    (npm.home / "bin" / "npm").write_bytes(b"\x7fELF not really")
    with pytest.raises(NpmMissing, match="can't be started"):
        install(SPEC)


def test_a_version_that_is_not_there(npm: FakeNpm) -> None:
    for version in ("1.9.0", "1.17.18", "1.17.19", "1.18.3", "1.18.10", "1.18.34"):
        npm.publish(PACKAGE, version)
    with pytest.raises(
        NoSuchVersion, match=r"nearest: 1\.17\.18, 1\.17\.19, 1\.18\.3, 1\.18\.10; newest: 1\.18\.34"
    ):
        install(ServerSpec.parse("v1@1.17.20"))
    with pytest.raises(NoSuchVersion, match=r"nearest: 1\.18\.10, 1\.18\.34$"):
        install(ServerSpec.parse("v1@2.0.0"))


@pytest.mark.parametrize("spec", ["v1@1.17", "v1@next"])
def test_a_range_or_tag_is_no_version(spec: str, npm: FakeNpm) -> None:
    npm.publish(PACKAGE, "1.17.18")
    npm.publish(PACKAGE, "1.17.19")
    with pytest.raises(NoSuchVersion):
        install(ServerSpec.parse(spec))
    assert installed() == ()


def test_a_platform_that_is_not_there(npm: FakeNpm, monkeypatch: pytest.MonkeyPatch) -> None:
    from wedged.servers.platform_packages import Machine

    monkeypatch.setattr(Machine, "here", lambda: Machine("linux", "arm64"))
    with pytest.raises(NoBinaryForPlatform, match="no package for this machine"):
        install(SPEC)
    npm.publish("opencode-linux-x64-baseline", "1.17.18")
    with pytest.raises(NoBinaryForPlatform, match=r"has v1@1\.17\.18, but no opencode-linux-arm64 of it"):
        install(SPEC)
    npm.publish("opencode-linux-arm64", "1.17.17")
    with pytest.raises(NoBinaryForPlatform, match="but no opencode-linux-arm64 of it"):
        install(SPEC)
    with pytest.raises(NoSuchVersion, match=r"nearest: 1\.17\.17"):
        install(ServerSpec.parse("v1@1.17.19"))


@pytest.mark.parametrize(
    ("integrity", "says"), [("sha512-AAAA", "does not match"), ("sha1-AAAA", "no sha512"), ("", "no sha512")]
)
def test_a_bad_hash(integrity: str, says: str, npm: FakeNpm) -> None:
    tarball = npm.publish(PACKAGE, "1.17.18")
    npm.publish_tarball(PACKAGE, "1.17.18", tarball, integrity)
    with pytest.raises(IntegrityMismatch, match=says):
        install(SPEC)
    assert installed() == ()


def test_a_package_without_the_program(npm: FakeNpm) -> None:
    npm.publish(PACKAGE, "1.17.18", "bin/other")
    with pytest.raises(InstallError, match="no program bin/opencode"):
        install(SPEC)


def test_installed_and_removed(npm: FakeNpm, tmp_path: Path) -> None:
    assert not remove(SPEC)
    for version in ("1.18.10", "1.18.9", "1.17.18"):
        npm.publish(PACKAGE, version)
        install(ServerSpec.parse(f"v1@{version}"))
    assert [server.version for server in installed()] == ["1.17.18", "1.18.9", "1.18.10"]
    assert remove(SPEC)
    assert not remove(SPEC)
    assert [server.version for server in installed()] == ["1.18.9", "1.18.10"]
    with pytest.raises(BadServerSpec, match="floats"):
        remove(LATEST)
    mine = tmp_path / "mine"
    mine.write_text("")
    assert not remove(ServerSpec.parse(f"path:{mine}"))
    assert mine.exists()
