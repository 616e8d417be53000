"""When lab and keeper die together, the next start cleans up, and touches nothing else."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from wedged.lab import home_folder, process_table
from wedged.lab.journal import Journal, folder
from wedged.lab.keeper import Keeper, sweep
from wedged.waiting import wait_for

from .shells import DEAF, gone, said
from .test_keeper_and_dead_lab import FULL, Lab

DEAD = (2**22 + 1, 1)  # beyond the largest pid that Linux gives


def killed_with_its_keeper(process: "subprocess.Popen[str]") -> tuple[Path, list[int]]:
    keeper, home, *family = said(process)
    process.kill()
    os.kill(int(keeper), signal.SIGKILL)
    process.wait()
    wait_for(lambda: gone(int(keeper)), "the keeper to end", 10)
    return Path(home), [int(pid) for pid in family]


def write(homes: tuple[Path, ...], temp: Path, **changes: object) -> Path:
    path = folder() / "abc123.json"
    journal = Journal("abc123", process_table.boot_id(), DEAD, DEAD, temp, homes)
    journal._replace(**changes).write(path)  # type: ignore[arg-type]
    return path


def test_the_next_start_ends_and_removes_what_the_journal_names(lab: Lab, state: Path) -> None:
    # The escaped shell is told apart by nothing but the journal, which learns of it within a second.
    looked = (
        "from wedged.lab.journal import Journal, folder\n"
        "journal = folder() / f'{keeper.lab_id}.json'\n"
        "wait_for(lambda: len(Journal.read(journal).processes) >= 5, 'a look', 20)\n"
    )
    process = lab(FULL.replace("tell(", looked + "tell(") + "signal.pause()")
    home, family = killed_with_its_keeper(process)
    assert home.exists()
    assert not all(gone(pid) for pid in family)
    with Keeper.start() as keeper:
        assert all(gone(pid) for pid in family)
        assert not home.exists()
        assert any("removed folder" in sentence for sentence in keeper.swept)
        assert any("ended process" in sentence for sentence in keeper.swept)
    assert list(state.glob("keepers/*.json")) == []


def test_a_start_killed_at_once_is_swept_by_mark_and_working_folder(lab: Lab) -> None:
    process = lab(f"one = shell({DEAF!r})\ntell(keeper.pid, home, one.pid)\nsignal.pause()")
    home, family = killed_with_its_keeper(process)
    sweep()
    assert all(gone(pid) for pid in family)
    assert not home.exists()


def test_a_living_lab_is_left_alone(lab: Lab) -> None:
    process = lab(FULL + "signal.pause()")
    keeper, home, *family = said(process)
    assert sweep() == ()
    assert not any(gone(int(pid)) for pid in (keeper, *family))
    assert Path(home).exists()


def test_a_living_lab_whose_keeper_died_is_left_to_itself(lab: Lab) -> None:
    process = lab(FULL + "signal.pause()")
    keeper, home, *_ = said(process)
    os.kill(int(keeper), signal.SIGKILL)
    wait_for(lambda: gone(int(keeper)), "the keeper to end", 10)
    assert sweep() == ()
    assert Path(home).exists()
    process.kill()
    process.wait()
    sweep()
    assert not Path(home).exists()


def test_while_another_process_sweeps_nothing_is_done(state: Path, tmp_path: Path) -> None:
    home = tmp_path / "wedged-x-0123456789ab"
    home_folder.make(home, "abc123")
    write((home,), tmp_path)
    with FileLock(folder() / "sweep.lock"):
        assert sweep() == ("another process is sweeping; left to it",)
    assert home.exists()
    assert sweep() == ("removed folder wedged-x-0123456789ab of a lab that died",)
    assert not home.exists()


def test_a_journal_of_another_boot_names_no_processes(state: Path, tmp_path: Path) -> None:
    bystander = subprocess.Popen(["sleep", "60"], cwd=tmp_path)
    try:
        seen = process_table.look(bystander.pid)
        assert seen
        path = write((), tmp_path, boot="an earlier one", processes=(seen.key,))
        assert sweep() == ()
        assert bystander.poll() is None
        assert not path.exists()
    finally:
        bystander.kill()
        bystander.wait()


def test_a_pid_that_was_given_to_another_process_is_not_touched(state: Path, tmp_path: Path) -> None:
    bystander = subprocess.Popen(["sleep", "60"], cwd="/")
    try:
        seen = process_table.look(bystander.pid)
        assert seen
        write((), tmp_path, processes=((seen.pid, seen.start - 1),))
        assert sweep() == ()
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_person_who_looks_into_the_home_is_not_ended(state: Path, tmp_path: Path) -> None:
    home = tmp_path / "wedged-x-0123456789ab"
    home_folder.make(home, "abc123")
    write((home,), tmp_path)
    master, slave = os.openpty()
    # With a terminal of its own, as a person's shell has; beside it one without, as a server's shell is.
    person = subprocess.Popen(["setsid", "--ctty", "sleep", "60"], stdin=slave, cwd=home)
    left = subprocess.Popen(["setsid", "sleep", "60"], cwd=home)
    try:
        wait_for(lambda: (p := process_table.look(person.pid)) and p.terminal, "a terminal", 10)
        sweep()
        assert left.wait(10) == -signal.SIGTERM
        assert person.poll() is None
    finally:
        for process in (person, left):
            process.kill()
            process.wait()
        os.close(master)
        os.close(slave)


def unmarked(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    (home / "precious").touch()


def of_another_lab(home: Path, tmp_path: Path) -> None:
    home_folder.make(home, "another")


def marked_by_a_symlink(home: Path, tmp_path: Path) -> None:
    unmarked(home, tmp_path)
    (tmp_path / "mark").write_text("abc123")
    (home / home_folder.MARK).symlink_to(tmp_path / "mark")


def itself_a_symlink(home: Path, tmp_path: Path) -> None:
    home_folder.make(tmp_path / "real", "abc123")
    home.symlink_to(tmp_path / "real")


def of_another_user(home: Path, tmp_path: Path) -> None:
    home_folder.make(home, "abc123")
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(home, 12345, -1)


@pytest.mark.parametrize(
    "make", [unmarked, of_another_lab, marked_by_a_symlink, itself_a_symlink, of_another_user]
)
def test_a_folder_that_is_not_ours_stays(
    make: Callable[[Path, Path], None], state: Path, tmp_path: Path
) -> None:
    home = tmp_path / "wedged-x-0123456789ab"
    make(home, tmp_path)
    path = write((home,), tmp_path)
    (sentence,) = sweep()
    assert sentence.startswith("folder wedged-x-0123456789ab is left: ")
    assert os.path.lexists(home)
    assert not path.exists()


@pytest.mark.parametrize("name", ["documents", "wedged-x", "wedged-x-0123456789ab/../documents"])
def test_a_name_that_no_lab_gives_stays(name: str, state: Path, tmp_path: Path) -> None:
    home_folder.make(tmp_path / "documents", "abc123")
    (tmp_path / "wedged-x").mkdir()
    write((tmp_path / name,), tmp_path)
    (sentence,) = sweep()
    assert "its name is not one that a lab gives" in sentence
    assert (tmp_path / "documents").exists()


def test_a_symlink_in_a_home_is_removed_not_followed(state: Path, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "precious").touch()
    home = tmp_path / "wedged-x-0123456789ab"
    home_folder.make(home, "abc123")
    (home / "inner").mkdir()
    (home / "top").symlink_to(tmp_path / "documents")
    (home / "inner" / "below").symlink_to(tmp_path / "documents")
    write((home,), tmp_path)
    sweep()
    assert not home.exists()
    assert (tmp_path / "documents" / "precious").exists()


def test_a_home_without_write_bits_is_removed(state: Path, tmp_path: Path) -> None:
    home = tmp_path / "wedged-x-0123456789ab"
    home_folder.make(home, "abc123")
    (home / "locked" / "inner").mkdir(parents=True)
    (home / "locked" / "inner" / "file").touch()
    (home / "locked" / "inner").chmod(0o500)
    (home / "locked").chmod(0o000)
    write((home,), tmp_path)
    sweep()
    assert not home.exists()


def test_a_home_made_but_not_yet_marked_is_removed(state: Path, tmp_path: Path) -> None:
    home = tmp_path / "wedged-x-0123456789ab"
    home.mkdir()
    write((home,), tmp_path)
    sweep()
    assert not home.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"schema": 99}', '{"schema": 1, "lab": "x"}'])
def test_a_file_that_is_no_journal_is_left_and_said(text: str, state: Path) -> None:
    path = folder() / "strange.json"
    path.write_text(text)
    (sentence,) = sweep()
    assert sentence.startswith("journal strange.json is left: ")
    assert path.exists()


def test_sweeping_never_ends_the_sweeper_nor_what_it_runs(state: Path, tmp_path: Path) -> None:
    me = process_table.look(os.getpid())
    assert me
    with subprocess.Popen(["sleep", "60"]) as child:
        write((), tmp_path, processes=(me.key,))
        assert sweep() == ()  # and this line is reached
        assert child.poll() is None
        child.kill()
