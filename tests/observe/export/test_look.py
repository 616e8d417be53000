"""Exports that real servers made: see tests/data/exports."""

from pathlib import Path

import pytest

from wedged.diagnose import Diagnosis, diagnose
from wedged.errors import UnreadableFile
from wedged.facts.server import Line
from wedged.facts.session import Status
from wedged.facts.snapshot import Origin, Window
from wedged.observe.export import look, look_at_export

DATA = Path(__file__).parents[2] / "data" / "exports"
NAMES = tuple(sorted(path.name for path in DATA.iterdir() if path.suffix != ".md"))


def diagnosis(name: str, grace: float = 60.0) -> Diagnosis:
    return diagnose(Window(look_at_export(DATA / name)), grace)


@pytest.mark.parametrize("name", NAMES)
def test_no_export_is_ever_healthy(name: str) -> None:
    seen = look_at_export(DATA / name)
    assert seen.origin is Origin.EXPORT
    assert seen.identity.line is (Line.V1 if name.startswith("v1") else Line.V2_RELEASED)
    (session,) = seen.sessions
    assert session.status is Status.UNKNOWN
    assert session.directory == "/tmp/w/projects/project"
    assert diagnosis(name).exit_code in (1, 3)
    assert diagnosis(name).unknown
    assert diagnosis(name).activity == ()


def test_a_gated_call_of_v1_names_candidates_and_the_question_that_decides() -> None:
    (one,) = diagnosis("v1-1.17.18-asking.txt").findings
    assert one.candidates == ("W101", "W201")
    assert (one.confidence, one.recovery) == ("low", ())
    assert "an export does not tell whether a server was at work" in one.evidence[-2]
    assert "to decide, ask the server that the export comes from: does GET /permission?" in one.evidence[-1]


def test_a_shell_that_has_begun_may_be_at_work() -> None:
    made = diagnosis("v1-1.17.18-running.json")
    assert made.findings == ()
    assert any("its work begun" in gap.why for gap in made.unknown)


def test_a_turn_of_v2_without_an_end_is_told_from_one_that_has_one() -> None:
    def open_turns(name: str) -> list[str]:
        return [gap.what for gap in diagnosis(name).unknown if "has no end in the export" in gap.why]

    assert open_turns("v2-2.0.15-finished.json") == []
    assert len(open_turns("v2-2.0.15-asking-route.json")) == 1
    assert len(open_turns("v2-2.0.15-resumed.json")) == 1


def test_another_session_is_not_in_it() -> None:
    seen = look_at_export(DATA / "v1-1.17.18-finished.json", ("ses_other",))
    assert "session ses_other" in [gap.what for gap in seen.gaps]


def test_what_is_too_large_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "LARGEST", 10)
    file = tmp_path / "export.json"
    file.write_text("{" * 11)
    with pytest.raises(UnreadableFile, match="too much for an export"):
        look_at_export(file)


def test_what_is_gone_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="can't be read: No such file"):
        look_at_export(tmp_path / "gone.json")
