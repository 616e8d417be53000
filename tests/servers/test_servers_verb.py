"""`wedged servers`, in-process and once as a real process that is interrupted."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from wedged.cli import main
from wedged.facts.server import ServerSpec
from wedged.servers import default_servers, install
from wedged.servers.platform_packages import Machine, package_names

from .fake_npm import FakeNpm, leftovers, until

PACKAGE = package_names(ServerSpec.parse("v1@1.17.18"), Machine.here())[0]


@pytest.fixture
def npm(npm: FakeNpm) -> FakeNpm:
    """The registry of this folder's other tests, with two servers in it."""
    for version in ("1.17.18", "1.18.34"):
        npm.publish(PACKAGE, version)
    return npm


def test_the_life_of_a_server(npm: FakeNpm, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["servers", "list"]) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert "wedged servers install" in err

    assert main(["servers", "install", "v1@1.17.18"]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines()[0].split() == ["SERVER", "LINE", "MB", "SHA256", "PROGRAM"]
    assert out.splitlines()[1].split()[:3] == ["v1@1.17.18", "v1", "0"]
    assert err.endswith("v1@1.17.18: installed\n")

    assert main(["servers", "list"]) == 0
    assert capfd.readouterr() == (out, "")

    assert main(["servers", "remove", "v1@1.17.18", "v1@1.18.34"]) == 0
    assert capfd.readouterr() == ("", "v1@1.17.18: removed\nv1@1.18.34: was not in the cache\n")


def test_json_is_one_document(npm: FakeNpm, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["servers", "install", "v1@1.17.18", "v1@latest", "--json"]) == 0
    brought = json.loads(capfd.readouterr().out)
    assert [server["spec"] for server in brought["servers"]] == ["v1@1.17.18", "v1@1.18.34"]
    assert main(["servers", "list", "--json"]) == 0
    listed = json.loads(capfd.readouterr().out)
    assert listed["servers"] == brought["servers"]
    assert listed["default"] == [str(spec) for spec in default_servers()]
    server = install(ServerSpec.parse("v1@1.17.18"))
    assert listed["servers"][0] == {
        "spec": "v1@1.17.18",
        "line": "v1",
        "version": "1.17.18",
        "sha256": server.sha256,
        "argv": list(server.argv),
    }
    assert main(["servers", "remove", "--json", "v1@1.17.18", "v1@1.0.0"]) == 0
    assert json.loads(capfd.readouterr().out) == {
        "schema": 1,
        "removed": ["v1@1.17.18"],
        "absent": ["v1@1.0.0"],
    }


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["install", "v3@1"], 2, "not a server spec"),
        (["install", "v1@1.17.18", "v3@1"], 2, "not a server spec"),
        (["install", "v1@9.9.9"], 3, "no v1@9.9.9; nearest: 1.17.18, 1.18.34"),
        (["install", "path:/no/such/file"], 3, "no such file: path:/no/such/file"),
        (["remove", "v1@latest"], 2, "floats"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], code: int, says: str, npm: FakeNpm, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["servers", *arguments]) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert says in err.splitlines()[-1]
    # A spec that can't be read is found before anything is fetched.
    assert code == 3 or npm.calls() == []


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_an_interrupted_install_leaves_nothing(
    number: signal.Signals, code: int, npm: FakeNpm, tmp_path: Path
) -> None:
    npm.trouble(pack="hang")
    argv = [sys.executable, "-m", "wedged", "servers", "install", "v1@1.17.18"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as wedged:
        until((npm.home / "hanging").exists, "the download to hang")
        wedged.send_signal(number)
        out, err = wedged.communicate(timeout=60)
    assert (wedged.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert not psutil.pid_exists(npm.pids()[-1])
    assert leftovers(tmp_path / "cache" / "servers") == []
