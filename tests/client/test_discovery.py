"""The local service by its own registration: used when it is private and alive, passed over otherwise."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wedged.client.discovery import Service, Unusable, find_services, read_registration, state_folder

REGISTERED = {"id": "x", "version": "2.0.15", "url": "http://127.0.0.1:49374", "password": "geheim"}


def register(folder: Path, name: str = "service.json", mode: int = 0o600, **changed: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(json.dumps(REGISTERED | {"pid": os.getpid()} | changed))
    file.chmod(mode)
    return file


def test_where_services_register() -> None:
    assert state_folder({"XDG_STATE_HOME": "/s", "HOME": "/h"}) == Path("/s/opencode")
    assert state_folder({"HOME": "/h"}) == Path("/h/.local/state/opencode")


def test_a_service_that_lives(tmp_path: Path) -> None:
    file = register(tmp_path / "opencode")
    expected = Service("http://127.0.0.1:49374", os.getpid(), "2.0.15", file, "geheim")
    assert find_services({"XDG_STATE_HOME": str(tmp_path)}) == ((expected,), ())
    assert "geheim" not in repr(expected)


def test_no_service() -> None:
    assert find_services({"XDG_STATE_HOME": "/nonexistent"}) == ((), ())


def test_another_channels_service_comes_after(tmp_path: Path) -> None:
    register(tmp_path / "opencode", "service-dev.json", url="http://localhost:5000/")
    register(tmp_path / "opencode")
    services, unusable = find_services({"XDG_STATE_HOME": str(tmp_path)})
    assert [one.url for one in services] == ["http://127.0.0.1:49374", "http://localhost:5000"]
    assert unusable == ()


def ended_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602, 0o660])
def test_a_file_that_others_can_reach_is_passed_over(tmp_path: Path, mode: int) -> None:
    seen = read_registration(register(tmp_path, mode=mode))
    assert isinstance(seen, Unusable)
    assert "mode should be 600" in seen.why


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"pid": 0}, "process 0 does not run"),
        ({"pid": -1}, "process -1 does not run"),
        ({"pid": "many"}, "not a registration"),
        ({"url": 7}, "not a registration"),
        ({"url": "http://user:geheim@127.0.0.1:1"}, "not a registration"),
        ({"url": "http://example.org:49374"}, "not on this machine"),
        ({"url": "http://127.0.0.1.example.org:49374"}, "not on this machine"),
        ({"password": ["geheim"]}, "not a registration"),
    ],
)
def test_what_can_not_be_used_is_said_without_its_contents(
    tmp_path: Path, changed: dict[str, Any], why: str
) -> None:
    seen = read_registration(register(tmp_path, **changed))
    assert isinstance(seen, Unusable)
    assert why in seen.why
    assert "geheim" not in seen.why


def test_a_process_that_has_ended(tmp_path: Path) -> None:
    pid = ended_pid()
    assert read_registration(file := register(tmp_path, pid=pid)) == Unusable(
        file, f"its process {pid} does not run"
    )


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b"x" * 100_000])
def test_a_file_that_is_no_registration(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "service.json"
    file.write_bytes(content)
    file.chmod(0o600)
    assert isinstance(read_registration(file), Unusable)


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "service.json", 0o600)
    (tmp_path / "service-link.json").symlink_to(register(tmp_path, "elsewhere"))
    (tmp_path / "service-folder.json").mkdir()
    for name in ("service.json", "service-link.json", "service-folder.json"):
        assert isinstance(read_registration(tmp_path / name), Unusable), name


def test_a_service_without_a_password(tmp_path: Path) -> None:
    seen = read_registration(register(tmp_path, password=None))
    assert isinstance(seen, Service)
    assert seen.password == ""
