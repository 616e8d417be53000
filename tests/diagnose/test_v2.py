"""What is said of a V2 server's sessions and asks: its own words where V1's would be wrong."""

from dataclasses import replace

import pytest

from wedged.client.v2.dialect import Dialect
from wedged.client.v2.requests import request
from wedged.diagnose import asks_text, pending, what_became_of
from wedged.diagnose.activity import activities
from wedged.facts.activity import Waiting
from wedged.facts.ask import Ask, AskKind
from wedged.facts.process import ProcessFacts, Shell, Tree
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import MessageFacts, PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Gap, Scope, Snapshot, Window

DIRECTORY = "/project"
MODEL = MessageFacts("msg_2", True, False, 1, 1000)
SHELL = ToolPart(
    "call_1", "call_1", "msg_2", "ses_1", "shell", PartStatus.RUNNING, {"command": "sleep 9"}, start_ms=1000
)
BUSY = SessionFacts("ses_1", DIRECTORY, Status.BUSY, parts=(SHELL,), message_count=2, answers=1, newest=MODEL)
LISTED = Shell("sh_1", "ses_1", DIRECTORY, "sleep 9", "running", pid=7)
TREE = Tree(ProcessFacts(1, 0, 0.0, "opencode"))
LOOK = Snapshot(
    taken_ms=4000,
    source="http://127.0.0.1:4096",
    identity=ServerIdentity(Line.V2_RELEASED, "2.0.15"),
    scopes=(Scope(DIRECTORY), Scope("/other")),
    sessions=(BUSY,),
)


def judged(look: Snapshot) -> tuple[Waiting, str]:
    (one,) = activities(Window(look))
    return one.waiting, one.why


@pytest.mark.parametrize(
    ("look", "waiting", "why"),
    [
        (
            replace(LOOK, shells=(LISTED,)),
            Waiting.TOOL,
            "shell for 3 s: the server lists its shell sh_1 as running",
        ),
        (
            replace(LOOK, shells=(LISTED,), processes=TREE),
            Waiting.TOOL,
            "shell for 3 s: the server lists its shell sh_1 as running",
        ),
        (LOOK, Waiting.UNSEEN, "shell for 3 s; no list has a shell of it; no ask is pending"),
        (
            replace(LOOK, shells=(replace(LISTED, session_id="ses_2"),), processes=TREE),
            Waiting.UNSEEN,
            "shell for 3 s; no list has a shell of it; no ask is pending",
        ),
    ],
)
def test_a_shell_is_known_by_its_list(look: Snapshot, waiting: Waiting, why: str) -> None:
    assert judged(look) == (waiting, why)


PROMPT = MessageFacts("msg_1", False, False, 0, 1000)
STEP = MessageFacts("msg_2", True, True, 1, 1000, "tool-calls")


@pytest.mark.parametrize(
    ("newest", "begins"), [(PROMPT, "the prompt was stored"), (STEP, "its last step is")]
)
def test_a_model_that_has_not_begun(newest: MessageFacts, begins: str) -> None:
    waiting, why = judged(replace(LOOK, sessions=(replace(BUSY, parts=(), newest=newest),)))
    assert waiting is Waiting.UNSEEN
    assert why.startswith(begins)
    assert why.endswith("so a model that is slow to begin looks like this")


def test_a_prompt_that_was_taken_and_not_stored_is_no_failed_read() -> None:
    bare = replace(LOOK, sessions=(replace(BUSY, parts=(), newest=None, message_count=0),))
    assert judged(bare) == (Waiting.UNSEEN, "none of its messages is stored yet")
    unread = replace(bare, gaps=(Gap("session ses_1", "no answer"),))
    assert judged(unread) == (Waiting.UNSEEN, "its messages could not be read")


def test_a_call_that_the_model_writes() -> None:
    part = replace(SHELL, status=PartStatus.STREAMING, input={})
    assert judged(replace(LOOK, sessions=(replace(BUSY, parts=(part,)),))) == (
        Waiting.MODEL,
        "the model is writing a call to shell",
    )


FORM = Ask(
    "frm_1",
    AskKind.FORM,
    "ses_1",
    "question",
    (),
    "call_1",
    "msg_2",
    "/other",
    words="Which one? (left | right)",
    listed_by=("GET /api/form",),
)


def released(action: Action, target: Target) -> Request:
    return request(Dialect(Line.V2_RELEASED, "decision", "/api/form", "DELETE"), action, target)


def test_an_ask_of_another_location_is_answered_by_its_session() -> None:
    sentence = what_became_of("frm_1", replace(LOOK, asks=(FORM,))).sentence
    assert "A reply goes by its session (ses_1)" in sentence
    v1 = replace(LOOK, asks=(FORM,), identity=ServerIdentity(Line.V1, "1.18.34"))
    assert "without that directory is answered as if" in what_became_of("frm_1", v1).sentence


def test_a_form_is_shown_with_the_lines_that_end_and_answer_it() -> None:
    look = replace(LOOK, asks=(FORM,))
    text = asks_text(pending(look, released), look)
    assert "  question   Which one? (left | right)\n" in text
    assert "curl -X DELETE http://127.0.0.1:4096/api/session/ses_1/form/frm_1" in text
    assert '{"answer":{"q0":"label"}}' in text
    assert "--once" not in text


def test_an_ask_is_joined_to_the_call_of_its_own_message() -> None:
    """Some providers number the calls of each answer anew, so an id comes again."""
    old = replace(SHELL, message_id="msg_0", status=PartStatus.COMPLETED)
    asked = replace(FORM, id="per_1", kind=AskKind.PERMISSION)
    look = replace(LOOK, asks=(asked,), sessions=(replace(BUSY, parts=(old, SHELL)),))
    assert judged(look)[0] is Waiting.PERSON
