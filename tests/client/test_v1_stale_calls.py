"""V1's requests about a call that nobody will end: what a real 1.18.34 took, to the letter."""

from dataclasses import replace

import msgspec
import pytest

from wedged.client.v1 import decode
from wedged.client.v1.requests import find, request
from wedged.client.v1.stale_calls import SETTLED
from wedged.errors import Refused
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.session import PartStatus, ToolPart

# As the server answers it, with what some providers keep beside it.
WIRE = {
    "id": "prt_1",
    "sessionID": "ses_1",
    "messageID": "msg_1",
    "type": "tool",
    "callID": "call_1",
    "tool": "bash",
    "state": {
        "status": "running",
        "input": {"command": "echo hello; sleep 600"},
        "metadata": {"output": "hello\n", "description": "x"},
        "time": {"start": 1000},
    },
    "metadata": {"google": {"thoughtSignature": "abc"}},
}


def part(**state: object) -> ToolPart:
    wire = WIRE | {"state": WIRE["state"] | state if state else WIRE["state"]}  # type: ignore[operator]
    return decode.tool_part(msgspec.convert(wire, decode.Part))


def target(of: ToolPart) -> Target:
    return Target("ses_1", "/d", part=of, at_ms=5000)


def test_the_whole_part_goes_back_with_its_state_an_error() -> None:
    made = request(Action.SETTLE_PART, target(part()))
    assert (made.method, made.path) == ("PATCH", "/session/ses_1/message/msg_1/part/prt_1?directory=/d")
    assert made.body is not None
    assert made.body | {"state": None} == WIRE | {"state": None}, "a provider's signature stays"
    assert made.body["state"] == {
        "status": "error",
        "input": {"command": "echo hello; sleep 600"},
        "error": f"{SETTLED}. Its output until then:\nhello\n",
        "metadata": {"description": "x", "interrupted": True},
        "time": {"start": 1000, "end": 5000},
    }


def test_a_call_that_the_model_still_wrote_has_neither_times_nor_output() -> None:
    pending = decode.tool_part(
        msgspec.convert(WIRE | {"state": {"status": "pending", "input": {}, "raw": ""}}, decode.Part)
    )
    assert pending.status is PartStatus.PENDING
    made = request(Action.SETTLE_PART, target(pending))
    assert made.body is not None
    state = {"status": "error", "input": {}, "error": SETTLED, "metadata": {"interrupted": True}}
    assert made.body["state"] == state | {"time": {"start": 5000, "end": 5000}}


def test_the_end_is_never_before_the_start() -> None:
    made = request(Action.SETTLE_PART, replace(target(part()), at_ms=0))
    assert made.body is not None
    assert made.body["state"]["time"] == {"start": 1000, "end": 1000}  # type: ignore[index]


def test_removals_and_the_read_that_finds_the_ids() -> None:
    here = target(part())
    message = "/session/ses_1/message/msg_1"
    assert request(Action.DELETE_PART, here) == Request("DELETE", f"{message}/part/prt_1?directory=/d")
    assert request(Action.DELETE_MESSAGE, here) == Request("DELETE", f"{message}?directory=/d")
    assert find(Action.SETTLE_PART, here) == Request("GET", "/session/ses_1/message?directory=/d")


def test_nothing_is_made_for_a_call_that_has_ended_or_is_not_named() -> None:
    ended = part(status="completed", output="hello")
    assert ended.wire == {}
    with pytest.raises(Refused, match="nothing to settle"):
        request(Action.SETTLE_PART, target(ended))
    for action in (Action.SETTLE_PART, Action.DELETE_PART, Action.DELETE_MESSAGE):
        with pytest.raises(Refused, match="needs the call"):
            request(action, Target("ses_1", "/d"))


def test_ids_can_become_no_other_path() -> None:
    hostile = replace(part(), id="../../x", message_id="..")
    made = request(Action.DELETE_PART, replace(target(hostile), directory=""))
    assert made.path == "/session/ses_1/message/%2E%2E/part/..%2F..%2Fx"
