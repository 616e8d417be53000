"""``wedged doctor`` without a target: which places are looked at, in which order, each named."""

import json
import os
import socket
import time
from pathlib import Path

import pytest
from tests.observe.database.stores import PREVIEW, V1, unpack

from wedged.cli import main
from wedged.cli.target import Target, local_targets

from .fake_v1 import answering, serving, wedged_answers

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No service, no database, no password: a home of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("OPENCODE_DB", "OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> str:
    """The usual address, at which nothing listens, and no other."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
    monkeypatch.setattr("wedged.cli.target.USUAL", url)
    monkeypatch.setattr("wedged.cli.target.ALSO_USUAL", ())
    return url


def keep(names: tuple[str, ...], tmp_path: Path) -> Path:
    """Put these databases into the data folder, the last one being the youngest."""
    folder = tmp_path / "data" / "opencode"
    folder.mkdir(parents=True)
    for place, name in enumerate(names):
        made = unpack(name, tmp_path)
        at = time.time() - 100 + place
        for one in (made.path, made.wal):
            os.utime(one.rename(folder / one.name), (at, at))
    return folder


def test_the_newest_local_database_is_looked_at_and_the_others_are_named(
    nobody: str, tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = keep((V1, PREVIEW), tmp_path)
    assert main(["doctor", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["target"]["name"] == str(folder / "opencode-next.db")
    assert err.splitlines() == [
        f"wedged: no URL given, looking at {nobody}",
        f"wedged: passed over: cannot connect to {nobody}: Connection refused",
        f"wedged: looking at the database {folder / 'opencode-next.db'}, the one that was written last",
        f"wedged: {folder / 'opencode.db'} is passed over: name it to look at it",
    ]
    monkeypatch.setenv("OPENCODE_DB", "opencode.db")
    assert main(["doctor", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["server"]["line"] == "v1"
    assert main(["doctor", nobody]) == 3, "who names a server wants that one"


def test_nothing_at_all_is_one_error(nobody: str, capsys: Out) -> None:
    assert main(["doctor"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    last = err.splitlines()[-1]
    assert last.startswith(f"wedged: no server answers at {nobody}, ")
    assert "no database in " in last


def test_what_is_no_opencode_is_passed_over_for_what_is(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving({"/": answering("hello", "text/plain")}) as other, serving(wedged_answers()) as url:
        monkeypatch.setattr("wedged.cli.target.USUAL", other)
        monkeypatch.setattr("wedged.cli.target.ALSO_USUAL", (url,))
        assert main(["doctor", "--sample", "0"]) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[0] == f"wedged: no URL given, looking at {other}"
    assert err[1].startswith(f"wedged: passed over: {other} answers, and not as an OpenCode server does")
    assert err[2] == f"wedged: no URL given, looking at {url}"


def test_a_second_server_is_named(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(wedged_answers()) as first, serving(wedged_answers()) as second:
        monkeypatch.setattr("wedged.cli.target.USUAL", first)
        monkeypatch.setattr("wedged.cli.target.ALSO_USUAL", (second,))
        assert main(["doctor", "--sample", "0"]) == 1
        assert local_targets() == (Target(first, "opencode", "", ""), Target(second, "opencode", "", ""))
    assert f"wedged: {second} is passed over: {first} answered; name it" in capsys.readouterr().err


def test_a_password_that_is_wanted_is_no_reason_to_look_at_the_file(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person has a server and forgot a variable; a file would answer another question."""
    keep((V1,), tmp_path)
    with serving(wedged_answers(), password="geheim") as url:
        monkeypatch.setattr("wedged.cli.target.USUAL", url)
        assert main(["doctor"]) == 3
    assert "OPENCODE_SERVER_PASSWORD" in capsys.readouterr().err.splitlines()[-1]
