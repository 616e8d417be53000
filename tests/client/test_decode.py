"""V1's answers, as released servers gave them, and bent out of shape."""

import json
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wedged.client.v1 import decode
from wedged.facts.ask import Ask, AskKind
from wedged.facts.session import MessageFacts, PartStatus, Retry, SessionFacts, Status

SAMPLES = Path(__file__).parent / "samples"
T = TypeVar("T")


def sample(version: str) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads((SAMPLES / f"v1-{version}.json").read_text())
    return tree


def read(tree: object, shape: type[T]) -> T:
    return msgspec.json.decode(msgspec.json.encode(tree), type=shape)


@pytest.mark.parametrize("version", ["1.17.18", "1.18.34"])
def test_a_wedged_session(version: str) -> None:
    seen = sample(version)
    (session,) = read(seen["sessions"], list[decode.Session])
    facts = decode.session(session)
    assert facts.directory == "/home/proj"
    assert facts.status is Status.UNKNOWN
    statuses = read(seen["status"], dict[str, decode.SessionStatus])
    assert {key: decode.status(value) for key, value in statuses.items()} == {facts.id: Status.BUSY}
    gated, sibling = decode.tool_parts(read(seen["messages"], list[decode.Message]))
    assert (gated.tool, gated.status, gated.started, gated.end_ms) == (
        "bash",
        PartStatus.RUNNING,
        False,
        None,
    )
    assert gated.input["command"] == "mkdir -p /home/outside/cap/a"
    assert (sibling.status, sibling.started, sibling.output) == (PartStatus.COMPLETED, True, "done\n")
    (wire,) = read(seen["permission"], list[decode.Permission])
    ask = decode.permission(wire, "/home/proj", "GET /permission")
    assert ask == Ask(
        id=ask.id,
        kind=AskKind.PERMISSION,
        session_id=facts.id,
        action="external_directory",
        resources=("/home/outside/cap/*",),
        call_id=gated.call_id,
        message_id=gated.message_id,
        directory="/home/proj",
        command="mkdir -p /home/outside/cap/a",
        always=("/home/outside/cap/*",),
        listed_by=("GET /permission",),
    )
    assert read(seen["api_permission"], decode.ListedAsks).data == []


def test_an_older_server_that_leaves_fields_out() -> None:
    seen = sample("1.2.27")
    assert [decode.session(s).directory for s in read(seen["sessions"], list[decode.Session])] == [
        "/home/proj"
    ]
    messages = read(seen["messages"], list[decode.Message])
    assert [part.status for part in decode.tool_parts(messages)] == [PartStatus.COMPLETED] * 2
    assert decode.last_text(messages) == "done"


def test_what_only_some_versions_send() -> None:
    bare = decode.session(read({"id": "ses_1"}, decode.Session))
    assert bare == SessionFacts(id="ses_1", directory="", status=Status.UNKNOWN)
    asked = decode.permission(read({"id": "per_1", "sessionID": "ses_1"}, decode.Permission), "/d", "GET /x")
    assert (asked.call_id, asked.resources, asked.command) == ("", (), "")
    assert decode.status(read({"type": "pondering", "new": 1}, decode.SessionStatus)) is Status.UNKNOWN


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (None, PartStatus.UNKNOWN),
        ({"status": "dreaming"}, PartStatus.UNKNOWN),
        ({"status": "running", "input": [1]}, PartStatus.RUNNING),
        ({"status": "error", "error": {"code": 1}, "time": {"start": 1e300, "end": 2.5}}, PartStatus.ERROR),
        ({"status": 7}, PartStatus.UNKNOWN),
    ],
)
def test_a_bent_tool_part_is_still_a_part(state: object, expected: PartStatus) -> None:
    part = decode.tool_part(read({"type": "tool", "callID": "c", "state": state}, decode.Part))
    assert (part.call_id, part.status, part.start_ms) == ("c", expected, None)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(_JSON)
def test_no_state_can_break_the_decoder(state: object) -> None:
    decode.tool_part(read({"type": "tool", "state": json.loads(json.dumps(state))}, decode.Part))


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        ({"type": "busy"}, None),
        ({"type": "retry", "attempt": 2, "next": 5.9, "message": "no"}, Retry(2, 5, "no")),
        ({"type": "retry"}, Retry(0)),
        ({"type": "retry", "attempt": "x", "next": "y", "message": {}}, Retry(0)),
        ({"type": "retry", "next": 1e300}, Retry(0)),
    ],
)
def test_a_retry(wire: dict[str, object], expected: Retry | None) -> None:
    assert decode.retry(read(wire, decode.SessionStatus)) == expected


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"id": "m"}, MessageFacts("m", False, False, 1)),
        (
            {"id": "m", "role": "assistant", "time": {"created": 1, "completed": 2}, "finish": "stop"},
            MessageFacts("m", True, True, 1, 1, "stop"),
        ),
        (
            {"id": "m", "role": "assistant", "time": "noon", "finish": 3, "error": {"name": "AbortedError"}},
            MessageFacts("m", True, False, 1, error="AbortedError"),
        ),
        ({"id": "m", "role": "assistant", "error": "x"}, MessageFacts("m", True, False, 1)),
    ],
)
def test_the_newest_message(info: dict[str, object], expected: MessageFacts) -> None:
    parts = [{"type": "step-start"}, {"type": "text", "text": ""}, {"type": "step-finish"}]
    messages = read([{"info": {"id": "older"}}, {"info": info, "parts": parts}], list[decode.Message])
    assert decode.newest(messages) == expected
    assert decode.newest([]) is None
