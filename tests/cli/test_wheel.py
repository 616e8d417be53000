"""The built package: installed by itself, in a process that has no network, it still explains."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from wedged.catalog import CLASSES

ROOT = Path(__file__).parents[2]
# Whoever opens a socket to anywhere, or looks a name up, is told off.
_NO_NETWORK = """
import socket


def refuse(*words, **more):
    raise OSError("this test has no network")


socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = socket.create_connection = refuse
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    builder = WheelBuilder(str(ROOT))
    return Path(next(builder.build(directory=str(folder), versions=["standard"])))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``wedged`` of an environment that has this wheel, and this environment's libraries beside it."""
    place = tmp_path_factory.mktemp("installed")
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"]
    subprocess.run([*install, "--no-index", "--no-compile", str(wheel)], check=True)
    (site,) = place.glob("lib/python3*/site-packages")
    (site / "sitecustomize.py").write_text(_NO_NETWORK)
    # Files of the kind .pth that are in there, as of an editable install, are not followed from here.
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "bin" / "wedged"


def run(installed: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(cwd), "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        [str(installed), *arguments], capture_output=True, text=True, cwd=cwd, env=env, check=False
    )


def test_the_page_of_a_class_from_an_installed_wheel_without_network(installed: Path, tmp_path: Path) -> None:
    ended = run(installed, "explain", "W101", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "WHAT YOU SEE" in ended.stdout
    python = installed.with_name("python")
    where = "import wedged; print(wedged.__file__)"
    shown = subprocess.run(
        [str(python), "-c", where], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert shown.stdout.startswith(str(installed.parents[1])), "it is the installed package, not the checkout"


def test_every_class_has_its_page_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    ended = run(installed, "explain", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert all(one.code in ended.stdout for one in CLASSES)


def test_that_process_has_no_network(installed: Path, tmp_path: Path) -> None:
    ended = run(installed, "asks", "http://127.0.0.1:9", cwd=tmp_path)
    assert ended.returncode == 3
    assert "this test has no network" in ended.stderr


def test_every_schema_and_data_file_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "src" / "wedged"
    data = [path for path in package.rglob("*") if path.suffix in (".json", ".txt", ".typed")]
    assert any(path.name == "doctor.schema.json" for path in data)
    assert any(path.name == "watch.schema.json" for path in data)
    assert {path.relative_to(package.parent).as_posix() for path in data} <= names
