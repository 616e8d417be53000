"""A check that throws is told, and hides nothing that the others say."""

import pytest

from wedged.diagnose import diagnose, diagnosis, report_text
from wedged.facts.snapshot import Window
from wedged.observe.database import look_at_database

from .answers import answers_of
from .looking import doctor
from .served import Served
from .stores import NAMES, changed_store, clear_templates


def broken(*more: object) -> None:
    """A check with a mistake in it."""
    raise KeyError("a mistake")


def test_what_each_session_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = doctor(Served(*answers_of("v1")))
    assert looked.diagnosis
    monkeypatch.setattr(diagnosis, "activities", broken)
    made = diagnose(Window(looked.diagnosis.latest), 0.0)
    assert [finding.code for finding in made.findings] == ["W101"]
    assert [(gap.what, gap.why) for gap in made.unknown] == [
        ("check of what each session waits for", "the check itself failed: KeyError: 'a mistake'")
    ]
    assert "check of what each session waits for" in report_text(made)


def test_a_files_unfinished_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    with changed_store(NAMES[0]) as path:
        look = look_at_database(path)
    clear_templates()
    assert diagnose(Window(look), 0.0).findings
    monkeypatch.setattr(diagnosis, "from_file", broken)
    made = diagnose(Window(look), 0.0)
    assert not made.findings
    assert "check of the file's unfinished calls" in [gap.what for gap in made.unknown]
    assert made.exit_code == 3, "it is not known, so it is not fine"
