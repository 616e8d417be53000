"""The one-file reproductions: alike where they say so, on httpx alone, and of the guide's own opinion."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wedged.catalog import CLASSES, by_code
from wedged.facts.server import ServerSpec
from wedged.servers import install

FOLDER = Path(__file__).resolve().parents[2] / "scripts" / "repro"
FILES = sorted(FOLDER.glob("W*.py"))
BEGIN, END = "# --- the same in every file", "# --- end of what is the same"

each_file = pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)


def common(path: Path) -> str:
    text = path.read_text()
    assert (text.count(BEGIN), text.count(END)) == (1, 1)
    return text[text.index(BEGIN) : text.index(END)]


def test_what_is_said_to_be_the_same_is() -> None:
    assert FILES
    assert {path.name for path in FILES if common(path) != common(FILES[0])} == set()


@each_file
def test_a_file_is_named_for_its_class_and_needs_httpx_only(path: Path) -> None:
    of = by_code(path.stem)
    tree = ast.parse(path.read_text())
    assert (ast.get_docstring(tree) or "").startswith(f"{of.code} {of.slug}: ")
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert {name.partition(".")[0] for name in imported} - sys.stdlib_module_names == {"httpx"}
    assert re.search(r'^# dependencies = \["httpx>=[\d.]+"\]$', path.read_text(), re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "python W"),
        (["a", "b"], 2, "python W"),
        (["--help"], 0, "python W"),
        (["/nowhere/opencode"], 3, "could not tell: /nowhere/opencode is neither an address nor a program"),
        (["http://127.0.0.1:9"], 3, "could not tell: "),
        ([sys.executable], 3, "could not tell: the server ended before it listened"),
    ],
)
@each_file
def test_what_cannot_be_run_is_said_in_one_line(
    path: Path, arguments: list[str], code: int, said: str, tmp_path: Path
) -> None:
    done = reproduce(path, *arguments, tmp_path=tmp_path)
    assert done.returncode == code
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.server
@each_file
def test_it_says_what_the_notebook_says(path: Path, tmp_path: Path) -> None:
    server = install(ServerSpec.parse(KNOWN_BAD[path.stem]))
    done = reproduce(path, server.argv[0], tmp_path=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("reproduced: ")
    assert list(tmp_path.iterdir()) == []


# A server on which the guide says of each class that it is present.
KNOWN_BAD = {
    "W001": "v1@1.17.18",
    "W002": "v1@1.17.18",
    "W101": "v1@1.17.18",
    "W102": "v2@0.0.0-next-16350",
    "W103": "v2@2.0.15",
    "W104": "v1@1.17.18",
    "W105": "v2@2.0.15",
    "W201": "v2@2.0.15",
    "W203": "v1@1.17.18",
    "W301": "v2@2.0.15",
}


def test_each_class_has_a_file_and_a_server_to_show_it_on() -> None:
    assert {path.stem for path in FILES} == set(KNOWN_BAD) == {of.code for of in CLASSES}


def reproduce(path: Path, *arguments: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run a reproduction with its temporary folder below `tmp_path`."""
    return subprocess.run(
        [sys.executable, path, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "TMPDIR": str(tmp_path)},
    )
