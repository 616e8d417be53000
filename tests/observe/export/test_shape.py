"""Which shape an export has, and what is refused in which words."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.fake_v1 import SAMPLE

from wedged.facts.server import Line
from wedged.facts.session import Status
from wedged.observe.export.shape import NoExport, read_export

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


def of_v1() -> dict[str, Any]:
    """What a real V1 said of one session, put together as its export puts it together."""
    seen = json.loads(SAMPLE.read_text())
    return {"info": seen["sessions"][0], "messages": seen["messages"]}


def dumped(tree: object) -> bytes:
    return json.dumps(tree).encode()


def test_v1_by_its_messages() -> None:
    made = read_export(dumped(of_v1()))
    assert (made.line, made.version, made.unreadable) == (Line.V1, "1.18.34", ())
    assert made.session.status is Status.UNKNOWN
    assert made.session.parts
    assert made.session.message_count == len(of_v1()["messages"])


@pytest.mark.parametrize("wrapped", [False, True])
def test_v2_by_its_messages_also_as_the_route_answers(wrapped: bool) -> None:
    call = {"type": "tool", "id": "call_1", "name": "shell", "state": {"status": "error", "error": {}}}
    tree = {
        "info": {"id": "ses_1", "location": {"directory": "/p"}},
        "messages": [
            {"id": "msg_1", "type": "user", "text": "Go."},
            {"id": "msg_2", "type": "assistant", "content": [call], "time": {"created": 1, "completed": 2}},
        ],
    }
    made = read_export(dumped({"data": tree} if wrapped else tree))
    assert made.line is Line.V2_RELEASED
    assert (made.session.directory, [part.call_id for part in made.session.parts]) == ("/p", ["call_1"])


@pytest.mark.parametrize(
    ("info", "line"),
    [({"location": {"directory": "/p"}}, Line.V2_RELEASED), ({"directory": "/p"}, Line.V1)],
)
def test_a_session_without_messages_by_where_it_belongs(info: dict[str, object], line: Line) -> None:
    assert read_export(dumped({"info": info | {"id": "ses_1"}, "messages": []})).line is line


def test_one_broken_message_does_not_lose_the_others() -> None:
    tree = of_v1()
    tree["messages"].insert(0, {"info": 3})
    made = read_export(dumped(tree))
    assert made.unreadable == ("message 1",)
    assert made.session.parts == read_export(dumped(of_v1())).session.parts


def test_half_a_surrogate_pair_is_read() -> None:
    tree = of_v1()
    tree["info"]["title"] = "cut \ud83d"
    assert read_export(dumped(tree)).session.title == "cut ?"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"info": {"id": "ses_1"}, "messages": [', "is cut short"),
        (b"{}", "no `info` beside `messages`"),
        (b'{"info": {"id": "ses_1"}}', "no `info` beside `messages`"),
        (b'{"info": {"id": 3}, "messages": []}', "none of a session"),
        (b'{"info": "ses_1", "messages": []}', "none of a session"),
        (b"{nonsense", "is no JSON"),
        (b'{"a":' * 100_000, "too deep"),
    ],
)
def test_what_is_refused_in_which_words(raw: bytes, words: str) -> None:
    with pytest.raises(NoExport, match=words):
        read_export(raw)


@given(st.sampled_from(["info", "messages", "first", "parts", "part", "state"]), JSON)
def test_nothing_in_it_breaks_the_reader(place: str, value: object) -> None:
    tree = of_v1()
    message = tree["messages"][-1]
    if place == "first":
        tree["messages"][0] = value
    elif place == "parts":
        message["parts"] = value
    elif place == "part":
        message["parts"][-1] = value
    elif place == "state":
        message["parts"][-1]["state"] = value
    else:
        tree[place] = value
    try:
        read_export(dumped(tree))
    except NoExport:
        assert place in ("info", "messages"), "a broken message is only left out"
