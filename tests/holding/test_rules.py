"""Each rule on records of what clients really send: the mistake, the right way, and neither."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wedged.catalog import CLASSES
from wedged.facts.plain_text import plain
from wedged.lab.conformance import RULES, Exchange, Scene, Verdict, judge, sheet_json, sheet_text

from .records import (
    ASK,
    BACKGROUND,
    CHILD,
    CHILD_ASK,
    CRASHED,
    FAMILY,
    FAMILY_V2,
    GONE,
    HERE,
    LEFT_OVER,
    OWN,
    PARENT,
    SHELL,
    TWO_SERVERS,
    V1,
    V1_ELSEWHERE,
    said,
    sent,
)

KEPT, BROKEN, NOT = Verdict.KEPT, Verdict.BROKEN, Verdict.NOT_EXERCISED
V1_PART = f"/session/{PARENT}/message/msg_0123456789abMsg000/part/prt_0123456789abPart00"
V2_REPLY = f"/api/session/{PARENT}/permission/{ASK}/reply"


def reply(
    t: float, status: int = 200, decision: str = "once", ask: str = ASK, directory: str = ""
) -> Exchange:
    return sent(t, "POST", f"/permission/{ask}/reply", status, decision=decision, directory=directory)


def asks(t: float, *ids: str, directory: str = "") -> Exchange:
    return sent(t, "GET", "/permission", 200, *ids, directory=directory)


def stream(t: float, *ids: str) -> Exchange:
    return sent(t, "GET", "/event", 200, *ids)


CASES: dict[str, list[tuple[Verdict, Scene, list[Exchange]]]] = {
    "W101.sees-the-ask": [
        (KEPT, V1, [asks(1, ASK)]),
        (BROKEN, V1, [stream(1, ASK)]),
        (KEPT, V1, [stream(1, ASK), asks(2, ASK)]),
        (BROKEN, V1, [sent(1, "GET", "/session/status", 200, PARENT)]),
        (BROKEN, V1, [sent(1, "GET", f"/api/session/{PARENT}/permission")]),
        (BROKEN, V1, [sent(1, "GET", "/permission", 401, ASK)]),
        (NOT, V1, []),
        (NOT, V1, [sent(1, "GET", "/global/health")]),
        (NOT, BACKGROUND, [asks(1)]),
    ],
    "W101.lists-asks-at-start": [
        (KEPT, V1, [stream(1), asks(1.5)]),
        (BROKEN, V1, [asks(0.5), stream(1)]),
        (BROKEN, V1, [stream(1), sent(1.5, "GET", "/permission", 500)]),
        (NOT, V1, [asks(1)]),
        (NOT, V1, [stream(99)]),
    ],
    "W102.lists-asks-after-reconnect": [
        (NOT, V1, [stream(1), asks(2)]),
        (BROKEN, V1, [stream(1), asks(2), stream(10)]),
        (KEPT, V1, [stream(1), stream(10), asks(10.5)]),
        (BROKEN, V1, [stream(1), stream(10), stream(20), asks(20.5)]),
    ],
    "W101.no-unseen-always": [
        (BROKEN, V1, [reply(1, decision="always")]),
        (BROKEN, V1, [asks(1, ASK), reply(1.1, decision="always")]),
        (BROKEN, V1, [reply(1, decision="always"), asks(2, ASK)]),
        (KEPT, V1, [asks(1, ASK), reply(3, decision="always")]),
        (KEPT, V1, [reply(1, decision="once")]),
        (NOT, V1, [asks(1, ASK)]),
    ],
    "W101.goes-by-events": [
        (BROKEN, V1, [sent(n * 0.4, "GET", "/session/status") for n in range(25)]),
        (BROKEN, V1, [sent(n * 0.4, "GET", f"/session/{PARENT}/message") for n in range(25)]),
        (KEPT, V1, [sent(n * 1.0, "GET", "/session/status") for n in range(60)]),
        (KEPT, V1, [asks(n * 0.4, directory=f"/d{n}") for n in range(25)]),
        (NOT, V1, [sent(n * 0.1, "GET", "/config") for n in range(60)]),
    ],
    "W102.final-404": [
        (BROKEN, GONE, [reply(1, 404), reply(2, 404)]),
        (KEPT, GONE, [reply(1, 404)]),
        (KEPT, GONE, [reply(1, 404), reply(2, 200, directory=HERE)]),
        (NOT, GONE, [reply(1, 200), reply(2, 200)]),
        (NOT, GONE, [sent(1, "GET", "/session/nowhere", 404), sent(2, "GET", "/session/nowhere", 404)]),
    ],
    "W102.reads-list-after-404": [
        (BROKEN, GONE, [asks(0.5, ASK), reply(1, 404)]),
        (KEPT, GONE, [reply(1, 404), asks(1.2)]),
        (NOT, GONE, [reply(1, 200)]),
        (NOT, GONE, [reply(99.5, 404)]),
    ],
    "W105.sees-the-childs-ask": [
        (BROKEN, FAMILY, [asks(1, CHILD_ASK)]),
        (
            BROKEN,
            FAMILY,
            [sent(1, "GET", f"/session/{PARENT}/children", 200, CHILD), asks(2, directory=HERE)],
        ),
        (KEPT, FAMILY, [sent(1, "GET", f"/session/{PARENT}/children", 200, CHILD), asks(2, CHILD_ASK)]),
        (KEPT, FAMILY, [asks(1, CHILD_ASK), reply(3, ask=CHILD_ASK)]),
        (BROKEN, FAMILY_V2, [sent(1, "GET", f"/api/session/{PARENT}/permission")]),
        (KEPT, FAMILY_V2, [sent(1, "GET", f"/api/session/{CHILD}/permission", 200, CHILD_ASK)]),
        (NOT, V1, [asks(1, ASK)]),
        (NOT, FAMILY, []),
    ],
    "W001.asks-own-directory": [
        (BROKEN, V1_ELSEWHERE, [sent(1, "GET", "/session/status")]),
        (BROKEN, V1_ELSEWHERE, [asks(1), asks(2, directory="/third")]),
        (KEPT, V1_ELSEWHERE, [sent(1, "GET", "/session/status"), asks(2, directory=HERE)]),
        (KEPT, V1, [sent(1, "GET", "/session/status", directory=OWN)]),
        (NOT, V1, [sent(1, "GET", "/session/status")]),
        (NOT, V1_ELSEWHERE, [sent(1, "GET", f"/session/{PARENT}")]),
        (NOT, BACKGROUND, [sent(1, "GET", "/api/session/active")]),
    ],
    "W001.replies-in-its-directory": [
        (BROKEN, V1_ELSEWHERE, [reply(1, 404)]),
        (KEPT, V1_ELSEWHERE, [reply(1, 200, directory=HERE)]),
        (NOT, V1, [reply(1, 200)]),
        (NOT, GONE, [reply(1, 404, directory=HERE)]),
        (NOT, FAMILY_V2, [reply(1, 404)]),
    ],
    "W103.declines-with-words": [
        (BROKEN, FAMILY_V2, [sent(1, "POST", V2_REPLY, 204, decision="reject")]),
        (KEPT, FAMILY_V2, [sent(1, "POST", V2_REPLY, 204, decision="reject", worded=True)]),
        (NOT, FAMILY_V2, [sent(1, "POST", V2_REPLY, 404, decision="reject")]),
        (NOT, FAMILY_V2, [sent(1, "POST", V2_REPLY, 204, decision="once")]),
        (NOT, V1, [reply(1, decision="reject")]),
    ],
    "W104.leaves-leftovers": [
        (BROKEN, LEFT_OVER, [reply(1)]),
        (KEPT, LEFT_OVER, [reply(1, decision="reject")]),
        (NOT, LEFT_OVER, [asks(1, ASK)]),
        (NOT, V1, [reply(1)]),
    ],
    "W301.lists-shells": [
        (BROKEN, BACKGROUND, [sent(1, "GET", "/api/session/active")]),
        (BROKEN, BACKGROUND, [sent(1, "GET", "/api/shell")]),
        (KEPT, BACKGROUND, [sent(1, "GET", "/api/shell", 200, SHELL, directory=HERE)]),
        (BROKEN, BACKGROUND, [sent(1, "GET", "/api/event", 200, SHELL)]),
        (BROKEN, BACKGROUND, [sent(1, "GET", f"/api/session/{PARENT}/message", 200, SHELL)]),
        (NOT, BACKGROUND, []),
        (NOT, V1, [asks(1)]),
    ],
    "W301.stop-ends-shells": [
        (BROKEN, BACKGROUND, [sent(1, "POST", f"/api/session/{PARENT}/interrupt")]),
        (
            BROKEN,
            BACKGROUND,
            [
                sent(1, "POST", f"/api/session/{PARENT}/interrupt"),
                sent(2, "DELETE", f"/api/shell/{SHELL}", 404),
            ],
        ),
        (
            KEPT,
            BACKGROUND,
            [
                sent(1, "POST", f"/api/session/{PARENT}/interrupt"),
                sent(2, "DELETE", f"/api/shell/{SHELL}", 204),
            ],
        ),
        (NOT, BACKGROUND, [sent(1, "POST", f"/api/session/{CHILD}/interrupt")]),
    ],
    "W301.no-restart-over-work": [
        (BROKEN, BACKGROUND, [sent(1, "POST", "/api/location/reload", 204)]),
        (
            KEPT,
            BACKGROUND,
            [
                sent(1, "DELETE", f"/api/shell/{SHELL}", 204),
                sent(2, "POST", "/api/location/reload", 204),
            ],
        ),
        (BROKEN, V1, [sent(1, "POST", "/global/dispose")]),
        (BROKEN, V1, [sent(1, "DELETE", f"/session/{PARENT}")]),
        (KEPT, V1, [reply(1), sent(2, "POST", "/global/dispose")]),
        (KEPT, V1, [sent(1, "POST", f"/session/{PARENT}/abort"), sent(2, "PATCH", "/global/config")]),
        (BROKEN, V1_ELSEWHERE, [reply(1, directory=HERE), sent(2, "POST", "/instance/dispose")]),
        (NOT, V1, [sent(1, "POST", "/global/dispose", 405)]),
        (NOT, V1, [sent(1, "DELETE", f"/session/{CHILD}")]),
    ],
    "W002.leaves-live-calls": [
        (BROKEN, TWO_SERVERS, [sent(1, "PATCH", V1_PART)]),
        (BROKEN, TWO_SERVERS, [sent(1, "POST", f"/api/session/{PARENT}/prompt")]),
        (KEPT, TWO_SERVERS, [sent(1, "GET", f"/session/{PARENT}/message")]),
        (NOT, TWO_SERVERS, [sent(1, "GET", "/session")]),
        (NOT, CRASHED, [sent(1, "PATCH", V1_PART)]),
    ],
    "W201.looks-before-settling": [
        (BROKEN, CRASHED, [sent(1, "GET", "/session/status"), sent(2, "PATCH", V1_PART)]),
        (
            KEPT,
            CRASHED,
            [sent(1, "GET", "/session/status", directory=HERE), sent(2, "PATCH", V1_PART)],
        ),
        (BROKEN, CRASHED, [sent(1, "PATCH", V1_PART), sent(2, "GET", "/session/status", directory=HERE)]),
        (NOT, CRASHED, [sent(1, "GET", "/session/status", directory=HERE)]),
        (NOT, TWO_SERVERS, [sent(1, "PATCH", V1_PART)]),
    ],
}


@pytest.mark.parametrize(
    ("rule", "verdict", "scene", "record"),
    [(rule, *case) for rule, cases in CASES.items() for case in cases],
    ids=[f"{rule}-{case[0].value}-{n}" for rule, cases in CASES.items() for n, case in enumerate(cases)],
)
def test_a_rule(rule: str, verdict: Verdict, scene: Scene, record: list[Exchange]) -> None:
    assert said(rule, scene, *record) is verdict


def test_every_rule_is_shown_in_all_three_ways_and_is_about_a_class() -> None:
    assert {rule.id for rule in RULES} == set(CASES)
    for rule, cases in CASES.items():
        assert {case[0] for case in cases} == {KEPT, BROKEN, NOT}, rule
    assert {rule.code for rule in RULES} <= {of.code for of in CLASSES}


def test_a_sheet_says_the_worst_first_and_as_text_what_it_says_as_json() -> None:
    record = [asks(1, ASK), reply(1.1, decision="always"), stream(2), reply(3, 404), reply(4, 404)]
    sheet = judge(V1, record, server="v1@1.17.18", over=10.0)
    tree = json.loads(sheet_json(sheet))
    verdicts = [rule["verdict"] for rule in tree["rules"]]
    assert verdicts == sorted(verdicts, key=["broken", "kept", "not exercised"].index)
    assert (tree["class"], tree["server"], tree["requests"]) == ("W101", "v1@1.17.18", 5)
    assert "W101.no-unseen-always" in sheet.broken
    text = sheet_text(sheet)
    assert text.index("BROKEN") < text.index("kept  ") < text.index("not exercised  ")
    for rule in tree["rules"]:
        assert rule["id"] in text
        assert all(line in text for line in rule["evidence"])


def test_a_clients_path_can_neither_steer_the_terminal_nor_carry_a_secret_onto_the_sheet() -> None:
    hostile = f"/permission/{ASK}/reply\x1b[2J?token=sk-abcdefghijklmnop0123"
    one = sent(1, "POST", hostile, 404)
    assert "\x1b" not in one.line
    assert "sk-abcdefghijklmnop0123" not in one.line


def test_a_session_that_was_stopped_waits_for_nobody_and_a_sub_agents_ask_is_its_own() -> None:
    stop, end = sent(1, "POST", f"/session/{PARENT}/abort"), sent(2, "POST", "/global/dispose")
    assert said("W301.no-restart-over-work", FAMILY, stop, end) is BROKEN
    other = sent(1.5, "POST", f"/session/{CHILD}/abort")
    assert said("W301.no-restart-over-work", FAMILY, stop, other, end) is KEPT


PATHS = [
    "/session/status",
    "/permission",
    f"/permission/{ASK}/reply",
    f"/session/{PARENT}/permissions/{ASK}",
    f"/api/session/{CHILD}/permission/{CHILD_ASK}/reply",
    f"/api/session/{PARENT}/interrupt",
    f"/session/{PARENT}/children",
    "/api/shell",
    f"/api/shell/{SHELL}",
    "/event",
    "/global/dispose",
    V1_PART,
]
ANY_EXCHANGE = st.builds(
    sent,
    st.floats(0, 100),
    st.sampled_from(["GET", "POST", "PATCH", "DELETE", "HEAD", "x\x1b"]),
    st.sampled_from(PATHS) | st.text(max_size=40).map(lambda text: f"/{text}"),
    st.sampled_from([0, 200, 204, 302, 404, 500]),
    st.sampled_from([ASK, CHILD_ASK, SHELL, PARENT, CHILD]),
    directory=st.sampled_from(["", HERE, OWN]) | st.text(max_size=20),
    decision=st.sampled_from(["", "once", "always", "reject"]) | st.text(max_size=20),
    worded=st.booleans(),
)
SCENES = [V1, V1_ELSEWHERE, GONE, LEFT_OVER, FAMILY, FAMILY_V2, BACKGROUND, TWO_SERVERS, CRASHED]


@given(st.sampled_from(SCENES), st.lists(ANY_EXCHANGE, max_size=30))
@settings(max_examples=150, deadline=None)
def test_whatever_a_client_sends_there_is_a_sheet_of_it_that_steers_no_terminal(
    scene: Scene, record: list[Exchange]
) -> None:
    sheet = judge(scene, record, server="v1@1.17.18", over=100.0)
    assert len(sheet.judgements) == len(RULES)
    assert all(one.evidence for one in sheet.judgements)
    text = sheet_text(sheet)
    assert text == "\n".join(plain(line) for line in text.split("\n"))
    assert json.loads(sheet_json(sheet))["requests"] == len(record)
