"""What is told, in words and as JSON: narrow, escaped, without secrets, and the same in both."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import jsonschema
import pytest
from tests.diagnose.looks import ask, look, session

from wedged.client.v1.requests import request
from wedged.diagnose import Diagnosis, diagnose
from wedged.diagnose.document import schema_text
from wedged.diagnose.page import Page
from wedged.facts.plain_text import plain
from wedged.facts.snapshot import Window
from wedged.watching.told import ChangeDocument, change_json, change_rows
from wedged.watching.watch import Change, Kind

AT = datetime(2026, 11, 29, 12, 0, 7, tzinfo=UTC)


def made(resource: str = "/outside/*") -> Diagnosis:
    return diagnose(Window(look((ask(resource=resource),), (session(),))), 0, request=request)


def told(kind: Kind, why: str = "", restarted: bool | None = None, width: int = 96) -> list[str]:
    diagnosis = made()
    (found,) = diagnosis.findings
    finding = found if kind in (Kind.APPEARED, Kind.ENDED) else None
    return change_rows(Change(kind, diagnosis, finding, why, restarted), AT, Page(width))


def test_what_each_change_says() -> None:
    assert told(Kind.WATCHING) == [
        "12:00:07  watching  http://127.0.0.1:4096  OpenCode 1.18.34 (V1); Ctrl-C ends it"
    ]
    assert told(Kind.LOST, "it hung up")[0].startswith(
        "12:00:07  lost      http://127.0.0.1:4096: it hung up"
    )
    assert told(Kind.BACK, restarted=True, width=200)[0].endswith("another process: it was restarted")
    assert told(Kind.BACK, restarted=False, width=200)[0].endswith("the same process")
    assert "can't be seen" in told(Kind.BACK, width=200)[0]
    ended = told(Kind.ENDED, width=200)[0]
    assert "ended     W101 ungated-external-ask, variant external after 2 min: session ses_1," in ended
    appeared = told(Kind.APPEARED)
    assert appeared[0].startswith("12:00:07  appeared  WAITING ON YOU for 2 min")
    assert any(row.strip().startswith("curl -X POST") for row in appeared)


@pytest.mark.parametrize("kind", Kind)
def test_it_fits_a_narrow_terminal_and_names_the_time_once(kind: Kind) -> None:
    rows = told(kind, "something that takes more than a single row to say what it is", width=44)
    assert sum("12:00:07" in row for row in rows) == 1
    assert all(len(row) <= 44 or row.strip().startswith("curl") for row in rows)


@pytest.mark.parametrize("kind", Kind)
def test_a_line_of_json_keeps_to_its_schema_and_is_safe(kind: Kind) -> None:
    diagnosis = made("/out\x1b[2J/geheim77/*")
    change = Change(kind, diagnosis, diagnosis.findings[0], "said geheim77\n\x1b[2J", None)
    line = change_json(change, 1_795_956_949_436, ("geheim77",))
    assert line.isascii()
    assert line == plain(line)
    tree = json.loads(line)
    jsonschema.validate(tree, json.loads(schema_text(ChangeDocument)))
    assert (tree["schema"], tree["change"], tree["at"]) == (1, kind.value, "2026-11-29T12:55:49.436Z")
    assert tree["finding"]["recovery"][0]["do"]["method"] == "POST"
    for row in change_rows(change, AT, Page(96, ("geheim77",))):
        assert row == plain(row)
        assert "geheim77" not in row
    assert "geheim77" not in line


def test_a_finding_without_an_age_ends_all_the_same() -> None:
    diagnosis = made()
    finding = replace(diagnosis.findings[0], since_ms=None, age_s=None)
    (row, *_) = change_rows(Change(Kind.ENDED, diagnosis, finding), AT, Page(200))
    assert "variant external: session ses_1" in row
