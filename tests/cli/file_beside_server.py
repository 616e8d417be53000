"""A real server's own database file, looked at while the server holds a wedged session."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.observe.database.stores import stamps

from wedged.cli import main
from wedged.lab.bench import Bench, Prompted


def store(bench: Bench) -> Path:
    """The file that the bench's server writes."""
    (path,) = (Path(bench.home.env["XDG_DATA_HOME"]) / "opencode").glob("opencode*.db")
    return path


def file_and_server_agree(bench: Bench, held: Prompted, capsys: pytest.CaptureFixture[str]) -> None:
    """What the server says is among what its file says, and looking at the file changes not one byte."""

    def found(*target: str) -> tuple[dict[str, Any], dict[str, Any]]:
        assert main(["doctor", *target, "--grace", "0", "--json"]) == 1
        tree = json.loads(capsys.readouterr().out)
        (finding,) = [one for one in tree["findings"] if one["session"] == held.session]
        return tree, finding

    _, live = found(bench.server.url, "--sample", "0")
    path = store(bench)
    before = stamps(path)
    tree, candidate = found(str(path))
    assert stamps(path) == before
    assert set(before) == {path.name, f"{path.name}-shm", f"{path.name}-wal"}
    assert live["code"] in candidate["candidates"]
    assert (candidate["confidence"], candidate["recovery"]) == ("low", [])
    assert [one["pid"] for one in tree["checked"]["holders"]] == [bench.server.process.pid]
    assert any("older than the call" in line for line in candidate["evidence"])
    assert tree["server"] == {"line": bench.identity.line.value, "version": bench.identity.version}
