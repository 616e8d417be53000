"""Ranking, exit codes, broken checks."""

from dataclasses import replace

from wedged.catalog import CLASSES
from wedged.client.v1.requests import request
from wedged.diagnose import diagnose, restrict
from wedged.facts.failure_class import Match
from wedged.facts.finding import Confidence, FindingStatus
from wedged.facts.session import Status
from wedged.facts.snapshot import Gap, Window

from .looks import ASK_ID, ask, look, session

STUCK = look((ask(),), (session(),))
GAP = Gap("statuses in /x", "no answer")


def test_exit_codes() -> None:
    assert diagnose(Window(look())).exit_code == 0
    assert diagnose(Window(look(sessions=(session(),)))).exit_code == 0, "a busy session is no finding"
    assert diagnose(Window(look(gaps=(GAP,)))).exit_code == 3
    assert diagnose(Window(STUCK)).exit_code == 1
    assert diagnose(Window(replace(STUCK, gaps=(GAP,)))).exit_code == 1
    assert diagnose(Window(STUCK), 1000).exit_code == 0
    assert diagnose(Window(STUCK)).exit_code_for(FindingStatus.STUCK) == 0
    assert diagnose(Window(STUCK)).exit_code_for(FindingStatus.WAITING_ON_YOU) == 1
    (finding,) = diagnose(Window(STUCK)).findings
    for status, code in ((FindingStatus.LATENT, 1), (FindingStatus.NOTICE, 0), (FindingStatus.PAST, 0)):
        made = diagnose(Window(STUCK))
        one = replace(made, findings=(replace(finding, status=status),))
        assert one.exit_code == code
        assert one.exit_code_for(FindingStatus.PAST) == 1


def test_the_worst_and_oldest_come_first() -> None:
    (one,) = diagnose(Window(STUCK)).findings
    ranked = [
        replace(one, id="a", status=FindingStatus.STUCK, confidence=Confidence.LOW),
        replace(one, id="b", age_s=500.0),
        replace(one, id="c", age_s=None),
        replace(one, id="d", confidence=Confidence.MEDIUM, age_s=900.0),
        replace(one, id="e", status=FindingStatus.PAST),
    ]
    shuffled = replace(CLASSES[0], match=lambda window, grace: Match(tuple(ranked[::-1])))
    found = diagnose(Window(STUCK), classes=(shuffled,)).findings
    assert [finding.id for finding in found] == ["a", "b", "c", "d", "e"]


def test_a_check_that_throws_hides_no_other() -> None:
    def broken(window: Window, grace: float) -> Match:
        raise KeyError("oops")

    made = diagnose(Window(STUCK), classes=(replace(CLASSES[0], code="W999", match=broken), *CLASSES))
    assert [finding.code for finding in made.findings] == ["W101"]
    assert [(gap.what, gap.why) for gap in made.unknown] == [
        ("check W999", "the check itself failed: KeyError: 'oops'")
    ]


def test_cures_carry_real_ids_and_only_what_the_dialect_has() -> None:
    (bare,) = diagnose(Window(STUCK)).findings
    assert bare.recovery == ()
    (finding,) = diagnose(Window(STUCK), request=request).findings
    assert [offer.id for offer in finding.recovery] == [
        "reply-reject",
        "reply-reject-message",
        "abort",
        "reply-once",
    ]
    assert finding.recovery[0].do == {
        "method": "POST",
        "path": f"/permission/{ASK_ID}/reply?directory=/project",
        "body": {"reply": "reject"},
    }
    assert not any(offer.safe_to_automate for offer in finding.recovery)
    assert finding.page == "classes/W101-ungated-external-ask.html"
    question = look((ask("que_2276041bc001q4W5JN3Rmg1FJy"),), (session(),))
    (asked,) = diagnose(Window(question), request=request).findings
    assert [offer.id for offer in asked.recovery] == ["question-reject", "question-abort"]


def test_one_session_and_its_sub_agents() -> None:
    sessions = (
        session("ses_2", parent="ses_1"),
        session("ses_1"),
        session("ses_3"),
        session("ses_4", Status.IDLE),
    )
    asks = tuple(ask(f"{ASK_ID[:-1]}{n}", f"ses_{n}") for n in (1, 2, 3, 4))
    made = restrict(diagnose(Window(look(asks, sessions, (GAP,)))), "ses_1")
    assert sorted(finding.session for finding in made.findings) == ["ses_1", "ses_2"]
    assert [(one.code, one.session) for one in made.considered] == [("W101", "ses_2")]
    assert made.unknown == (GAP,)
