import hashlib
from pathlib import Path

import pytest

from wedged.errors import NotRunnable
from wedged.facts.server import Line, ServerSpec
from wedged.servers import default_servers, install


def program(path: Path) -> Path:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_file_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = program(tmp_path / "my build")
    monkeypatch.chdir(tmp_path)
    server = install(ServerSpec.parse("path:my build"))
    assert server.argv == (str(file),)
    assert (server.version, server.line) == ("", Line.UNKNOWN)
    assert server.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_command_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = program(tmp_path / "bun")
    monkeypatch.setenv("PATH", str(tmp_path))
    server = install(ServerSpec.parse("cmd:\"bun run 'src dir/index.ts'\""))
    assert server.argv == (str(file), "run", "src dir/index.ts")
    assert server.sha256 == hashlib.sha256(b"bun run 'src dir/index.ts'").hexdigest()


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("path:missing", "no such file"),
        ("path:folder", "not a file"),
        ("path:text", "not executable"),
        ("cmd:./text serve", "not executable"),
        ("cmd:no-such-program-here", "not on PATH"),
        ("cmd:'unclosed", "no closing quotation"),
        ("path:" + "x" * 5000, "can't look at|no such file"),
    ],
)
def test_nothing_to_run(spec: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no program")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotRunnable, match=why):
        install(ServerSpec.parse(spec))


def test_the_default_list_names_each_server_once() -> None:
    specs = default_servers()
    assert len(set(specs)) == len(specs) > 0
