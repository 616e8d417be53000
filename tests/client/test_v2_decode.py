"""V2's answers, as both real servers gave them, and bent out of shape."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wedged.client.v2 import decode, decode_asks
from wedged.facts.ask import Ask, AskKind
from wedged.facts.session import PartStatus, Retry, Status

from .v2_samples import LINES, VERSIONS, read, sample

both = pytest.mark.parametrize("version", VERSIONS)
DIRECTORY = "/home/lab/projects/project"


def messages(version: str, name: str) -> list[decode.Message]:
    """Oldest first, as the reader hands them on."""
    return read(sample(version)[name], decode.Messages).data[::-1]


@both
def test_a_wedged_session(version: str) -> None:
    seen = sample(version)
    facts = decode.session(read(seen["wedged"], decode.OneSession).data)
    assert (facts.directory, facts.status, facts.outcome) == (DIRECTORY, Status.UNKNOWN, "")
    active = read(seen["active"], decode.Active).data
    assert decode.status(active.get(facts.id)) is Status.BUSY
    assert decode.status(active.get("ses_other")) is Status.IDLE
    said = messages(version, "wedged_messages")
    (part,) = decode.tool_parts(said, facts.id)
    assert (part.tool, part.status, part.end_ms, part.session_id) == (
        "write",
        PartStatus.RUNNING,
        None,
        facts.id,
    )
    assert part.started is None, "a running call's metadata is empty, begun or not"
    assert part.input["path"] == "/home/lab/outside/y.txt"
    newest = decode.newest(said)
    assert newest is not None
    assert (newest.from_model, newest.complete, newest.pieces) == (True, False, 1)
    for name in ("permissions", "own_permissions"):
        (wire,) = read(seen[name], decode_asks.Permissions).data
        ask = decode_asks.permission(wire, DIRECTORY, "GET /x")
        assert ask == Ask(
            id=ask.id,
            kind=AskKind.PERMISSION,
            session_id=facts.id,
            action="external_directory",
            resources=("/home/lab/outside/*",),
            call_id=part.call_id,
            message_id=part.message_id,
            directory=DIRECTORY,
            always=("/home/lab/outside/*",),
            listed_by=("GET /x",),
        )


@both
def test_a_declined_turn_has_no_outcome(version: str) -> None:
    said = messages(version, "declined_messages")
    (part,) = decode.tool_parts(said, "ses")
    assert (part.status, part.error) == (PartStatus.ERROR, "The user declined this tool call")
    newest = decode.newest(said)
    assert newest is not None
    assert (newest.complete, newest.finish, newest.error) == (True, "error", "aborted")
    assert decode.outcome(said) == ""


@both
def test_only_a_released_server_marks_how_a_turn_ended(version: str) -> None:
    said = messages(version, "background_messages")
    ended = "succeeded" if version == "2.0.15" else ""
    assert decode.outcome(said) == ended
    assert [message.type for message in decode.spoken(said)] == ["user", "assistant", "assistant"]
    (part,) = decode.tool_parts(decode.spoken(said), "ses")
    assert (part.tool, part.status, part.started) == ("shell", PartStatus.COMPLETED, True)
    assert "background" in part.output
    assert (decode.answers(said), decode.last_text(said)) == (2, "Done.")
    newest = decode.newest(said)
    assert newest is not None
    assert newest.from_model, "the mark is no message that anybody said"


@both
def test_a_call_that_the_model_still_writes(version: str) -> None:
    (part,) = decode.tool_parts(messages(version, "streaming_messages"), "ses")
    assert (part.tool, part.status, part.input) == ("write", PartStatus.STREAMING, {})
    assert not part.status.terminal


@both
def test_a_refused_model_request_waits_for_its_next_attempt(version: str) -> None:
    said = messages(version, "retrying_messages")
    found = decode.retry(said)
    assert found is not None
    assert found.attempt >= 1
    assert "scripted 503" in found.message
    assert found.next_ms is not None
    assert decode.retry(messages(version, "wedged_messages")) is None
    over = read({"id": "m", "type": "assistant", "time": {"completed": 1}, "retry": {}}, decode.Message)
    assert decode.retry([over]) is None


@both
def test_a_question_is_a_form(version: str) -> None:
    seen = sample(version)
    (wire,) = read(seen["forms"], decode_asks.Forms).data
    ask = decode_asks.form(wire, DIRECTORY, "GET /x")
    assert (ask.kind, ask.action, ask.words) == (AskKind.FORM, "question", "Which one? (left | right)")
    assert ask.call_id.startswith("call_question")
    assert ask.message_id.startswith("msg_")
    (field,) = decode_asks.fields(read(seen["form"], decode_asks.OneForm).data)
    assert (field.key, field.type) == ("q0", "string")
    assert field.values == {"left": "left", "right": "right"}


@both
def test_a_background_shell(version: str) -> None:
    (wire,) = read(sample(version)["shells"], decode.Shells).data
    shell = decode.shell(wire, DIRECTORY, "GET /api/shell")
    assert (shell.command, shell.status, shell.exit) == ("sleep 301", "running", None)
    assert shell.session_id.startswith("ses_")
    assert shell.pid is not None
    assert shell.started_ms is not None


@both
def test_children_name_their_parent(version: str) -> None:
    (child,) = read(sample(version)["children"], decode.Sessions).data
    assert decode.session(child).parent_id.startswith("ses_")


def test_a_fork_and_the_end_of_the_last_turn() -> None:
    time = {"updated": 8, "idle": 9}
    wire = {"id": "s", "fork": {"sessionID": "ses_0"}, "time": time, "outcome": "succeeded"}
    facts = decode.session(read(wire, decode.Session))
    assert (facts.forked_from, facts.updated_ms, facts.idle_ms) == ("ses_0", 8, 9)
    assert facts.outcome == "", "the list's outcome is an older turn's"
    assert decode.session(read({"id": "s", "fork": 7}, decode.Session)).forked_from == ""


def test_an_end_that_is_called_failed_is_no_end_of_its_calls() -> None:
    wire = {"id": "s", "time": {"updated": 8, "idle": 9}, "outcome": "failed"}
    facts = decode.session(read(wire, decode.Session))
    assert (facts.updated_ms, facts.idle_ms) == (8, None), "a service that gives up leaves the call running"


def test_a_turn_that_the_server_took_up_again() -> None:
    woken = {
        "id": "a",
        "type": "synthetic",
        "description": "Continuing after restart",
        "time": {"created": 5},
    }
    other = {"id": "b", "type": "synthetic", "description": "sleep 9", "time": {"created": 6}}
    said = read([woken, other], list[decode.Message])
    assert decode.resumed_ms(said) == 5
    assert decode.resumed_ms(said[1:]) is None


def test_both_servers_are_in_the_samples() -> None:
    assert [sample(version)["health"]["version"] for version in VERSIONS] == list(LINES)


def test_what_only_some_versions_send() -> None:
    bare = decode.session(read({"id": "ses_1"}, decode.Session))
    assert (bare.title, bare.directory, bare.parent_id) == ("", "", "")
    asked = decode_asks.permission(read({"id": "per_1"}, decode_asks.Permission), "/d", "GET /x")
    assert (asked.call_id, asked.resources, asked.session_id) == ("", (), "")
    assert decode.status(read({"type": "pondering"}, decode.Running)) is Status.UNKNOWN


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (None, PartStatus.UNKNOWN),
        ({"status": "dreaming"}, PartStatus.UNKNOWN),
        ({"status": "streaming", "input": '{"comm'}, PartStatus.STREAMING),
        ({"status": "error", "error": "x", "content": 7}, PartStatus.ERROR),
        ({"status": 7}, PartStatus.UNKNOWN),
    ],
)
def test_a_bent_call_is_still_a_call(state: object, expected: PartStatus) -> None:
    wire = read({"type": "tool", "id": "c", "state": state, "time": "noon"}, decode.Content)
    part = decode.tool_part(wire, "msg", "ses")
    assert (part.call_id, part.status, part.start_ms, part.input) == ("c", expected, None, {})


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(_JSON)
def test_nothing_in_the_open_places_can_break_the_decoder(value: Any) -> None:
    value = json.loads(json.dumps(value))
    content = [{"type": "tool", "state": value, "time": value, "id": value, "name": value, "text": value}]
    wire = {"id": "m", "type": "assistant", "content": content, "time": value, "error": value}
    said = [read({**wire, "retry": value, "finish": value, "outcome": value}, decode.Message)]
    decode.tool_parts(said, "ses")
    decode.newest(said)
    decode.retry(said)
    decode.outcome(said)
    form = {"id": "f", "metadata": value, "fields": value, "title": value}
    decode_asks.form(read(form, decode_asks.Form), "/d", "GET /x")
    asked = {"id": "p", "metadata": value, "source": value}
    decode_asks.permission(read(asked, decode_asks.Permission), "/d", "GET /x")


def test_an_attempt_at_no_time() -> None:
    wire = {"id": "m", "type": "assistant", "retry": {"attempt": "x", "at": "y", "error": 7}}
    assert decode.retry([read(wire, decode.Message)]) == Retry(0)
