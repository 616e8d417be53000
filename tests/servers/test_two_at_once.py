"""Real processes: two installs at once, and one that is killed half-way."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from wedged.errors import RegistryUnreachable
from wedged.facts.server import ServerSpec
from wedged.servers import cache_folder, install, installed
from wedged.servers.leftovers import note_child, sweep_leftovers
from wedged.servers.npm import Npm
from wedged.servers.platform_packages import Machine, package_names

from .fake_npm import FakeNpm, leftovers, until

SPEC = ServerSpec.parse("v1@1.17.18")
CODE = (
    "import sys\n"
    "from wedged.facts.server import ServerSpec\n"
    "from wedged.servers import install\n"
    "say = lambda sentence: print(sentence, file=sys.stderr, flush=True)\n"
    "print(install(ServerSpec.parse('v1@1.17.18'), say).argv[0])\n"
)


@pytest.fixture
def package() -> str:
    return package_names(SPEC, Machine.here())[0]


def start(log: Path) -> "subprocess.Popen[str]":
    with log.open("w") as err:
        return subprocess.Popen([sys.executable, "-c", CODE], stdout=subprocess.PIPE, stderr=err, text=True)


def test_the_second_waits_and_reuses(npm: FakeNpm, package: str, tmp_path: Path) -> None:
    npm.publish(package, "1.17.18")
    npm.gate.touch()
    with start(tmp_path / "first") as first:
        until((npm.home / "at the gate").exists, "the first install to download")
        with start(tmp_path / "second") as second:
            until(lambda: "waiting" in (tmp_path / "second").read_text(), "the second install to wait")
            npm.gate.unlink()
            paths = [process.communicate(timeout=60)[0] for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0)
    assert paths[0] == paths[1] == f"{install(SPEC).argv[0]}\n"
    assert [call[0] for call in npm.calls()] == ["view", "pack"]


def test_killed_half_way(npm: FakeNpm, package: str, tmp_path: Path) -> None:
    npm.publish(package, "1.17.18")
    npm.trouble(pack="hang")
    with start(tmp_path / "log") as killed:
        until((npm.home / "hanging").exists, "the download to hang")
        killed.send_signal(signal.SIGKILL)
    assert len(leftovers(cache_folder())) == 1
    assert installed() == ()
    orphan = npm.pids()[-1]
    assert psutil.pid_exists(orphan)
    npm.trouble()
    server = install(SPEC)
    assert installed() == (server,)
    assert leftovers(cache_folder()) == []
    until(lambda: not running(orphan), "the killed install's npm to end")


@pytest.mark.parametrize(
    ("verb", "seconds"), [("view", {"view_seconds": 0.3}), ("pack", {"stall_seconds": 0.3})]
)
def test_a_registry_that_falls_silent(
    verb: str, seconds: dict[str, float], npm: FakeNpm, tmp_path: Path
) -> None:
    npm.trouble(**{verb: "hang"})
    work = tmp_path / "work"
    work.mkdir()
    found = Npm.found(work)
    patient = Npm(found.program, work, **seconds)
    came: list[int] = []
    with pytest.raises(RegistryUnreachable, match=r"no (answer|further byte) came.* within 0\.3 s"):
        _ = patient.view("p", "1.0.0") if verb == "view" else patient.pack("p", "1.0.0", came.append)
    assert not any(running(pid) for pid in npm.pids())
    assert came == ([] if verb == "view" else [2_000_000])


def test_a_stranger_with_the_same_number_is_left_alone(tmp_path: Path) -> None:
    work = tmp_path / ".installing-x"
    work.mkdir()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as stranger:
        note_child(work, stranger.pid)
        sweep_leftovers(tmp_path)
        assert stranger.poll() is None
        os.kill(stranger.pid, signal.SIGKILL)
    assert not work.exists()


def test_a_question_left_by_a_killed_process_is_removed(npm: FakeNpm, package: str, tmp_path: Path) -> None:
    npm.publish(package, "1.17.18")
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        pass
    old = tmp_path / "tmp" / f"wedged-npm-{dead.pid}-abc"
    live = tmp_path / "tmp" / f"wedged-npm-{os.getpid()}-abc"
    for folder in (old, live):
        folder.mkdir()
    install(ServerSpec.parse("v1@latest"))
    assert not old.exists()
    assert live.exists()
    live.rmdir()


def running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
