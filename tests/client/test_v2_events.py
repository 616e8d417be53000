"""V2's event stream, as both real servers sent it."""

from typing import Any

import pytest

from wedged.client.v2.events import decode_event
from wedged.facts.trial import Lane

from .v2_samples import VERSIONS, sample

both = pytest.mark.parametrize("version", VERSIONS)
Seen = tuple[Lane, str, str, dict[str, object]]


def decoded(version: str, name: str) -> list[Seen]:
    events: list[Any] = sample(version)[name]
    found = [decode_event(event) for event in events]
    return [one for one in found if one is not None]


@both
def test_a_declined_turn(version: str) -> None:
    seen = decoded(version, "declined_events")
    assert {session for _, _, session, _ in seen} == {sample(version)["wedged"]["data"]["id"]}
    status = [(kind, data) for lane, kind, _, data in seen if lane is Lane.STATUS]
    assert status == [
        ("busy", {"event": "session.execution.started"}),
        ("idle", {"event": "session.execution.interrupted", "reason": "shutdown"}),
    ]
    (asked,) = sample(version)["permissions"]["data"]
    parts = [(kind, data) for lane, kind, _, data in seen if lane is Lane.PART]
    assert [kind for kind, _ in parts] == ["streaming", "running", "error"]
    assert {data["call"] for _, data in parts} == {asked["source"].get("callID") or asked["source"]["id"]}
    assert parts[0][1]["tool"] == "write"
    assert parts[-1][1]["error"] == {"type": "aborted", "message": "The user declined this tool call"}
    asks = [(kind, data["ask"]) for lane, kind, _, data in seen if lane is Lane.ASK]
    assert asks == [("permission.asked", asked["id"]), ("permission.replied", asked["id"])]
    failed = [data for _, kind, _, data in seen if kind == "session.step.failed"]
    assert failed == [{"error": {"type": "aborted", "message": "Step interrupted"}}]


@both
def test_a_question_that_was_answered(version: str) -> None:
    seen = decoded(version, "form_events")
    (form,) = sample(version)["forms"]["data"]
    assert [(lane, kind, session, data["ask"]) for lane, kind, session, data in seen] == [
        (Lane.ASK, "form.created", form["sessionID"], form["id"]),
        (Lane.ASK, "form.replied", form["sessionID"], form["id"]),
    ]
    assert str(seen[0][3]["call"]).startswith("call_question")


@both
def test_a_background_shell_that_was_ended(version: str) -> None:
    seen = decoded(version, "shell_events")
    (shell,) = sample(version)["shells"]["data"]
    assert {data["shell"] for _, _, _, data in seen} == {shell["id"]}
    assert seen[0][1:3] == ("shell.created", shell["metadata"]["sessionID"])
    assert "shell.deleted" in [kind for _, kind, _, _ in seen]


@both
def test_no_prompt_command_or_output_is_kept(version: str) -> None:
    names = ("declined_events", "form_events", "shell_events")
    kept = str([one[3] for name in names for one in decoded(version, name)])
    for text in ("wedged:", "sleep 301", "y.txt", "Which one?", "'content'", "'input'"):
        assert text not in kept


@pytest.mark.parametrize("document", [None, 7, [], {}, {"type": 3}, {"data": {}}, "x"])
def test_what_is_no_event(document: object) -> None:
    assert decode_event(document) is None


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"type": "server.connected", "data": {}}, (Lane.EVENT, "server.connected", "", {})),
        (
            {"type": "session.execution.failed", "data": {"sessionID": "s", "error": {"type": "x", "a": 1}}},
            (Lane.STATUS, "idle", "s", {"event": "session.execution.failed", "error": {"type": "x"}}),
        ),
        (
            {"type": "session.tool.progress", "data": {"id": "c", "metadata": {"shellID": "sh_1"}}},
            (Lane.EVENT, "session.tool.progress", "", {"call": "c", "shell": "sh_1"}),
        ),
        ({"type": "shell.exited", "data": 7}, (Lane.EVENT, "shell.exited", "", {"shell": ""})),
        (
            {"type": "permission.asked", "data": []},
            (Lane.ASK, "permission.asked", "", {"ask": "", "call": ""}),
        ),
    ],
)
def test_single_events(event: object, expected: Seen) -> None:
    assert decode_event(event) == expected
