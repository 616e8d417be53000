"""Which server is looked at, and where its password comes from."""

import base64
import json
import os
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from wedged.cli import main
from wedged.cli.target import Target, target
from wedged.lab.bench import open_bench
from wedged.lab.keeper import Keeper
from wedged.servers import InstalledServer

from .fake_v1 import reply, serving, wedged_answers

Out = pytest.CaptureFixture[str]
URL = "http://127.0.0.1:49374"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this user's V2 service would be registered; no password in the environment."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for name in ("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD", "OPENCODE_SERVER_USERNAME"):
        monkeypatch.delenv(name, raising=False)
    # Whatever else may listen on the machine that runs the tests.
    monkeypatch.setattr("wedged.cli.target.ALSO_USUAL", ())
    (tmp_path / "opencode").mkdir()
    return tmp_path / "opencode"


def register(folder: Path, url: str = URL, *, pid: int = 0, mode: int = 0o600) -> Path:
    file = folder / "service.json"
    file.write_text(json.dumps({"url": url, "pid": pid or os.getpid(), "password": "geheim"}))
    file.chmod(mode)
    return file


def test_without_a_url_the_local_service_is_looked_at_with_its_own_password(
    folder: Path, capsys: Out
) -> None:
    answers, logins = wedged_answers(), []

    def where(handler: BaseHTTPRequestHandler) -> None:
        logins.append(handler.headers["Authorization"])
        reply(handler, json.dumps(directory))

    directory, answers["/path"] = answers["/path"], where
    with serving(answers, password="geheim") as url:
        file = register(folder, url)
        assert main(["asks"]) == 1
    assert set(logins) == {"Basic " + base64.b64encode(b"opencode:geheim").decode()}
    out, err = capsys.readouterr()
    assert err.splitlines() == [
        f"wedged: no URL given, looking at {url}, by {file}",
        f"wedged: the password comes from {file}; lines to paste want it in OPENCODE_PASSWORD",
    ]
    assert '-u opencode:"$OPENCODE_PASSWORD"' in out
    assert "geheim" not in out + err


def test_the_services_address_may_be_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(folder)
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", "another")
    assert target(f"{URL}/") == Target(URL, "opencode", "OPENCODE_PASSWORD", "geheim")


def test_no_other_address_is_told_the_services_password(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(folder)
    for url in ("http://127.0.0.1:49375", "http://localhost:49374", "http://example.org:49374", "nonsense"):
        assert target(url) == Target(url, "opencode", "", "")
    monkeypatch.setenv("OPENCODE_PASSWORD", "mine")
    assert target("http://127.0.0.1:1") == Target(
        "http://127.0.0.1:1", "opencode", "OPENCODE_PASSWORD", "mine"
    )


@pytest.mark.parametrize(
    ("mode", "pid", "why"), [(0o644, 0, "mode should be 600"), (0o600, 2**22 + 7, "does not run")]
)
def test_a_registration_that_can_not_be_used_is_said(
    folder: Path, capsys: Out, mode: int, pid: int, why: str
) -> None:
    file = register(folder, mode=mode, pid=pid)
    assert target(None).url == "http://127.0.0.1:4096"
    passed_over, looking_at = capsys.readouterr().err.splitlines()
    assert passed_over.startswith(f"wedged: {file} is passed over: ")
    assert why in passed_over
    assert looking_at == "wedged: no URL given, looking at http://127.0.0.1:4096"


@pytest.mark.server
def test_a_real_service_is_found_by_what_it_wrote(
    installed_released: InstalledServer, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    with Keeper.start() as keeper, open_bench(installed_released, keeper, service=True) as bench:
        monkeypatch.setenv("XDG_STATE_HOME", bench.home.env["XDG_STATE_HOME"])
        assert main(["asks", "--json"]) == 0
        seen = json.loads(capsys.readouterr().out)
        assert seen["directories"] == [bench.home.env["HOME"]], "the service's own directory is its home"
        monkeypatch.setenv("OPENCODE_PASSWORD", "of another server")
        assert main(["asks", bench.server.url]) == 0
        assert bench.server.password not in "".join(capsys.readouterr())
    assert main(["asks", "--timeout", "2"]) == 3
