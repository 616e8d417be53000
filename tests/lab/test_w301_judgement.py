"""W301's judgement: the symptom and its opposite each need their own witness, and neither is absence."""

from dataclasses import replace

import pytest

from wedged.catalog.w301_invisible_background_shell import CLASS
from wedged.diagnose import Diagnosis, diagnose
from wedged.facts.process import ProcessFacts, Shell
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Snapshot, Window
from wedged.facts.trial import ClaimOutcome, Outcome
from wedged.lab.scenarios import w301_family_judgement as families
from wedged.lab.scenarios import w301_judgement as judge
from wedged.lab.scenarios import w301_restart_judgement as restarts
from wedged.lab.scenarios.w301_sight import Sight, carries

NAME, KID = "w301-trigger-1", "w301-trigger-1-kid"
SYMPTOM, HEALED, UNCLEAR = Outcome.SYMPTOM, Outcome.HEALED, Outcome.UNCLEAR


def shell(name: str, session: str = "ses_1", **more: object) -> Shell:
    made = Shell(f"sh_{name}", session, "/project", f"sleep 590; : {name}", "running", pid=40)
    return replace(made, **more)  # type: ignore[arg-type]


def process(name: str) -> ProcessFacts:
    return ProcessFacts(40, 30, 1.0, "bash", ("bash", "-c", f"sleep 590; : {name}"))


CALL = ToolPart(
    "call_1",
    "call_1",
    "msg_1",
    "ses_1",
    "shell",
    PartStatus.COMPLETED,
    {"command": f"sleep 590; : {NAME}", "background": True},
    output="The command was moved to the background.",
)
SESSION = SessionFacts("ses_1", "/project", Status.IDLE, parts=(CALL,))
CHILD = SessionFacts("ses_kid", "/project", Status.UNKNOWN, parent_id="ses_1")
UP = Sight(1.0, NAME, SESSION, (), (shell(NAME),), (process(NAME),), (process(NAME),), 2)
GONE = replace(UP, shells=(), below=(), family=())
ORPHAN = replace(UP, shells=(), below=())
GHOST = replace(UP, below=(), family=())
BUSY = replace(UP, session=replace(SESSION, status=Status.BUSY))


def kinds(outcomes: tuple[ClaimOutcome, ...]) -> dict[str, Outcome]:
    return {one.claim.removeprefix("W301."): one.outcome for one in outcomes}


def no_diagnosis() -> Diagnosis:
    return diagnose(Window(Snapshot(1, "", ServerIdentity(Line.V2_RELEASED, "x"))), classes=(CLASS,))


def beside(naive: int = 0, right: tuple[str, ...] = (f"sh_{NAME}",)) -> judge.Beside:
    rosters = judge.Rosters(naive, len(right), right)
    return judge.Beside(rosters, 0.01, no_diagnosis(), (f"sh_{NAME}",))


def test_a_name_is_the_last_word_of_its_own_command_only() -> None:
    assert carries("w301-trigger-1", "sleep 590; : w301-trigger-1")
    assert not carries("w301-trigger-1", "sleep 590; : w301-trigger-10")
    assert not carries("w301-trigger-1", "sleep 590; : w301-trigger-1-kid")
    assert not carries("trigger-1", "sleep 590; : w301-trigger-1")


def test_the_state_itself() -> None:
    found = kinds(judge.trigger(UP, "call_1", 2.0, beside()))
    assert found.pop("doctor-notices-it") is HEALED  # this diagnosis saw nothing
    assert set(found.values()) == {SYMPTOM}


@pytest.mark.parametrize(
    ("look", "expected"),
    [
        (GONE, HEALED),  # the server ended it with its turn
        (replace(BUSY, session=replace(SESSION, status=Status.BUSY, parts=())), HEALED),  # turn kept open
        (BUSY, UNCLEAR),  # completed, and the turn not yet over
        (GHOST, UNCLEAR),
        (ORPHAN, UNCLEAR),
        (replace(UP, session=None), UNCLEAR),
    ],
)
def test_whether_it_runs_on(look: Sight, expected: Outcome) -> None:
    assert kinds(judge.trigger(look, "call_1", 2.0, beside()))["runs-on"] is expected


def test_a_client_is_judged_only_while_the_shell_runs() -> None:
    seen = kinds(judge.trigger(UP, "call_1", 2.0, beside(naive=1, right=())))
    assert seen["naive-roster-misses-it"] is seen["right-roster-has-it"] is HEALED
    over = kinds(judge.trigger(GONE, "call_1", 2.0, beside(naive=0, right=())))
    assert over["naive-roster-misses-it"] is over["right-roster-has-it"] is UNCLEAR
    slow = replace(beside(), waited_s=None)
    assert kinds(judge.trigger(UP, "call_1", 2.0, slow))["wait-answers"] is HEALED


def test_the_control_needs_its_call_and_its_end() -> None:
    done = replace(GONE, name=NAME)
    assert kinds(judge.control(done, "call_1", 0.5))["control-settles"] is SYMPTOM
    assert kinds(judge.control(done, "call_1", None))["control-settles"] is UNCLEAR
    assert kinds(judge.control(done, "call_2", 0.5))["control-settles"] is UNCLEAR
    assert kinds(judge.control(UP, "call_1", 0.5))["control-settles"] is HEALED


@pytest.mark.parametrize(
    ("look", "told", "ends", "wakes"),
    [
        (GONE, f'<shell state="error" command="sleep 590; : {NAME}">', SYMPTOM, SYMPTOM),
        (GONE, "", SYMPTOM, HEALED),
        (GONE, "Go on.", SYMPTOM, UNCLEAR),
        (UP, "", HEALED, UNCLEAR),
        (GHOST, "", UNCLEAR, UNCLEAR),
    ],
)
def test_ending_it(look: Sight, told: str, ends: Outcome, wakes: Outcome) -> None:
    found = kinds(judge.end_shell(look, told, 0.2))
    assert found == {"end-shell-ends-it": ends, "ending-it-wakes-the-session": wakes}


def test_a_killed_shell() -> None:
    completed = f'<shell state="completed" command="sleep 590; : {NAME}">'
    error = completed.replace("completed", "error")
    keys = ("killed-looks-fine", "killed-stays-listed", "ending-a-ghost-tells")

    def seen(look: Sight, told: str, after: Sight | None = None, told_after: str = "") -> list[Outcome]:
        found = kinds(judge.killed(look, judge.Killed(told, after, told_after)))
        return [found[key] for key in keys]

    assert seen(GHOST, "", GONE, error) == [SYMPTOM, SYMPTOM, SYMPTOM]
    assert seen(GHOST, "", GHOST, "") == [SYMPTOM, SYMPTOM, UNCLEAR]
    assert seen(GONE, completed) == [SYMPTOM, HEALED, HEALED]
    assert seen(GONE, error) == [HEALED, HEALED, HEALED]
    assert seen(UP, "") == [UNCLEAR] * 3  # it was not killed
    assert seen(GONE, "") == [UNCLEAR] * 3  # neither listed nor told


def test_a_deleted_session() -> None:
    left = replace(UP, session=None)
    keys = ("deleting-the-session-leaves-it", "ending-an-ownerless-shell-wakes-nobody")

    def seen(look: Sight, after: Sight, woken: bool) -> list[Outcome]:
        return [kinds(judge.deleted(look, after, woken))[key] for key in keys]

    assert seen(left, replace(GONE, session=None), False) == [SYMPTOM, SYMPTOM]
    assert seen(left, replace(GONE, session=None), True) == [SYMPTOM, HEALED]
    assert seen(left, left, False) == [SYMPTOM, UNCLEAR]
    assert seen(replace(GONE, session=None), GONE, False) == [HEALED, UNCLEAR]
    assert seen(UP, GONE, False) == [UNCLEAR, UNCLEAR]  # the session is still there


def family(look: Sight = UP) -> Sight:
    return replace(
        look,
        children=(CHILD,),
        shells=tuple(shell(KID, "ses_kid") for _ in look.shells),
        below=tuple(process(KID) for _ in look.below),
        family=tuple(process(KID) for _ in look.family),
    )


def test_a_sub_agents_shell() -> None:
    right = judge.Rosters(0, 1, (f"sh_{KID}",))
    found = kinds(families.sub_agent(family(), KID, "call_1", right, family()))
    assert set(found.values()) == {SYMPTOM}
    strange = replace(family(), children=())
    assert kinds(families.sub_agent(strange, KID, "call_1", right, strange))["attributed-to-the-parent"] is (
        HEALED
    )
    better = judge.Rosters(1, 0)
    found = kinds(families.sub_agent(family(), KID, "call_1", better, family(GONE)))
    assert found["naive-roster-drops-the-sub-agent"] is found["attributed-to-the-parent"] is HEALED
    assert found["interrupting-the-parent-leaves-it"] is HEALED


@pytest.mark.parametrize(
    ("below", "above", "messages", "expected"),
    [
        (f"<shell : {KID}", "", 0, SYMPTOM),
        (f"<shell : {KID}", "<subagent", 1, HEALED),
        (f"<shell : {KID}", "", 1, HEALED),
        ("", "", 0, UNCLEAR),
    ],
)
def test_who_is_told_of_its_end(below: str, above: str, messages: int, expected: Outcome) -> None:
    found = kinds(families.sub_agent_end(family(GONE), KID, below, above, messages))
    assert found["sub-agents-notice-stays-below"] is expected


def test_what_no_list_has() -> None:
    left = "w301-trigger-1-left"
    alive = replace(GONE, family=(process(left),))
    assert kinds(families.nohup(alive, left))["nohup-in-no-list"] is SYMPTOM
    assert kinds(families.nohup(replace(alive, below=(process(left),)), left))["nohup-in-no-list"] is HEALED
    assert kinds(families.nohup(GONE, left))["nohup-in-no-list"] is UNCLEAR
    assert kinds(families.runner("r", True, (), True))["runner-in-no-list"] is SYMPTOM
    assert kinds(families.runner("r", True, (), False))["runner-in-no-list"] is UNCLEAR
    assert kinds(families.runner("r", True, (shell("r"),), True))["runner-in-no-list"] is HEALED
    assert kinds(families.runner("r", False, (), True))["runner-in-no-list"] is UNCLEAR


def test_a_location_that_goes() -> None:
    told = f'<shell state="error" command="sleep 590; : {NAME}">'

    def seen(look: Sight, words: str) -> list[Outcome]:
        return list(kinds(families.location_gone(look, "", words, ended="ends", silent="silent")).values())

    assert seen(GONE, "Go on.") == [SYMPTOM, SYMPTOM]
    assert seen(GONE, told) == [SYMPTOM, HEALED]
    assert seen(GONE, "") == [SYMPTOM, UNCLEAR]  # the model was not asked
    assert seen(UP, "Go on.") == [HEALED, UNCLEAR]
    one = families.location_gone(GONE, "", "Go on.", ended="one", silent="one")
    assert kinds(one) == {"one": SYMPTOM}


NAMES = restarts.Names("fate", "untold", "parent", "woken", "group", "cancelled")
NOTICE = f'<shell state="cancelled" command="sleep 590; : {NAME}">\nCommand cancelled'


def after(look: Sight, words: str, woken: str = "", wrote: str = "143") -> restarts.Aftermath:
    return restarts.Aftermath(look, woken, words, KID, "left", wrote)


def test_a_restart_by_sigterm() -> None:
    found = kinds(restarts.by_sigterm(after(GONE, "Go on."), NAMES))
    assert [found[key] for key in ("fate", "untold", "parent", "woken")] == [SYMPTOM] * 4
    told = kinds(restarts.by_sigterm(after(GONE, NOTICE), NAMES))
    assert (told["untold"], told["parent"], told["woken"]) == (HEALED, SYMPTOM, SYMPTOM)
    woken = kinds(restarts.by_sigterm(after(GONE, "Go on.", woken=NOTICE), NAMES))
    assert (woken["untold"], woken["parent"], woken["woken"]) == (HEALED, UNCLEAR, HEALED)
    assert kinds(restarts.by_sigterm(after(ORPHAN, "Go on."), NAMES))["fate"] is HEALED
    assert kinds(restarts.by_sigterm(after(GONE, "Go on.", wrote=""), NAMES))["fate"] is UNCLEAR
    silent = kinds(restarts.by_sigterm(after(GONE, ""), NAMES))
    assert (silent["untold"], silent["parent"]) == (UNCLEAR, UNCLEAR)


def test_a_crash() -> None:
    found = kinds(restarts.by_sigkill(after(ORPHAN, "Go on."), NAMES))
    assert (found["fate"], found["untold"], found["cancelled"]) == (SYMPTOM, SYMPTOM, HEALED)
    said = kinds(restarts.by_sigkill(after(ORPHAN, NOTICE), NAMES))
    assert (said["untold"], said["cancelled"]) == (HEALED, SYMPTOM)
    ended = kinds(restarts.by_sigkill(after(GONE, NOTICE), NAMES))
    assert (ended["fate"], ended["cancelled"]) == (HEALED, UNCLEAR)


@pytest.mark.parametrize(
    ("recorded", "words", "expected"),
    [
        (("sh_1", "sh_2"), "lost: sh_1, sh_2", SYMPTOM),
        (("sh_1",), "lost: sh_1, sh_2", HEALED),
        (("sh_1", "sh_2"), "lost: sh_1", HEALED),
        (("sh_1", "sh_2"), "", UNCLEAR),
    ],
)
def test_a_client_that_kept_its_roster(recorded: tuple[str, ...], words: str, expected: Outcome) -> None:
    found = kinds(restarts.right_client(("sh_1", "sh_2"), recorded, words))
    assert found["recovery-text-reaches-the-model"] is expected
    assert set(kinds(restarts.right_client((), (), "x")).values()) == {UNCLEAR}


def test_routes_without_a_location() -> None:
    keys = ("service-bare-list-hides-it", "service-bare-delete-misses-it", "bare-delete-answers-204")

    def seen(listed: bool, status: int, later: Sight) -> list[Outcome]:
        return [kinds(restarts.bare_routes(UP, listed, status, later))[key] for key in keys]

    assert seen(False, 204, UP) == [SYMPTOM, SYMPTOM, SYMPTOM]
    assert seen(False, 404, UP) == [SYMPTOM, SYMPTOM, HEALED]
    assert seen(True, 204, GONE) == [HEALED, HEALED, UNCLEAR]
