"""The lines to paste: the real ids, no password, and no line at all where redaction would change it."""

import json
from dataclasses import replace

from wedged.diagnose import Login
from wedged.facts.snapshot import Snapshot
from wedged.recover.document import recover_json
from wedged.recover.lines import Lines, Place, lines

from .stale import OLDER, ORPHAN, PART, SESSION, STALE, beside, judged, planned

PLACE = Place("http://127.0.0.1:4096", Login("opencode", "OPENCODE_PASSWORD"), secrets=("pa55",))


def first(look: Snapshot, place: Place = PLACE, code: str = "") -> Lines:
    found = planned(look, code)
    return lines(found[0], found[0].steps[0], place, found)


def test_a_request_in_three_ways() -> None:
    made = first(STALE)
    assert made.wedged == (
        "wedged recover http://127.0.0.1:4096 --session ses_1 --code W201 --step settle-part --apply"
    )
    path = "/session/ses_1/message/msg_1/part/prt_1?directory=/project"
    assert made.curl.startswith(
        f"""curl -X PATCH -u opencode:"$OPENCODE_PASSWORD" 'http://127.0.0.1:4096{path}'"""
    )
    assert made.python.startswith(
        f"import os, httpx\nprint(httpx.request('PATCH', 'http://127.0.0.1:4096{path}', json={{'id': 'prt_1'"
    )
    assert made.python.endswith(
        "auth=('opencode', os.environ['OPENCODE_PASSWORD'])).raise_for_status().text)"
    )
    assert first(STALE, replace(PLACE, remote=True)).wedged.endswith(" --apply --remote")


def test_a_process_is_ended_by_a_command_line() -> None:
    made = first(replace(STALE, strays=(ORPHAN,)), code="W203")
    assert made.wedged.endswith("--code W203 --step end-process --apply")
    assert made.curl == "kill -TERM -- -50"
    assert made.python == "import subprocess\nsubprocess.run(['kill', '-TERM', '--', '-50'], check=True)"


def test_two_of_one_class_are_told_apart_by_their_subjects() -> None:
    other = replace(PART, id="prt_2", call_id="call_2")
    made = first(replace(STALE, sessions=(replace(SESSION, parts=(PART, other)),)))
    assert "--code W201 --subject prt_1 --step" in made.wedged


def test_what_is_done_on_another_server_has_no_line_for_this_one() -> None:
    assert first(beside(OLDER)) == Lines("")


def test_a_line_that_would_hold_a_credential_is_not_written() -> None:
    secret = {"status": "running", "input": {"command": "curl -H 'Authorization: Bearer abcdefghijkl123456'"}}
    part = replace(PART, wire={"id": "prt_1", "state": secret})
    for look, place in (
        (replace(STALE, sessions=(replace(SESSION, parts=(part,)),)), PLACE),
        (STALE, replace(PLACE, secrets=("sleep 600",))),
    ):
        tree = json.loads(recover_json(judged(look), "ses_1", planned(look), place))
        settle, delete, _ = tree["findings"][0]["steps"]
        assert (settle["id"], settle["do"]) == ("settle-part", None)
        assert delete["do"]["method"] == "DELETE"
        made = first(look, place)
        assert made.curl.startswith("# not written")
        assert made.python.startswith("# not written")
        assert made.wedged.startswith("wedged recover")
