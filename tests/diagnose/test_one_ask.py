"""What became of one ask: live, another directory's, a leftover, gone, or not known."""

from dataclasses import replace

import pytest

from wedged.client.v1.requests import request
from wedged.diagnose import AskVerdict, diagnose, inquire, pending, report_json, report_text, what_became_of
from wedged.facts.session import Status
from wedged.facts.snapshot import Gap, Scope, Snapshot, Window

from .looks import ASK_ID, SCOPE, ask, look, session

LIVE = look((ask(),), (session(),))
THERE = replace(LIVE, scopes=(Scope("/own"), SCOPE))


@pytest.mark.parametrize(
    ("seen", "verdict", "words", "code"),
    [
        (LIVE, AskVerdict.LIVE, "is live: its call waits", 1),
        (THERE, AskVerdict.ANOTHER_DIRECTORY, "belongs to /project", 1),
        (look((ask(),), (session(status=Status.IDLE),)), AskVerdict.LEFTOVER, "its session is idle", 0),
        (look(), AskVerdict.GONE, "/project does not list it", 0),
        (look(sessions=(replace(session(), directory="/b"),)), AskVerdict.GONE, "in 1 more", 0),
        (look(gaps=(Gap("asks in /project", "x"),)), AskVerdict.UNKNOWN, "not everything could be", 3),
        (look((ask(),)), AskVerdict.UNKNOWN, "its session could not be read", 3),
    ],
)
def test_verdicts(seen: Snapshot, verdict: AskVerdict, words: str, code: int) -> None:
    answer = what_became_of(ASK_ID, seen)
    assert (answer.verdict, answer.age_s) == (verdict, 120)
    assert words in answer.sentence
    assert "asked 2 min ago" in answer.sentence
    assert inquire(diagnose(Window(seen), 0), ASK_ID).exit_code == code


def test_an_id_that_carries_no_time() -> None:
    answer = what_became_of("per_x", look())
    assert (answer.verdict, answer.age_s, "ago" in answer.sentence) == (AskVerdict.GONE, None, False)


def test_the_reports_are_about_this_ask_alone() -> None:
    other = f"{ASK_ID[:-1]}z"
    seen = look((ask(), ask(other, "ses_2")), (session(), session("ses_2")))
    made = inquire(diagnose(Window(seen), 0, request=request), ASK_ID)
    assert [finding.subject.id for finding in made.findings] == [ASK_ID]
    text = report_text(made)
    assert text.splitlines()[2].startswith(f"LIVE: {ASK_ID} is live")
    assert other not in text
    assert f'"ask":{{"id":"{ASK_ID}","verdict":"live"' in report_json(made)


def test_pending_asks_come_oldest_first_and_leftovers_last() -> None:
    older = "per_2276041bb001q4W5JN3Rmg1FJy"
    asks = (ask(session_id="ses_2"), ask(f"{ASK_ID[:-1]}a"), ask(older, "ses_3"))
    sessions = (session(), session("ses_2", Status.IDLE), session("ses_3", parent="ses_0"))
    found = pending(look(asks, sessions), request)
    assert [one.ask.session_id for one in found] == ["ses_3", "ses_1", "ses_2"]
    assert found[0].parent == "ses_0"
    assert [name for name, _ in found[0].answers] == ["reject", "once"]
    assert all(
        sent.body in ({"reply": "reject"}, {"reply": "once"}) for one in found for _, sent in one.answers
    )


def test_what_an_ask_is_about() -> None:
    (with_command,) = pending(LIVE, request)
    assert with_command.about.startswith("mkdir -p /outside/a")
    part = replace(session().parts[0], tool="write", input={"filePath": "/o/x", "content": "é" * 5000})
    bare = replace(ask(), command="")
    (written,) = pending(look((bare,), (replace(session(), parts=(part,)),)), request)
    assert written.about.startswith('write {"filePath": "/o/x", "content": "éé')
    assert written.about.endswith(" characters)")
    (unread,) = pending(look((bare,)), request)
    assert unread.about == ""
