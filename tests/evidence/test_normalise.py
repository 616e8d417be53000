"""Stable names for what differs from run to run; values that a real server sent."""

import json
import threading
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wedged.evidence import Normaliser
from wedged.facts.trial import ClaimOutcome, Lane, Observation, Outcome

SESSION, OTHER = "ses_dd8b1f599ffedgWKDaAlUT8L1E", "ses_dd8b19be9ffeN30re6yeYsj3k4"
ASK, MESSAGE, PART = (
    "per_2274e0fec001KoTEHP5LreUxXZ",
    "msg_2274e0bdb001hSh038xn9BF1HX",
    "prt_2274e0f820017BYwDmqTXBAGwr",
)
CALL = "call_1_1795955756868998515"
PROMPTED = 1795955755900


def test_ids_are_numbered_by_first_appearance_each_kind_apart() -> None:
    names = Normaliser()
    text = f"GET /session/{OTHER}/message/{MESSAGE}, {SESSION}: {ASK} for {CALL}, {PART}; {OTHER} again"
    assert names.text(text) == "GET /session/ses_1/message/msg_1, ses_2: per_1 for call_1, prt_1; ses_1 again"
    assert names.text(SESSION) == "ses_2"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("evt_2274e0a5e001BVIYXRwWG65qGP", "evt_1"),
        ("que_2274e0a5e001BVIYXRwWG65qGP", "que_1"),
        ("frm_2274e0a5e001BVIYXRwWG65qGP", "frm_1"),
        ("sh_2274e0a5e001BVIYXRwWG65qGP", "sh_1"),
        ("sh_0a1B2c3D4e5F6g7H8i9J0", "sh_1"),
        ("wrk_2274e0a5e001BVIYXRwWG65qGP", "wrk_1"),
        ("call_AbCdEf0123456789", "call_1"),
        ("toolu_01AbCdEf0123456789", "call_1"),
        ("call_w101-trigger-3_0_0", "call_1"),
    ],
)
def test_every_kind_of_id(text: str, name: str) -> None:
    assert Normaliser().text(f"<{text}>") == f"<{name}>"


@pytest.mark.parametrize(
    "text",
    [
        "call_tool_with_permission",
        "session_v2",
        "ses_1",
        "per_12",
        "time_suspended",
        "tool_calls",
        "msg_",
        "external_directory",
    ],
)
def test_words_are_not_ids(text: str) -> None:
    assert Normaliser().text(text) == text


def test_each_trial_counts_for_itself_and_knows_the_strings() -> None:
    shared = Normaliser()
    first, second = shared.trial(), shared.trial()
    shared.add("/tmp/x/home/proj", "/project")
    assert first.text(f"{SESSION} {OTHER} /tmp/x/home/proj/a") == "ses_1 ses_2 /project/a"
    assert second.text(f"{OTHER} /tmp/x/home/proj") == "ses_1 /project"


def test_the_longest_string_goes_first_and_names_are_not_replaced_again() -> None:
    names = Normaliser()
    names.add("/tmp/x", "/home")
    names.add("/tmp/x/proj", "/project")
    names.add("/home", "/WRONG")
    names.add("http://127.0.0.1:40123", "http://127.0.0.1:PORT")
    assert names.text("/tmp/x/proj/a /tmp/x/b http://127.0.0.1:40123/doc") == (
        "/project/a /home/b http://127.0.0.1:PORT/doc"
    )


def test_a_path_is_found_as_servers_write_it() -> None:
    names = Normaliser()
    names.add("/tmp/x y/proj", "/project")
    # V1 gives a session's path without the leading slash, and clients send directories percent-encoded.
    assert names.text("tmp/x y/proj") == "project"
    assert names.text(f"?directory={quote('/tmp/x y/proj', safe='')}") == "?directory=%2Fproject"
    assert names.text("file:///tmp/x y/proj/b") == "file:///project/b"


def test_numbers_are_found_whole_only() -> None:
    names = Normaliser()
    names.add("4096", "PORT")
    names.add("57", "SERVER-PID")
    assert names.text("port 4096, :4096/x, 40960, 14096, 1.4096, a4096, 57 s") == (
        "port PORT, :PORT/x, 40960, 14096, 1.4096, a4096, 57 s"
    )
    assert names.value({"pid": 57, "port": 4096, "limit": 4096, "count": 57}) == {
        "pid": "SERVER-PID",
        "port": "PORT",
        "limit": 4096,
        "count": 57,
    }


def test_unregistered_processes_are_numbered() -> None:
    tree = [{"pid": 4711, "parent": 1}, {"pid": 4712, "ppid": 4711}, {"port": 80, "pid": True}]
    assert Normaliser().value(tree) == [
        {"pid": "pid_1", "parent": 1},
        {"pid": "pid_2", "ppid": "pid_1"},
        {"port": 80, "pid": True},
    ]


def test_a_secret_goes_in_every_form() -> None:
    names = Normaliser()
    secret = "aB3-x/yZ+q"
    names.secret(secret)
    basic = b64encode(f"opencode:{secret}".encode()).decode()
    for text in (
        secret,
        f"x{secret}x",
        quote(secret, safe=""),
        basic,
        f"Basic {basic}",
        f"password={secret}",
    ):
        for form in (names.text(text), names.trial().text(text), json.dumps(names.value({"a": [text]}))):
            assert secret not in form
            assert basic not in form
            assert quote(secret, safe="") not in form
    assert names.text(f"said {secret}.") == "said PASSWORD."
    names.secret("")
    names.add("", "NOTHING")
    assert names.text("as it was") == "as it was"


def test_what_was_never_registered_is_redacted_too() -> None:
    names = Normaliser()
    assert names.text("token=abcd1234efgh") == "token=[redacted]"
    assert names.value({"password": "two words"}) == {"password": "[redacted]"}
    assert names.text("missing variable OPENAI_API_KEY") == "missing variable OPENAI_API_KEY"


def test_without_an_origin_times_stay() -> None:
    tree = {"time": {"created": PROMPTED, "updated": PROMPTED + 5}, "title": "New - 2026-11-29T12:35:55.623Z"}
    assert Normaliser().value(tree) == tree


def test_with_an_origin_clock_times_become_times_since_the_prompt() -> None:
    names = Normaliser().trial(origin_ms=PROMPTED)
    tree = {
        "title": "New session - 2026-11-29T12:35:55.623Z",
        "time": {"created": PROMPTED - 277, "updated": PROMPTED + 1500, "completed": None},
        "state": {
            "time": {"start": PROMPTED + 1026, "end": PROMPTED + 1026.5},
            "output": "took 1795955756926",
        },
        "properties": {"time": PROMPTED + 67},
        "start_ms": PROMPTED + 1026,
        "time_suspended": PROMPTED + 2000,
        "seed": PROMPTED,
        "timeout": {"start": 120000, "end": -1},
        "start": True,
    }
    assert names.value(tree) == {
        "title": "New session - CLOCK",
        "time": {"created": -0.277, "updated": 1.5, "completed": None},
        "state": {"time": {"start": 1.026, "end": 1.026}, "output": "took 1795955756926"},
        "properties": {"time": 0.067},
        "start_ms": 1026,
        "time_suspended": 2.0,
        "seed": PROMPTED,
        "timeout": {"start": 120000, "end": -1},
        "start": True,
    }


def test_a_slug_is_a_name_of_chance() -> None:
    tree = [{"slug": "calm-island"}, {"slug": "happy-eagle"}, {"slug": "calm-island"}, {"slug": ""}]
    assert Normaliser().value(tree) == [
        {"slug": "slug_1"},
        {"slug": "slug_2"},
        {"slug": "slug_1"},
        {"slug": ""},
    ]


def test_half_a_surrogate_pair_can_be_written_afterwards() -> None:
    clean = Normaliser().value({"\ud800": "x\udfffy", "ok": "\U0001f600"})
    assert json.dumps(clean, ensure_ascii=False).encode()
    assert isinstance(clean, dict)
    assert clean["ok"] == "\U0001f600"


def test_other_values_stay_and_containers_become_json() -> None:
    tree = {"a": (1, 2.5, None, True), "b": frozenset({"x"}), 3: "three"}
    assert Normaliser().value(tree) == {"a": [1, 2.5, None, True], "b": ["x"], "3": "three"}


def test_observations_and_outcomes() -> None:
    names = Normaliser().trial()
    names.add("/tmp/x/proj", "/project")
    seen = Observation(1.0, Lane.ASK, "permission.asked", SESSION, {"id": ASK, "patterns": ["/tmp/x/proj/*"]})
    (clean,) = names.observations([seen])
    assert clean == Observation(
        1.0, Lane.ASK, "permission.asked", "ses_1", {"id": "per_1", "patterns": ["/project/*"]}
    )
    outcome = ClaimOutcome("W101.x", Outcome.SYMPTOM, f"{ASK} waits", {"session": SESSION, "ms": 3})
    assert names.outcome(outcome) == ClaimOutcome(
        "W101.x", Outcome.SYMPTOM, "per_1 waits", {"session": "ses_1", "ms": 3}
    )


def test_many_threads_agree_on_one_name() -> None:
    names = Normaliser()
    start = threading.Barrier(8)

    def work(worker: int) -> set[str]:
        start.wait()
        names.add(f"/tmp/x/{worker}", f"/project{worker}")
        return {names.text(f"{SESSION} {OTHER}"[-30 if n % 2 else 0 :][:30]) for n in range(50)}

    with ThreadPoolExecutor(8) as pool:
        assert set.union(*pool.map(work, range(8))) == {"ses_1", "ses_2"}
    assert names.text("/tmp/x/3/a") == "/project3/a"


PIECES = st.sampled_from(
    [
        SESSION,
        OTHER,
        ASK,
        MESSAGE,
        CALL,
        "/tmp/x/proj",
        "tmp/x/proj",
        "%2Ftmp%2Fx%2Fproj",
        "40123",
        "s3cret-Pass",
        " ",
        "/",
        ":",
        "password=",
        "2026-11-29T12:35:55Z",
        "a",
        "\n",
        "é",
        "ses_1",
        "PASSWORD",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_normalising_twice_changes_nothing_more_and_nothing_variable_is_left(text: str) -> None:
    shared = Normaliser(origin_ms=PROMPTED)
    shared.add("/tmp/x/proj", "/project")
    shared.add("40123", "PORT")
    shared.secret("s3cret-Pass")
    once = shared.text(text)
    assert shared.text(once) == once
    for variable in ("/tmp/x", "s3cret-Pass"):
        assert variable not in once
