"""V2's shared service: its own port and password, and what a crash of it leaves in its files."""

import stat
from pathlib import Path

import httpx
import pytest

from wedged.errors import LabError
from wedged.lab import shared_service
from wedged.lab.home import Home
from wedged.lab.keeper import Keeper
from wedged.lab.server_process import start_server
from wedged.servers import InstalledServer

MODEL = "http://127.0.0.1:9/v1"
PASSWORD = "correct-horse-battery"
WELL_KNOWN = 49374


@pytest.fixture
def home(keeper: Keeper) -> Home:
    return Home(keeper.make_home("service"))


def test_a_v1_has_none(keeper: Keeper, home: Home, installed_v1: InstalledServer) -> None:
    with pytest.raises(LabError, match="has no shared service"):
        start_server(keeper, installed_v1, home, cwd=home.outside, service=True)


@pytest.mark.server
def test_it_takes_our_password_and_a_port_of_its_own_and_a_crash_does_not_confuse_the_next(
    keeper: Keeper, home: Home, installed_released: InstalledServer
) -> None:
    project = home.project("project", model_url=MODEL)
    first = start_server(keeper, installed_released, home, cwd=project, password=PASSWORD, service=True)
    assert (first.service, first.password) == (True, PASSWORD)
    assert httpx.URL(first.url).port != WELL_KNOWN
    config = Path(home.env["XDG_CONFIG_HOME"]) / "opencode" / "service.json"
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    info = httpx.get(f"{first.url}/api/info", auth=("opencode", PASSWORD), timeout=60).json()
    assert info["pid"] == first.process.pid
    # It names a temporary folder of its own; that one has to be ours too.
    assert Path(info["paths"]["tmp"]).is_relative_to(home.root)
    first.kill()
    stale = shared_service.registration(home.env)
    assert stale is not None
    assert stale.pid == first.process.pid
    second = start_server(keeper, installed_released, home, cwd=project, password=PASSWORD, service=True)
    now = shared_service.registration(home.env)
    assert now is not None
    assert (now.pid, now.url) == (second.process.pid, second.url)
    assert PASSWORD not in repr(now)
    assert not second.stop().forced
    assert shared_service.registration(home.env) is None


@pytest.mark.server
def test_a_plain_server_keeps_a_stray_service_off_the_well_known_port(
    keeper: Keeper, home: Home, installed_preview: InstalledServer
) -> None:
    project = home.project("project", model_url=MODEL)
    server = start_server(keeper, installed_preview, home, cwd=project)
    assert not server.service
    assert shared_service.configured(home.env)
    assert f"{WELL_KNOWN}" not in (Path(home.env["XDG_CONFIG_HOME"]) / "opencode/service.json").read_text()
    assert shared_service.registration(home.env) is None
    assert httpx.get(f"{server.url}/api/health", auth=("opencode", server.password), timeout=60).json()["pid"]
    server.stop()
