"""What a step's effect lacks, step by step."""

from dataclasses import replace

import pytest

from wedged.facts.ask import Ask, AskKind
from wedged.facts.process import Shell
from wedged.facts.recovery import Action, Target
from wedged.facts.session import PartStatus, SessionFacts, Status
from wedged.recover.confirming import Afterwards, missing

from .stale import PART, SESSION

BUSY = replace(SESSION, status=Status.BUSY)
SETTLED = replace(SESSION, parts=(replace(PART, status=PartStatus.ERROR),))
EMPTY = replace(SESSION, parts=())
ASK = Ask("per_1", AskKind.PERMISSION, "ses_1", "bash", (), "call_1", "msg_1", "/project")
SHELL = Shell("sh_1", "ses_1", "/project", "sleep 9", "running")
TARGET = Target("ses_1", "/project", "per_1", shell_id="sh_1", part=PART)
WITHOUT_PART = replace(TARGET, part=None)
DECLINED = replace(TARGET, part=replace(PART, status=PartStatus.ERROR))


def after(
    session: SessionFacts = SETTLED, asks: tuple[Ask, ...] = (), shells: tuple[Shell, ...] = ()
) -> Afterwards:
    return Afterwards(session, asks, shells)


@pytest.mark.parametrize(
    ("action", "target", "before", "done"),
    [
        (Action.REPLY_REJECT, WITHOUT_PART, after(asks=(ASK,)), after()),
        (Action.REPLY_REJECT, WITHOUT_PART, after(BUSY), after()),
        (Action.REPLY_REJECT_MESSAGE, WITHOUT_PART, after(BUSY), after()),
        (Action.DISMISS_LEFTOVER, WITHOUT_PART, after(asks=(ASK,)), after(BUSY)),
        (Action.ABORT, WITHOUT_PART, after(BUSY), after(asks=(ASK,))),
        (Action.ABORT, TARGET, after(SESSION), after()),
        (Action.SETTLE_PART, TARGET, after(SESSION), after()),
        (Action.SETTLE_PART, TARGET, after(EMPTY), after()),
        (Action.DELETE_PART, TARGET, after(), after(EMPTY)),
        (Action.DELETE_MESSAGE, TARGET, after(), after(EMPTY)),
        (Action.PROMPT, TARGET, after(SESSION), after(replace(SETTLED, status=Status.BUSY))),
        (Action.PROMPT, WITHOUT_PART, after(BUSY), after(SESSION)),
        (Action.PROMPT, DECLINED, after(replace(SETTLED, status=Status.BUSY)), after()),
        (Action.END_SHELL, WITHOUT_PART, after(shells=(SHELL,)), after()),
        (Action.ASK_STATUS, TARGET, after(SESSION), after(BUSY)),
        (Action.LIST_ASKS, WITHOUT_PART, after(asks=(ASK,)), after()),
    ],
)
def test_a_step_is_confirmed_by_its_own_effect(
    action: Action, target: Target, before: Afterwards, done: Afterwards
) -> None:
    assert missing(action, target, before)
    assert missing(action, target, done) == ""
