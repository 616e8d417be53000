"""``wedged doctor RUN``: a published run folder replayed to its page's verdicts."""

import json
from pathlib import Path

import jsonschema
import pytest
from tests.evidence.builders import NEW, OLD, W101, healthy
from tests.evidence.folders import tree, write

from wedged.cli import main
from wedged.diagnose.document import schema_text
from wedged.evidence import RunFolder
from wedged.facts.plain_text import plain
from wedged.guide.results import Results

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The builders' three claims stand for W101's own."""
    monkeypatch.setattr("wedged.catalog.CLASSES", (W101,))
    monkeypatch.setattr("wedged.catalog.by_code", lambda code: W101)
    monkeypatch.setattr("wedged.guide.results.by_code", lambda code: W101)


def test_the_text(tmp_path: Path, capsys: Out) -> None:
    path = write(tmp_path / "run", healthy(), healthy(NEW, trigger="hhh"))
    before = tree(path)
    assert main(["doctor", str(path)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines()[2:5] == [
        "W101 ungated-external-ask",
        f"  {OLD}  present 3/3",
        f"  {NEW}  gone 0/3",
    ]
    assert "18 trials and 18 of their timelines read" in out
    assert "no server was asked" in out
    assert tree(path) == before


def test_the_page_says_the_same(tmp_path: Path, capsys: Out) -> None:
    path = write(tmp_path / "run", healthy(), healthy(NEW, trigger="shs"))
    assert main(["doctor", str(path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(schema_text()))
    assert document["target"] == {"kind": "run", "name": str(path)}
    assert document["findings"] == document["unknown"] == []
    page = Results.of(RunFolder.open(path), "W101")
    assert [(one["server"], one["state"], one["why"]) for one in document["verdicts"]] == [
        (one.server, one.state.value, one.why) for one in page.verdicts
    ]
    assert [(one["words"], one["k"], one["n"]) for one in document["verdicts"]] == [
        ("present", 3, 3),
        ("flaky", 2, 3),
    ]


def test_what_is_open_makes_it_3(tmp_path: Path, capsys: Out) -> None:
    path = write(tmp_path / "run", healthy(trigger="s!s"))
    assert main(["doctor", str(path)]) == 3
    out = capsys.readouterr().out
    assert f"  {OLD}  inconclusive 2/2: 1 of 3 trials invalid" in out
    assert "NOT KNOWN" in out


def test_words_of_a_run_can_not_steer_the_terminal(tmp_path: Path, capsys: Out) -> None:
    path = write(tmp_path / "run", healthy())
    results = path / "results.jsonl"
    results.write_text(results.read_text().replace(OLD, "v1@\\u001b[2J"))
    main(["doctor", str(path)])
    out = capsys.readouterr().out
    assert "v1@\\x1b[2J" in out
    assert all(line == plain(line) for line in out.splitlines())


def test_one_session_is_not_in_it(tmp_path: Path, capsys: Out) -> None:
    path = write(tmp_path / "run", healthy())
    assert main(["doctor", str(path), "--session", "ses_1"]) == 2
    assert "a run holds verdicts, no sessions" in capsys.readouterr().err


def test_results_that_can_not_be_read_are_one_line(tmp_path: Path, capsys: Out) -> None:
    path = write(tmp_path / "run", healthy())
    (path / "results.jsonl").write_text("nonsense\n")
    assert main(["doctor", str(path), "--json"]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
