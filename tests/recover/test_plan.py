"""Which findings of a session are meant, and which of their steps a program may take."""

from dataclasses import replace

import pytest
from tests.diagnose.looks import ASK_ID, ask, look, session

from wedged.client.v1.requests import request
from wedged.diagnose import diagnose
from wedged.errors import Refused
from wedged.facts.finding import FindingStatus
from wedged.facts.snapshot import Window
from wedged.recover.plan import choose, left, plans, still

from .stale import OLDER, ORPHAN, STALE, beside, judged, planned


def test_a_plan_has_the_classs_steps_with_the_real_ids() -> None:
    diagnosis = diagnose(Window(look((ask(),), (session(),))), request=request)
    (plan,) = plans(diagnosis, "ses_1")
    assert [one.step.id for one in plan.steps] == [
        "reply-reject",
        "reply-reject-message",
        "abort",
        "reply-once",
    ]
    assert [one.step.id for one in plan.ours] == ["reply-reject", "reply-reject-message", "abort"]
    assert all(one.target.ask_id == ASK_ID for one in plan.steps)
    assert all(one.offer in plan.finding.recovery for one in plan.steps)
    assert plans(diagnosis, "ses_2") == ()
    assert plans(diagnosis, "ses_1", "W201") == plans(diagnosis, "ses_1", subject="per_2") == ()
    assert plans(diagnosis, "ses_1", "W101", ASK_ID) == (plan,)


def test_what_the_dialect_can_not_say_is_left_out_and_what_is_done_elsewhere_is_not() -> None:
    (plan,) = planned(STALE)
    assert [one.step.id for one in plan.steps] == ["settle-part", "delete-part", "delete-message"]
    (plan,) = planned(beside(OLDER))
    assert [(one.step.id, one.offer) for one in plan.steps] == [("ask-there", None), ("abort-there", None)]


def test_of_several_findings_none_is_taken() -> None:
    two = planned(replace(STALE, strays=(ORPHAN,)))
    with pytest.raises(Refused, match=r"2 findings match.* --code W201 or --code W203"):
        choose(two)
    same = diagnose(Window(look((ask(), ask("per_2")), (session(),))), request=request)
    with pytest.raises(Refused, match=f"--subject {ASK_ID} or --subject per_2"):
        choose(plans(same, "ses_1"))
    (only,) = planned(replace(STALE, strays=(ORPHAN,)), "W203")
    assert choose((only,)) is only


def test_what_is_past_is_not_there_any_more() -> None:
    diagnosis = judged(STALE)
    (finding,) = diagnosis.findings
    assert still(diagnosis, finding) == finding
    assert left(diagnosis, "ses_1") == (finding,)
    past = replace(diagnosis, findings=(replace(finding, status=FindingStatus.PAST),))
    assert still(past, finding) is None
    assert left(past, "ses_1") == ()
    assert plans(past, "ses_1") == ()
