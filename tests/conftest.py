"""What every test shares: no proxies, a state folder of its own, and real servers where they can be had."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from wedged.errors import InstallError
from wedged.facts.server import ServerSpec
from wedged.servers import InstalledServer, install

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture(scope="session", autouse=True)
def _own_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in PROXIES:
            patch.delenv(name, raising=False)
        patch.setenv("WEDGED_STATE", str(tmp_path_factory.mktemp("state")))
        # Where the user's own V2 service would be registered.
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("xdg-state")))
        # Where the user's own databases are.
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("xdg-data")))
        yield


def _have(spec: str) -> InstalledServer:
    """A server that the tests start. In CI, not having it is a failure."""
    try:
        return install(ServerSpec.parse(spec))
    except InstallError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no server to test with: {error}")
        pytest.skip(f"no server to test with: {error}")


@pytest.fixture(scope="session")
def installed_v1() -> InstalledServer:
    """The V1 server that the tests start."""
    return _have("v1@1.17.18")


@pytest.fixture(scope="session")
def installed_preview() -> InstalledServer:
    """The V2 preview that the tests start."""
    return _have("v2@0.0.0-next-16350")


@pytest.fixture(scope="session")
def installed_released() -> InstalledServer:
    """The released V2 that the tests start."""
    return _have("v2@2.0.15")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty state folder for this test alone, and for the processes it starts."""
    path = tmp_path / "state"
    monkeypatch.setenv("WEDGED_STATE", str(path))
    return path
