"""Bundles of real servers that hold a wedged session and a running shell, read back by doctor."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wedged.bundle import read_manifest
from wedged.cli import main
from wedged.facts.redaction import Redactor
from wedged.facts.server import Line
from wedged.lab.bench import Bench, Prompted, open_bench, shell
from wedged.lab.keeper import Keeper
from wedged.lab.scenarios.w101_ungated_external_ask import hold
from wedged.lab.turns import Call, Script, Turn
from wedged.observe import server_tree
from wedged.servers import InstalledServer
from wedged.waiting import wait_for

pytestmark = pytest.mark.server
Out = pytest.CaptureFixture[str]
CANARY, PROMPT = "Walnut-gantry-" + "667", "Refactor the harbour module of Marseille"


@pytest.fixture(scope="module", params=["v1", "released"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    installed: InstalledServer = request.getfixturevalue(f"installed_{request.param}")
    with Keeper.start() as keeper, open_bench(installed, keeper) as bench:
        bench.warm_up(bench.project())
        yield bench


@pytest.fixture(autouse=True)
def _password(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", bench.server.password)


@pytest.fixture(scope="module")
def held(bench: Bench) -> tuple[Prompted, Prompted]:
    """One session that waits for an ask, and one whose shell runs with a secret in its command line."""
    wedged = hold(bench)
    command = f"API_TOKEN={CANARY} sleep 600"
    script = Script("shell", (Turn(calls=(Call(bench.shell_tool, shell(command)),)),))
    running = bench.prompt(script, bench.project(), PROMPT)

    def below() -> bool:
        tree = server_tree(bench.server.url)
        return any("sleep" in one.argv for one in getattr(tree, "below", ()))

    wait_for(below, "the shell to run", 30)
    return wedged, running


def parts(bundle: Path) -> dict[str, str]:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_the_bundle_of_a_held_server(
    bench: Bench, held: tuple[Prompted, Prompted], tmp_path: Path, capsys: Out
) -> None:
    wedged, running = held
    bundle = tmp_path / "b.zip"
    how = ["--sample", "0.5", "--grace", "0"]
    assert main(["bundle", bench.server.url, "-o", str(bundle), *how]) == 0
    said = capsys.readouterr()
    assert main(["doctor", bench.server.url, *how, "--json"]) == 1
    live = json.loads(capsys.readouterr().out)
    assert main(["doctor", str(bundle), "--grace", "0", "--json"]) == 1
    read = json.loads(capsys.readouterr().out)
    for finding in (*live["findings"], *read["findings"]):
        del finding["recovery"], finding["age_s"]
    assert read["findings"] == Redactor().value(live["findings"])
    assert [finding["code"] for finding in read["findings"]] == ["W101"]
    assert (read["server"], read["unknown"]) == (live["server"], live["unknown"])

    files = parts(bundle)
    everything = "\n".join([*files, *files.values(), said.out, said.err])
    for secret in (bench.server.password, CANARY, PROMPT):
        assert secret not in everything
    manifest = read_manifest(bundle)
    assert manifest.same_findings is True
    states = {one.collector: one.state for one in manifest.collectors}
    assert states.pop("logs") == ("complete" if bench.identity.line is Line.V1 else "partial")
    assert set(states.values()) == {"complete"}

    tree: Any = json.loads(files["processes.json"])
    rows = {row["pid"]: row for row in tree["processes"]}
    server = rows[bench.server.process.pid]
    assert "server" in server["roles"]
    (sleeper,) = [row for row in rows.values() if row["argv"] == ["sleep", "600"]]
    assert sleeper["state"] == "sleeping"
    assert {"pgid", "ppid", "sid", "age_s", "stdin", "stdout"} <= set(sleeper)
    held_by = sleeper["stdout"].get("also_held_by", [])
    assert sleeper["stdout"]["kind"] != "pipe" or server["pid"] in held_by

    listening = [one for one in json.loads(files["sockets.json"])["sockets"] if one["state"] == "LISTEN"]
    assert f"loopback:{bench.server.url.rpartition(':')[2]}" in {one["local"] for one in listening}
    database = json.loads(files["database.json"])
    assert [one["pid"] for one in database["openers"]] == [server["pid"]]
    assert database["schema_known"] is True
    assert json.loads(files["environment.json"])["environment"]["OPENCODE_DISABLE_AUTOUPDATE"] == "1"
    logs = json.loads(files["logs.json"])
    assert logs["files"]["opencode.log"]["open_by_server"] is True
    assert 0 <= logs["files"]["opencode.log"]["last_line_ago_s"] < 600
    for prompted in (wedged, running):
        messages = files[f"sessions/{prompted.session}/messages.json"]
        assert '"status": "running"' in messages
        if bench.identity.line is Line.V1:
            assert prompted.session in logs["sessions"]
    asks = json.loads(files["asks.json"])["asks"]
    assert [one["session"] for one in asks] == [wedged.session]
    assert asks[0]["age_s"] >= 0
    looks = json.loads(files["statuses.json"])["looks"]
    assert [set(look["not_idle"]) for look in looks] == [{wedged.session, running.session}] * 2
    assert "mock" in files["config.json"]


def test_prompts_come_in_where_they_are_wanted(
    bench: Bench, held: tuple[Prompted, Prompted], tmp_path: Path, capsys: Out
) -> None:
    running = held[1]
    bundle = tmp_path / "b.zip"
    line = ["bundle", bench.server.url, "-o", str(bundle), "--sample", "0", "--session", running.session]
    assert main([*line, "--include", "prompts"]) == 0
    files = parts(bundle)
    assert PROMPT in files[f"sessions/{running.session}/messages.json"]
    assert bench.server.password not in "\n".join(files.values())
    assert CANARY not in "\n".join(files.values())
    assert "prompts are in it" in capsys.readouterr().out
