"""Several notebooks at a time: each result is said, a dead process is named, and nothing goes on alone."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from wedged.guide.side_by_side import Done, Job, execute_side_by_side
from wedged.waiting import wait_for

from .test_execute import text_of, write

ROOT = Path(__file__).resolve().parents[2]
WORKER = (sys.executable, str(ROOT / "scripts" / "guide"), "--one-job")


def job(source: Path, run: Path) -> Job:
    return Job(str(source), str(run), {}, 60)


def by_name(jobs: list[Job], worker: tuple[str, ...] = WORKER) -> dict[str, Done]:
    done = execute_side_by_side(jobs, 2, lambda _: None, worker=worker)
    return {Path(each.source).stem: each for each in done}


def test_each_is_executed_and_one_that_fails_stops_no_other(tmp_path: Path) -> None:
    # The first two wait for each other: they can only end side by side.
    meet = "from pathlib import Path\nfrom wedged.waiting import wait_for\nhere = Path(r'{0}')\n"
    meet += "(here / '{1}').touch()\nwait_for((here / '{2}').exists, 'the other', 40)\nprint('met')"
    sources = [
        write(tmp_path / "A.ipynb", meet.format(tmp_path, "a", "b")),
        write(tmp_path / "B.ipynb", meet.format(tmp_path, "b", "a")),
        write(tmp_path / "C.ipynb", "raise ValueError('no')"),
    ]
    done = by_name([job(source, tmp_path / "run") for source in sources])
    assert {name: each.error for name, each in done.items()} == {
        "A": "",
        "B": "",
        "C": "C, cell 1 (raise ValueError('no')) failed: ValueError: no",
    }
    assert done["C"].exit_code == 1
    assert text_of(tmp_path / "run" / "notebooks" / "A.ipynb") == "met\n"


def test_the_last_begins_with_the_one_before_it(tmp_path: Path) -> None:
    # D begins when C does, while B still runs: three at once, where two are at other times.
    cell = "from pathlib import Path\nfrom wedged.waiting import wait_for\nhere = Path(r'{0}')\n"
    cell += "(here / '{1}').touch()\nwait_for((here / '{2}').exists, 'the other', 40)"
    waits_for = {"A": "B", "B": "D", "C": "D", "D": "C"}
    sources = [
        write(tmp_path / f"{n}.ipynb", cell.format(tmp_path, n, other)) for n, other in waits_for.items()
    ]
    done = by_name([job(source, tmp_path / "run") for source in sources])
    assert {name: each.error for name, each in done.items()} == dict.fromkeys(waits_for, "")


def test_one_at_a_time_is_one_to_the_end(tmp_path: Path) -> None:
    cell = "from pathlib import Path\nfrom wedged.waiting import wait_until\nhere = Path(r'{0}')\n"
    cell += "(here / '{1}').touch()\nassert not wait_until((here / '{2}').exists, 5)\n(here / '{1}').unlink()"
    sources = [write(tmp_path / f"{a}.ipynb", cell.format(tmp_path, a, b)) for a, b in ("AB", "BA")]
    jobs = [job(source, tmp_path / "run") for source in sources]
    done = list(execute_side_by_side(jobs, 1, lambda _: None, worker=WORKER))
    assert [each.error for each in done] == ["", ""]


def test_a_process_that_dies_without_a_word_is_named(tmp_path: Path) -> None:
    source = write(tmp_path / "A.ipynb", "1")
    dead = (sys.executable, "-c", "import os; os.kill(os.getpid(), 9)")
    assert by_name([job(source, tmp_path / "run")], dead)["A"].error == "A: its process ended with signal 9"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_what_ends_the_build_ends_every_notebook(tmp_path: Path, number: signal.Signals, code: int) -> None:
    cell = "import os\nfrom pathlib import Path\nfrom wedged.waiting import pause\n"
    cell += "Path('{0}').write_text(str(os.getpid()))\npause(600)"
    pids = [tmp_path / name for name in ("1", "2")]
    sources = [write(tmp_path / f"N{pid.name}.ipynb", cell.format(pid)) for pid in pids]
    build = (
        "import sys\nfrom wedged.guide.side_by_side import *\n"
        f"jobs = [Job(s, {str(tmp_path / 'run')!r}, {{}}, 60) for s in {[str(s) for s in sources]!r}]\n"
        f"try: list(execute_side_by_side(jobs, 2, print, worker={WORKER!r}))\n"
        "except KeyboardInterrupt: sys.exit(130)"
    )
    # In a session of its own: the signal goes to the build alone, as a supervisor sends it.
    process = subprocess.Popen(
        [sys.executable, "-c", build],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        wait_for(lambda: all(p.exists() and p.read_text() for p in pids), "both kernels", 40)
        kernels = [psutil.Process(int(pid.read_text())) for pid in pids]
        process.send_signal(number)
        assert process.wait(30) == code
        gone, alive = psutil.wait_procs(kernels, 10)
        assert (len(gone), alive) == (2, [])
    finally:
        process.kill()
        process.wait()
