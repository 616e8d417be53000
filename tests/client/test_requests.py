"""Recovery steps as V1 requests."""

import pytest

from wedged.client.v1 import routes
from wedged.client.v1.requests import request
from wedged.errors import Refused
from wedged.facts.recovery import Action, Request, Target

HERE = Target("ses_1", "/a b/c?d", ask_id="per_1", message="no")


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (
            Action.REPLY_ONCE,
            Request("POST", "/permission/per_1/reply?directory=/a%20b/c%3Fd", {"reply": "once"}),
        ),
        (
            Action.REPLY_REJECT,
            Request("POST", "/permission/per_1/reply?directory=/a%20b/c%3Fd", {"reply": "reject"}),
        ),
        (
            Action.REPLY_REJECT_MESSAGE,
            Request(
                "POST", "/permission/per_1/reply?directory=/a%20b/c%3Fd", {"reply": "reject", "message": "no"}
            ),
        ),
        (Action.ABORT, Request("POST", "/session/ses_1/abort?directory=/a%20b/c%3Fd")),
        (Action.ASK_STATUS, Request("GET", "/session/status?directory=/a%20b/c%3Fd")),
        (Action.LIST_ASKS, Request("GET", "/permission?directory=/a%20b/c%3Fd")),
        (
            Action.DISMISS_LEFTOVER,
            Request("POST", "/permission/per_1/reply?directory=/a%20b/c%3Fd", {"reply": "reject"}),
        ),
    ],
)
def test_each_action(action: Action, expected: Request) -> None:
    assert request(action, HERE) == expected


def test_the_servers_own_directory_is_not_named() -> None:
    assert request(Action.ABORT, Target("ses_1", "")) == Request("POST", "/session/ses_1/abort")


def test_a_question_has_its_own_route() -> None:
    target = Target("ses_1", "/d", ask_id="que_1", message="x")
    for action in (Action.REPLY_REJECT, Action.DISMISS_LEFTOVER):
        assert request(action, target) == Request("POST", "/question/que_1/reject?directory=/d")
    for action in (Action.REPLY_ONCE, Action.REPLY_REJECT_MESSAGE):
        with pytest.raises(Refused, match="question"):
            request(action, target)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(Refused, match="id of an ask"):
        request(Action.REPLY_ONCE, Target("ses_1", ""))
    with pytest.raises(Refused, match="needs the message"):
        request(Action.REPLY_REJECT_MESSAGE, Target("ses_1", "", ask_id="per_1"))


@pytest.mark.parametrize("hostile", ["../../global/dispose", "a/b", "x?y#z", "..", ".", "a\nb"])
def test_an_id_can_not_become_another_path(hostile: str) -> None:
    path = routes.abort(hostile)
    middle = path.removeprefix("/session/").removesuffix("/abort")
    assert path.count("/") == 3
    assert not set(middle) & set("/?#\n")
    assert middle not in (".", "..")
