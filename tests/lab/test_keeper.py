"""The keeper starts, ends and tells how things ended, with real processes."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from wedged.errors import KeeperGone, LabError
from wedged.facts.process import ProcessFacts
from wedged.lab.keeper import Ended, Keeper
from wedged.lab.process_tree import is_running
from wedged.waiting import wait_for

from .shells import DEAF, ESCAPED, gone

Shell = Callable[[str], ProcessFacts]


def grown(keeper: Keeper, process: ProcessFacts, size: int) -> tuple[ProcessFacts, ...]:
    return wait_for(
        lambda: family if len(family := keeper.family(process)) >= size else None, f"{size} processes", 10
    )


def test_it_is_small(keeper: Keeper, shell: Shell) -> None:
    grown(keeper, shell("sleep 60 & sleep 60 & wait"), 3)
    assert keeper.memory() < 20 * 2**20


def test_a_home_is_private_marked_and_goes_when_dropped(keeper: Keeper) -> None:
    home = keeper.make_home("V1 @ trial")
    assert home.name.startswith("wedged-v1-trial-")
    assert home.stat().st_mode & 0o777 == 0o700
    keeper.drop_home(home)
    assert not home.exists()


def test_only_its_own_homes_are_dropped(keeper: Keeper, tmp_path: Path) -> None:
    with pytest.raises(LabError, match="not a home of this lab"):
        keeper.drop_home(tmp_path)
    assert tmp_path.exists()


def test_closing_ends_every_descendant_and_removes_every_home(
    keeper: Keeper, shell: Shell, state: Path
) -> None:
    home = keeper.make_home("closing")
    family = grown(keeper, shell(f"{ESCAPED} {ESCAPED} setsid sleep 60 & {DEAF}"), 7)
    keeper.close()
    assert [each for each in family if is_running(each)] == []
    assert not home.exists()
    assert list(state.glob("keepers/*.json")) == []
    assert gone(keeper.pid)


def test_closing_twice_is_fine_and_asking_then_is_an_error(keeper: Keeper) -> None:
    keeper.close()
    keeper.close()
    with pytest.raises(KeeperGone, match="closed"):
        keeper.make_home("late")


def test_how_a_process_ended_is_known_after_it_ended(keeper: Keeper, shell: Shell) -> None:
    process = shell("exit 7")
    assert wait_for(lambda: keeper.ended(process), "the end", 10) == Ended(7, None)
    assert keeper.terminate(process) == Ended(7, None)


def test_terminate_asks_first(keeper: Keeper, shell: Shell) -> None:
    assert keeper.terminate(shell("exec sleep 60")) == Ended(None, signal.SIGTERM)


def test_terminate_kills_what_does_not_listen(keeper: Keeper, shell: Shell) -> None:
    process = shell(DEAF)
    grown(keeper, process, 2)
    assert keeper.terminate(process, 0.2) == Ended(None, signal.SIGKILL, forced=True)


def test_kill_leaves_the_children_and_they_stay_in_the_family(keeper: Keeper, shell: Shell) -> None:
    process = shell(f"{ESCAPED} sleep 60")
    before = grown(keeper, process, 4)
    assert keeper.kill(process) == Ended(None, signal.SIGKILL)
    left = keeper.family(process)
    assert {each.pid for each in left} >= {each.pid for each in before if each.name != "sleep"} - {
        process.pid
    }
    assert keeper.pid in {each.parent for each in left}


def test_end_tree_ends_one_familys_orphans_and_no_other_family(keeper: Keeper, shell: Shell) -> None:
    first, second = shell(f"{ESCAPED} {DEAF}"), shell(f"{ESCAPED} sleep 60")
    grown(keeper, first, 4)
    grown(keeper, second, 4)
    keeper.kill(first)
    keeper.kill(second)
    assert keeper.end_tree(first, 0.2) > 0
    assert keeper.family(first) == ()
    assert len(keeper.family(second)) >= 2


def test_what_forks_faster_than_it_can_be_seen_is_ended(keeper: Keeper, shell: Shell, tmp_path: Path) -> None:
    chain = tmp_path / "chain.py"
    # Each process lives for less than a millisecond and leaves one child; the beat proves that it runs.
    # Should this test itself be killed, the chain ends with its folder, or after a minute or so.
    chain.write_text(
        "import os, signal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"beat = os.open({str(tmp_path / 'beat')!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND)\n"
        "os.setsid() if os.fork() == 0 else os._exit(0)\n"
        "for _ in range(100_000):\n"
        "    if not os.path.exists(__file__): os._exit(0)\n"
        "    os.write(beat, b'.')\n"
        "    if os.fork():\n"
        "        os._exit(0)\n"
    )
    process = shell(f"exec python3 {chain}")
    beat = tmp_path / "beat"

    def beats() -> int:
        return beat.stat().st_size if beat.exists() else 0

    wait_for(lambda: beats() > 100, "a chain of a hundred processes", 20)
    keeper.end_tree(process, 0.2)
    ended_at = beats()
    keeper.close()
    assert beats() == ended_at


def test_a_program_that_is_not_there_is_one_clear_error_without_its_environment(
    keeper: Keeper, tmp_path: Path
) -> None:
    env = {"SECRET": "swordfish"}
    with pytest.raises(LabError, match="/no/such/program") as caught:
        keeper.spawn(["/no/such/program"], env=env, cwd=tmp_path, log=tmp_path / "log")
    assert "swordfish" not in str(caught.value)
    assert keeper.make_home("still").exists()  # and the keeper goes on


def test_the_environment_reaches_the_server_and_nothing_else(
    keeper: Keeper, tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = {"SECRET": "swordfish", "PATH": os.environ["PATH"]}
    monkeypatch.setenv("LAB_SECRET", "from the lab")
    process = keeper.spawn(["sleep", "60"], env=env, cwd=tmp_path, log=tmp_path / "log")
    theirs = wait_for(psutil.Process(process.pid).environ, "the program to run", 10)
    assert theirs == env | {"WEDGED_LAB": keeper.lab_id, "WEDGED_SERVER": "1"}
    written = "".join(path.read_text() for path in state.rglob("*") if path.is_file())
    shown = " ".join(psutil.Process(keeper.pid).cmdline()) + str(psutil.Process(keeper.pid).environ())
    assert "swordfish" not in written + shown + (tmp_path / "log").read_text()


def test_signals_meant_for_the_lab_do_not_end_the_keeper_and_are_not_ignored_by_servers(
    keeper: Keeper, shell: Shell
) -> None:
    process = shell("exec sleep 60")
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        os.kill(keeper.pid, number)
    assert keeper.ended(process) is None
    os.kill(process.pid, signal.SIGHUP)
    assert wait_for(lambda: keeper.ended(process), "the end", 10) == Ended(None, signal.SIGHUP)


def test_a_process_of_somebody_else_is_not_taken_for_ones_own(keeper: Keeper) -> None:
    me = ProcessFacts(os.getpid(), os.getppid(), 0.0, "python")
    with pytest.raises(LabError, match="not started by this keeper"):
        keeper.kill(me)


def test_an_interrupted_question_does_not_shift_the_answers(
    keeper: Keeper, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = shell("exit 7")
    wait_for(lambda: keeper.ended(process), "the end", 10)

    def interrupted(*_: object) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(keeper._pipe, "_line", interrupted)
        with pytest.raises(KeyboardInterrupt):
            keeper.make_home("interrupted")
    assert keeper.ended(process) == Ended(7, None)


def test_a_terminated_keeper_cleans_up_like_a_closed_one(keeper: Keeper, shell: Shell) -> None:
    home = keeper.make_home("terminated")
    family = grown(keeper, shell(f"{ESCAPED} sleep 60"), 4)
    os.kill(keeper.pid, signal.SIGTERM)
    wait_for(lambda: gone(keeper.pid), "the keeper to end", 20)
    with pytest.raises(KeeperGone):
        keeper.make_home("late")
    assert [each for each in family if is_running(each)] == []
    assert not home.exists()


def test_when_the_keeper_is_killed_the_next_call_says_so_and_closing_cleans_up(
    keeper: Keeper, shell: Shell, state: Path
) -> None:
    home = keeper.make_home("orphaned")
    process = shell(f"{ESCAPED} {DEAF}")
    family = grown(keeper, process, 4)
    # A shell that has shed every mark is known by the journal, which learns of it within a second.
    wait_for(lambda: journalled(state) >= {each.pid for each in family if each.name == "sh"}, "a look", 10)
    os.kill(keeper.pid, signal.SIGKILL)
    with pytest.raises(KeeperGone, match="the keeper is gone"):
        keeper.ended(process)
    assert is_running(process)
    keeper.close()
    assert [each for each in family if is_running(each)] == []
    assert not home.exists()
    assert list(state.glob("keepers/*.json")) == []


def journalled(state: Path) -> set[int]:
    from wedged.lab.journal import Journal

    (path,) = state.glob("keepers/*.json")
    return {pid for pid, _ in Journal.read(path).processes}
