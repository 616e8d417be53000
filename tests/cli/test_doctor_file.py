"""``wedged doctor FILE``: reports, exit codes, and one line for what can't be looked at."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import jsonschema
import pytest
from tests.observe.database.stores import CARRIED, PREVIEW, RELEASED, V1, holding, stamps, unpack

from wedged.cli import main
from wedged.diagnose.document import schema_text
from wedged.facts.plain_text import plain

Out = pytest.CaptureFixture[str]


@pytest.mark.parametrize(("name", "line"), [(V1, "v1"), (PREVIEW, "v2preview"), (RELEASED, "v2released")])
def test_json_of_every_line(name: str, line: str, tmp_path: Path, capsys: Out) -> None:
    made = unpack(name, tmp_path)
    assert main(["doctor", str(made.path), "--json", "--all", "--include"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    tree = json.loads(out)
    jsonschema.validate(tree, json.loads(schema_text()))
    assert tree["target"] == {"kind": "database", "name": str(made.path)}
    assert tree["server"]["line"] == line
    waiting = {f["session"]: f for f in tree["findings"] if "W101" in f["candidates"]}
    assert {made.sessions["asking"], made.sessions["question"]} <= set(waiting)
    assert {f["confidence"] for f in waiting.values()} == {"low"}
    assert [f["recovery"] for f in waiting.values()] == [[]] * len(waiting)
    assert "asks" in [gap["what"] for gap in tree["unknown"]]
    assert tree["activity"] == []
    assert tree["checked"]["holders"] == []
    assert tree["checked"]["scopes"][0]["reads"][0].startswith("read from a copy with its -wal")


def test_the_text(tmp_path: Path, capsys: Out) -> None:
    made = unpack(V1, tmp_path)
    assert main(["doctor", str(made.path)]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith(f"{made.path} OpenCode 1.17.18 (V1), by its database alone ")
    assert "confidence low" in out
    assert "candidates: W201 or W101" in out
    assert "does GET /permission?directory=" in out
    assert "Do one of these" not in out
    assert "NOT KNOWN" in out
    assert "Checked: read from a copy with its -wal (2.4 MB); 8 of 8 sessions read" in out
    assert "WHAT EACH WAITS FOR" not in out


def test_who_holds_the_file_is_named_without_his_arguments(tmp_path: Path, capsys: Out) -> None:
    made = unpack(V1, tmp_path)
    with holding(made.path) as holder:
        main(["doctor", str(made.path), "--json"])
        (one,) = json.loads(capsys.readouterr().out)["checked"]["holders"]
        assert one["pid"] == holder.process.pid
        assert one["since"].endswith("Z")
        main(["doctor", str(made.path)])
    out = capsys.readouterr().out
    assert f"process {holder.process.pid}" in out
    assert "sqlite3" not in out


def test_nothing_open_is_nothing_found(tmp_path: Path, capsys: Out) -> None:
    made = unpack(CARRIED, tmp_path)
    before = stamps(made.path)
    assert main(["doctor", str(made.path)]) == 0
    out = capsys.readouterr().out
    assert "Nothing found.\n" in out
    assert "whether the file is whole" in out
    assert stamps(made.path) == before


def test_a_copy_that_lacks_its_wal_is_not_healthy(tmp_path: Path, capsys: Out) -> None:
    made = unpack(V1, tmp_path)
    made.wal.unlink()
    assert main(["doctor", str(made.path)]) == 3
    assert "there is no -wal beside the file" in capsys.readouterr().out


def test_one_session(tmp_path: Path, capsys: Out) -> None:
    made = unpack(V1, tmp_path)
    assert main(["doctor", str(made.path), "--json", "--session", made.sessions["asking"]]) == 1
    (one,) = json.loads(capsys.readouterr().out)["findings"]
    assert one["session"] == made.sessions["asking"]
    assert main(["doctor", str(made.path), "--json", "--session", "ses_nowhere"]) == 3
    assert "session ses_nowhere" in [g["what"] for g in json.loads(capsys.readouterr().out)["unknown"]]


def test_one_ask_is_not_in_a_file(tmp_path: Path, capsys: Out) -> None:
    made = unpack(V1, tmp_path)
    assert main(["doctor", str(made.path), "--ask", "per_2276041bc001q4W5JN3Rmg1FJy"]) == 3
    assert "UNKNOWN: asks live in a server's memory only" in capsys.readouterr().out


def test_the_grace_and_what_counts(tmp_path: Path, capsys: Out) -> None:
    path = str(unpack(RELEASED, tmp_path).path)
    assert main(["doctor", path, "--grace", "1000000000", "--session", "ses_nowhere"]) == 3
    assert main(["doctor", path, "--fail-on", "stuck"]) == 1
    capsys.readouterr()


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("nothing.db", "is neither a file nor a web address", 2),
        ("no/such/file", "is neither a file nor a web address", 2),
        ("nowhere", "is not a web address", 2),
        ("empty", "is empty, not a database", 3),
        ("other.json", "is JSON, and no export of a session", 3),
        ("list.json", "is not an OpenCode database, a session's export, a bundle or the folder of a run", 3),
        ("words.txt", "is not an OpenCode database, a session's export", 3),
        ("cut.json", "is cut short", 3),
        ("folder", "is a directory without a run.json", 3),
        ("run", "has schema 99", 3),
        ("pipe", "is a pipe, not a database file", 3),
        ("other.db", "is no OpenCode database", 3),
        ("bell\x07\x1b[2J", "is empty", 3),
    ],
)
def test_a_bad_file_is_one_line(
    name: str, words: str, code: int, tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").touch()
    Path("bell\x07\x1b[2J").touch()
    Path("other.json").write_text("{}")
    Path("list.json").write_text("[]")
    Path("words.txt").write_text("It hangs!")
    Path("cut.json").write_text('{"info": {"id": "ses_1"}, "messages": [')
    Path("folder").mkdir()
    Path("run").mkdir()
    Path("run", "run.json").write_text('{"schema": 99, "id": "x", "seed": 1, "started": ""}')
    os.mkfifo("pipe")
    with closing(sqlite3.connect("other.db")) as connection:
        connection.execute("create table notes (text)")
    before = sorted(Path().iterdir())
    assert main(["doctor", name, "--json"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert err.removesuffix("\n") == plain(err.removesuffix("\n"))
    assert sorted(Path().iterdir()) == before


def test_titles_and_paths_can_not_steer_the_terminal(tmp_path: Path, capsys: Out) -> None:
    made = unpack(V1, tmp_path)
    with closing(sqlite3.connect(made.path)) as connection:
        connection.execute("update session set directory = char(27) || '[2J/d', title = char(7)")
        connection.commit()
    assert main(["doctor", str(made.path), "--all"]) == 1
    out = capsys.readouterr().out
    assert "\\x1b[2J/d" in out
    assert all(line == plain(line) for line in out.splitlines())
