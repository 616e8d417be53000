"""Which V2: by the API documents of the servers that were run, and by the published 2.1.2 contract.

The contract's shapes (package opencode-python-sdk 0.2.3) are what a server that can't be had here is said to
take. They show that wedged would speak it, and are evidence of nothing that a server did.
"""

from typing import Any

import pytest

from wedged.client.v2.dialect import Dialect, read_dialect
from wedged.client.v2.requests import request
from wedged.errors import Refused, UnknownDialect
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.server import Line

from .v2_samples import VERSIONS, dialect, sample

PREVIEW = Dialect(Line.V2_PREVIEW, "reply", "/api/form/request", "POST", questions=True, locations=True)
RELEASED = Dialect(Line.V2_RELEASED, "decision", "/api/form", "DELETE", titled=True, locations=True)
CONTRACT = Dialect(
    Line.V2_RELEASED, "decision", "/api/form", "DELETE", cancel_message=True, titled=True, locations=True
)

_STRING: dict[str, object] = {"type": "string"}


def _post(**properties: object) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    return {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}}


def contract() -> dict[str, Any]:
    """What the 2.1.2 contract says of the routes that differ, as an API document."""
    cancel = {"parameters": [{"name": "message", "in": "query"}]}
    session = "/api/session/{sessionID}"
    return {
        "paths": {
            "/api/session": {"get": {}} | _post(title=_STRING, location={"type": "object"}),
            "/api/session/active": {"get": {}},
            f"{session}/prompt": _post(text=_STRING),
            f"{session}/permission/{{requestID}}/reply": _post(decision=_STRING, message=_STRING),
            "/api/form": {"get": {}},
            f"{session}/form/{{formID}}": {"get": {}, "delete": cancel},
            "/api/debug/location": {"get": {}, "delete": {}},
        }
    }


def test_the_servers_that_were_run() -> None:
    assert [dialect(version) for version in VERSIONS] == [PREVIEW, RELEASED]


def test_the_published_contract() -> None:
    assert read_dialect(Line.V2_RELEASED, contract()) == CONTRACT


@pytest.mark.parametrize("version", VERSIONS)
def test_a_body_behind_a_reference_is_found(version: str) -> None:
    document = sample(version)["openapi"]
    path = "/api/session/{sessionID}/permission/{requestID}/reply"
    content = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    document["components"]["schemas"]["Reply"] = content["schema"]
    content["schema"] = {"$ref": "#/components/schemas/Reply"}
    assert read_dialect(dialect(version).line, document) == dialect(version)


@pytest.mark.parametrize(
    "path",
    [
        "/api/session/active",
        "/api/session/{sessionID}/prompt",
        "/api/session/{sessionID}/permission/{requestID}/reply",
        "/api/session/{sessionID}/form/{formID}",
        "/api/form",
    ],
)
def test_without_one_of_these_routes_it_is_unknown(path: str) -> None:
    document = contract()
    del document["paths"][path]
    with pytest.raises(UnknownDialect, match="does not say what V2's says"):
        read_dialect(Line.V2_RELEASED, document)


@pytest.mark.parametrize("keys", [(), ("reply", "decision"), ("verdict",)])
def test_a_reply_that_is_put_another_way_is_unknown(keys: tuple[str, ...]) -> None:
    document = contract()
    path = "/api/session/{sessionID}/permission/{requestID}/reply"
    document["paths"][path] = _post(**dict.fromkeys(keys, _STRING))
    with pytest.raises(UnknownDialect, match="how an ask is answered"):
        read_dialect(Line.V2_RELEASED, document)


@pytest.mark.parametrize("document", [{}, {"paths": []}, {"paths": {"/api/session/active": 1}}])
def test_a_bent_document_is_unknown(document: dict[str, object]) -> None:
    with pytest.raises(UnknownDialect):
        read_dialect(Line.V2_RELEASED, document)


HERE = Target("ses_1", "/a b", ask_id="per_1", message="no & never", shell_id="sh_1")
FORM = Target("ses_1", "/a b", ask_id="frm_1", message="no & never")
ASK = "/api/session/ses_1/permission/per_1/reply"


@pytest.mark.parametrize(
    ("speaks", "action", "target", "expected"),
    [
        (PREVIEW, Action.REPLY_ONCE, HERE, Request("POST", ASK, {"reply": "once"})),
        (RELEASED, Action.REPLY_ONCE, HERE, Request("POST", ASK, {"decision": "once"})),
        (RELEASED, Action.REPLY_REJECT, HERE, Request("POST", ASK, {"decision": "reject"})),
        (
            PREVIEW,
            Action.REPLY_REJECT_MESSAGE,
            HERE,
            Request("POST", ASK, {"reply": "reject", "message": "no & never"}),
        ),
        (PREVIEW, Action.REPLY_REJECT, FORM, Request("POST", "/api/session/ses_1/form/frm_1/cancel")),
        (RELEASED, Action.REPLY_REJECT, FORM, Request("DELETE", "/api/session/ses_1/form/frm_1")),
        (
            CONTRACT,
            Action.REPLY_REJECT_MESSAGE,
            FORM,
            Request("DELETE", "/api/session/ses_1/form/frm_1?message=no%20%26%20never"),
        ),
        (
            PREVIEW,
            Action.REPLY_REJECT,
            Target("ses_1", "", ask_id="que_1"),
            Request("POST", "/api/session/ses_1/question/que_1/reject"),
        ),
        (RELEASED, Action.LIST_ASKS, HERE, Request("GET", "/api/session/ses_1/permission")),
        (RELEASED, Action.ABORT, HERE, Request("POST", "/api/session/ses_1/interrupt")),
        (
            RELEASED,
            Action.PROMPT,
            HERE,
            Request("POST", "/api/session/ses_1/prompt", {"text": "no & never"}),
        ),
        (
            PREVIEW,
            Action.END_SHELL,
            HERE,
            Request("DELETE", "/api/shell/sh_1?location%5Bdirectory%5D=/a%20b"),
        ),
        (RELEASED, Action.END_SHELL, Target("s", "", shell_id="sh_1"), Request("DELETE", "/api/shell/sh_1")),
    ],
)
def test_each_action(speaks: Dialect, action: Action, target: Target, expected: Request) -> None:
    assert request(speaks, action, target) == expected


@pytest.mark.parametrize(
    ("action", "target", "words"),
    [
        (Action.REPLY_ONCE, FORM, "for permissions"),
        (Action.REPLY_REJECT_MESSAGE, FORM, "without a message"),
        (Action.REPLY_REJECT_MESSAGE, Target("s", "", ask_id="que_1", message="x"), "without a message"),
        (Action.REPLY_REJECT_MESSAGE, Target("s", "", ask_id="per_1"), "needs the message"),
        (Action.REPLY_ONCE, Target("s", ""), "id of an ask"),
        (Action.END_SHELL, Target("s", ""), "id of a shell"),
        (Action.PROMPT, Target("s", ""), "needs its text"),
    ],
)
def test_what_can_not_be_asked_is_refused(action: Action, target: Target, words: str) -> None:
    with pytest.raises(Refused, match=words):
        request(RELEASED, action, target)


@pytest.mark.parametrize("hostile", ["../../location/reload", "a/b", "x?y#z", "..", ".", "a\nb"])
def test_an_id_can_not_become_another_path(hostile: str) -> None:
    for action in (Action.REPLY_REJECT, Action.ABORT, Action.END_SHELL):
        made = request(RELEASED, action, Target(hostile, "", ask_id=hostile, shell_id=hostile))
        for piece in made.path.split("/"):
            assert piece not in (".", "..")
            assert not set(piece) & set("?#\n")
        assert made.path.count("/") in (3, 4, 6)
