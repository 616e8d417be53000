"""A bundle of a server that answers as a real one did, with canaries in all that it says."""

import json
import sys
import threading
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.bundle.planted import CANARIES, HOME, HOST, SERVER_PASSWORD, USER, WORDS
from tests.cli.fake_v1 import serving, wedged_answers

from wedged.bundle import read_manifest
from wedged.cli import main
from wedged.errors import Unreachable
from wedged.facts.redaction import Redactor
from wedged.observe import look_twice

Out = pytest.CaptureFixture[str]
PROMPT, OUTPUT, ANSWER = (
    "Refactor the harbour module",
    "total 48 files compiled",
    "I will look at the quay first",
)


@pytest.fixture(autouse=True)
def _somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", HOME)
    monkeypatch.setenv("USER", USER)
    monkeypatch.setenv("LOGNAME", USER)
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", SERVER_PASSWORD)
    monkeypatch.setattr("platform.node", lambda: HOST)


def answers(planted: str, key: str = "") -> dict[str, Any]:
    """A wedged server's answers, with `planted` in its session, its messages and its config.

    `key` is the config's key: such a value goes wherever it stands.
    """
    wire = wedged_answers()
    (session,) = wire["/session"]
    session["title"] = f"{PROMPT}: {planted}"
    messages = wire[f"/session/{session['id']}/message"]
    for message in messages:
        role = message["info"]["role"]
        text = {"id": "prt_x", "type": "text", "text": f"{PROMPT if role == 'user' else ANSWER} {planted}"}
        message["parts"].append(text)
        for part in message["parts"]:
            if part["type"] == "tool":
                part["state"].setdefault("metadata", {})["output"] = f"{OUTPUT} {planted}"
                part["state"]["input"]["note"] = planted
    wire["/config"] = {
        "plugin": ["opencode-tidy@1.2.0"],
        "permission": {"bash": "ask"},
        "provider": {"x": {"options": {"apiKey": key or planted, "baseURL": f"https://u:{planted}@h"}}},
        "instructions": [planted],
    }
    return wire


def bundled(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        return "\n".join(f"{name}\n{archive.read(name).decode()}" for name in archive.namelist())


def test_no_canary_is_in_the_zip_and_no_text_that_was_not_wanted(tmp_path: Path, capsys: Out) -> None:
    everything = "\n".join(canary.text for canary in CANARIES)
    path = tmp_path / "b.zip"
    with serving(answers(everything), password=SERVER_PASSWORD) as url:
        assert main(["bundle", url, "-o", str(path), "--sample", "0", "--include", "prompts"]) == 0
    out, err = capsys.readouterr()
    text = bundled(path)
    survivors = [one.kind for one in CANARIES if any(secret in text + out + err for secret in one.secrets)]
    sys.stdout.write(f"canaries {len(survivors)} of {len(CANARIES)} survive\n")
    assert survivors == []
    assert PROMPT in text
    assert OUTPUT not in text
    assert ANSWER not in text


def test_every_word_is_in_the_zip(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    with serving(answers("\n".join(WORDS), key="Nettle-buoy-90")) as url:
        line = ["bundle", url, "-o", str(path), "--sample", "0"]
        assert main([*line, "--include", "prompts", "--include", "outputs", "--include", "answers"]) == 0
    text = bundled(path)
    lost = [words for words in WORDS if json.dumps(words)[1:-1] not in text]
    sys.stdout.write(f"words {len(WORDS) - len(lost)} of {len(WORDS)} survive\n")
    assert lost == []
    assert PROMPT in text
    assert OUTPUT in text
    assert ANSWER in text


def test_what_is_left_out_by_default_and_said(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "b.zip"
    with serving(answers("nothing")) as url:
        assert main(["bundle", url, "-o", str(path), "--sample", "0"]) == 0
    text = bundled(path)
    assert [words for words in (PROMPT, OUTPUT, ANSWER) if words in text] == []
    assert "opencode-tidy@1.2.0" in text
    manifest = read_manifest(path)
    assert manifest.same_findings is True
    assert manifest.withheld > 2
    assert path.stat().st_mode & 0o777 == 0o600
    gaps = {gap.what for gap in manifest.gaps}
    assert {"the processes of the server", "the server's logs", "the server's database"} <= gaps
    assert "found      W101" in capsys.readouterr().out


def test_doctor_finds_the_same_in_it(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "b.zip"
    with serving(answers("nothing")) as url:
        assert main(["doctor", url, "--sample", "0", "--json"]) == 1
        live = json.loads(capsys.readouterr().out)
        assert main(["bundle", url, "-o", str(path), "--sample", "0"]) == 0
        capsys.readouterr()
    assert main(["doctor", str(path), "--json"]) == 1
    read = json.loads(capsys.readouterr().out)
    for finding in (*live["findings"], *read["findings"]):
        del finding["recovery"], finding["age_s"]
    assert read["findings"] == Redactor(homes=[HOME]).value(live["findings"])
    assert read["server"] == live["server"]


def test_a_server_that_goes_away_between_the_looks_leaves_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    def gone(_: float) -> None:
        raise Unreachable("it broke the connection")

    monkeypatch.setattr("wedged.bundle.of_server.look_twice", partial(look_twice, wait=gone))
    path = tmp_path / "b.zip"
    with serving(answers("nothing")) as url:
        assert main(["bundle", url, "-o", str(path)]) == 0
    assert "it broke the connection" in capsys.readouterr().out
    assert {one.collector: one.state for one in read_manifest(path).collectors}["looks"] == "partial"
    assert main(["doctor", str(path)]) == 1


def test_a_list_that_hangs_costs_its_own_time_and_nothing_else(tmp_path: Path) -> None:
    wire, asked = answers("nothing"), threading.Event()
    (session,) = wire["/session"]
    over = threading.Event()

    def hang(_: object) -> None:
        asked.set()
        over.wait(30)

    wire["/config"] = hang
    path = tmp_path / "b.zip"
    with serving(wire) as url:
        assert main(["bundle", url, "-o", str(path), "--sample", "0", "--timeout", "0.5"]) == 0
        over.set()
    assert asked.is_set()
    states = {one.collector: one.state for one in read_manifest(path).collectors}
    assert (states["config"], states["looks"], states["messages"]) == ("nothing", "complete", "complete")
    (gap,) = [gap for gap in read_manifest(path).gaps if gap.collector == "config"]
    assert "within 0.5 s" in gap.why
    assert f"sessions/{session['id']}/messages.json" in bundled(path)


def test_only_gets_are_sent_and_no_directory_is_named(tmp_path: Path) -> None:
    seen: list[str] = []
    with serving(answers("nothing"), seen=seen) as url:
        assert main(["bundle", url, "-o", str(tmp_path / "b.zip"), "--sample", "0"]) == 0
    assert {line.split()[0] for line in seen} == {"GET"}
    assert [line for line in seen if "directory=" in line] == []
    assert "GET /config" in seen


def test_a_password_in_the_address_is_refused_and_not_repeated(tmp_path: Path, capsys: Out) -> None:
    url = f"http://opencode:{SERVER_PASSWORD}@127.0.0.1:4096"
    assert main(["bundle", url, "-o", str(tmp_path / "b.zip")]) == 2
    out, err = capsys.readouterr()
    assert "does not belong in an address" in err
    assert SERVER_PASSWORD not in out + err
    assert list(tmp_path.iterdir()) == []
