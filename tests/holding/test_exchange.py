"""What is kept of a request and its answer."""

import pytest

from wedged.lab.conformance.exchange import decision_of, directory_of, ids_in, is_reply, template

from .records import ASK, PARENT, SHELL, sent


@pytest.mark.parametrize(
    ("path", "named"),
    [
        (f"/session/{PARENT}/abort", "/session/{sessionID}/abort"),
        (
            f"/api/session/{PARENT}/permission/{ASK}/reply",
            "/api/session/{sessionID}/permission/{permissionID}/reply",
        ),
        (f"/api/shell/{SHELL}", "/api/shell/{shellID}"),
        ("/session/status", "/session/status"),
        ("/session/ses_", "/session/ses_"),
        ("/session/sesame_0123456789", "/session/sesame_0123456789"),
    ],
)
def test_a_paths_ids_get_names(path: str, named: str) -> None:
    assert template(path) == named


def test_ids_are_found_whole_wherever_they_stand() -> None:
    answer = f'{{"{PARENT}":{{"type":"busy"}},"a":["{ASK}"],"text":"x{SHELL} see /session/{PARENT}/x"}}'
    assert ids_in(answer.encode()) == {PARENT, ASK}
    assert ids_in(b'["msg_0123456789ab","prt_0123456789ab"]') == frozenset(), "they come by the thousand"
    assert ids_in(b'"not_0123456789abcdef ses_ses_"') == frozenset()


@pytest.mark.parametrize(
    ("path", "query", "header", "directory"),
    [
        ("/session/status", "directory=%2Fa%20b", "", "/a b"),
        ("/session/status", "", "%2Fa%20b", "/a b"),
        ("/session/status", "", "/a", "/a"),
        ("/session/status", "directory=/a", "/b", "/a"),
        ("/session/status", "location[directory]=/a", "", ""),
        ("/session/status", "auth_token=x", "", ""),
        ("/api/shell", "location%5Bdirectory%5D=%2Fa", "", "/a"),
        ("/api/shell", "location[directory]=/a&limit=2", "", "/a"),
        ("/api/shell", "directory=/a", "", ""),
        ("/api/shell", "", "%2Fa", "/a"),
    ],
)
def test_a_directory_is_named_as_the_route_takes_it(
    path: str, query: str, header: str, directory: str
) -> None:
    assert directory_of(path, query, header) == directory


@pytest.mark.parametrize(
    ("body", "decision"),
    [
        ({"reply": "once"}, ("once", False)),
        ({"decision": "reject", "message": "no"}, ("reject", True)),
        ({"response": "always"}, ("always", False)),
        ({"reply": ["once"]}, ("", False)),
        ([], ("", False)),
        ({"reply": "x" * 100}, ("x" * 20, False)),
    ],
)
def test_a_replys_decision(body: object, decision: tuple[str, bool]) -> None:
    assert decision_of(body) == decision


@pytest.mark.parametrize(
    ("method", "path", "ask"),
    [
        ("POST", f"/permission/{ASK}/reply", ASK),
        ("POST", f"/session/{PARENT}/permissions/{ASK}", ASK),
        ("POST", "/question/que_0123456789ab/reject", "que_0123456789ab"),
        ("DELETE", f"/api/session/{PARENT}/form/frm_0123456789ab", "frm_0123456789ab"),
        ("POST", f"/api/session/{PARENT}/form/frm_0123456789ab/cancel", "frm_0123456789ab"),
        ("GET", f"/api/session/{PARENT}/permission/{ASK}", ""),
        ("POST", f"/session/{PARENT}/abort", ""),
    ],
)
def test_which_requests_answer_an_ask(method: str, path: str, ask: str) -> None:
    assert sent(1, method, path).replies_to == ask
    assert is_reply(method, path) == (bool(ask) and method == "POST")
