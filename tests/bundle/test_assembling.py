"""What is put into a zip can be read back from it, whatever a server calls its sessions."""

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.diagnose.looks import ask, look, session
from tests.diagnose.states import STATES, window

from wedged.bundle import read_bundle, read_manifest
from wedged.bundle.archive import write_zip
from wedged.bundle.assembling import Setting, assemble
from wedged.bundle.collecting import Harvest
from wedged.bundle.contents import Collected
from wedged.bundle.withholding import Withholding
from wedged.diagnose import diagnose
from wedged.facts.redaction import Redactor
from wedged.facts.snapshot import Window

SETTING = Setting("http://127.0.0.1:4096", "b.zip", {"wedged": "0.1.0"}, grace=0)


def written(path: Path, harvest: Harvest, seen: Window | None) -> Path:
    made = assemble(SETTING, harvest, seen, Withholding(), Redactor(homes=["/project"]))
    write_zip(path, made.files, force=True)
    return path


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ids=st.lists(
        st.text(alphabet=st.sampled_from("./\\~:%a_-\x00\x1b\nö "), max_size=12), min_size=1, max_size=4
    )
)
def test_no_name_of_a_server_leads_out_or_hides_another(tmp_path: Path, ids: list[str]) -> None:
    harvest = Harvest({f"sessions/{one}/log.txt": one for one in ids} | {f"logs/{one}": {} for one in ids})
    count = len(harvest.pieces)
    path = written(tmp_path / "b.zip", harvest, None)
    manifest = read_manifest(path)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    assert len(names) == len(set(names)) == len(manifest.files) + 1
    # report.md, versions.json, and one for each piece
    assert len(manifest.files) == count + 2


def test_a_look_comes_back_as_it_was_but_for_its_texts(tmp_path: Path) -> None:
    told = replace(session(), title="What was asked for", last_text="What was said")
    seen = Window(look((ask(resource="/project/x/*"),), (told,)), look())
    path = written(tmp_path / "b.zip", Harvest(), seen)
    back = read_bundle(path)
    assert back.latest.sessions == (
        replace(
            told,
            directory="~",
            title="[withheld 1: 18 characters]",
            last_text="[withheld 2: 13 characters]",
        ),
    )
    assert back.latest.asks[0].resources == ("~/x/*",)
    assert back.latest.asks[0].command == "mkdir -p /outside/a --token=[redacted]"
    assert back.earlier is not None
    assert not back.latest.blind, "it was not changed since"
    codes = [[(one.code, one.session) for one in diagnose(each, 0).findings] for each in (seen, back)]
    assert codes[0] == codes[1] != []


def test_a_thousand_sessions_that_are_all_alike_are_no_bomb(tmp_path: Path) -> None:
    part = replace(session().parts[0], input={"command": "make " * 1200})
    alike = tuple(replace(session(f"ses_{n}"), parts=(part,)) for n in range(1000))
    path = written(tmp_path / "b.zip", Harvest(), Window(look((), alike)))
    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo("window.json").file_size > 5 << 20
    assert len(read_bundle(path).latest.sessions) == 1000


def test_a_collector_without_a_look_is_said(tmp_path: Path) -> None:
    path = written(tmp_path / "b.zip", Harvest({}, [], [Collected("looks", "nothing", 1.5)]), None)
    manifest = read_manifest(path)
    assert manifest.same_findings is None
    assert [one.state for one in manifest.collectors] == ["nothing"]


@pytest.mark.parametrize("state", STATES)
def test_whatever_state_a_session_was_in_it_reads_the_same(state: str, tmp_path: Path) -> None:
    """What is found, what is dismissed, and what each session waits for."""
    seen = window(state)
    back = read_bundle(written(tmp_path / "b.zip", Harvest(), seen))
    live, read = diagnose(seen, 0), diagnose(back, 0)
    assert [(one.code, one.variant, one.confidence, one.subject) for one in read.findings] == [
        (one.code, one.variant, one.confidence, one.subject) for one in live.findings
    ]
    assert [(one.code, one.session) for one in read.considered] == [
        (one.code, one.session) for one in live.considered
    ]
    assert [(one.session, one.waiting, one.progress) for one in read.activity] == [
        (one.session, one.waiting, one.progress) for one in live.activity
    ]


def test_a_redaction_that_hides_a_finding_is_said(tmp_path: Path) -> None:
    seen = Window(look((ask(),), (session(),)))
    made = assemble(SETTING, Harvest(), seen, Withholding(), Redactor(["external_directory"]))
    assert made.manifest.same_findings is False
    assert [gap.what for gap in made.manifest.gaps] == ["the same findings"]
    assert made.findings == ("W101",), "the report in it is of the real look"
