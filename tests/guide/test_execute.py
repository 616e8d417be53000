"""Executing notebooks: what stands afterwards, and which error names which cell."""

import signal
import subprocess
import sys
from pathlib import Path

import nbformat
import psutil
import pytest

from wedged.errors import CellFailed, CellTimedOut, EvidenceError, KernelDied, UsageError
from wedged.guide.execute import execute
from wedged.guide.notebook import read_notebook, stopped, stripped


def write(path: Path, *cells: str, tags: dict[int, list[str]] | None = None) -> Path:
    notebook = nbformat.v4.new_notebook()
    for index, source in enumerate(cells):
        cell = nbformat.v4.new_code_cell(source, metadata={"tags": (tags or {}).get(index, [])})
        cell["id"] = f"cell-{index}"
        notebook.cells.append(cell)
    nbformat.write(notebook, path)
    return path


def text_of(path: Path) -> str:
    return "".join(
        output.get("text", "")
        for cell in read_notebook(path).cells
        if cell.cell_type == "code"
        for output in cell.outputs
    )


def test_parameters_are_injected_after_their_cell_and_this_interpreter_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(
        tmp_path / "N.ipynb",
        "TRIALS = 10\nSERVERS = ['a']",
        "import os, sys\nprint(TRIALS, SERVERS, sys.executable == os.environ['EXPECTED'])\n"
        "print(os.environ['WEDGED_RUN'])",
        tags={0: ["parameters"]},
    )
    monkeypatch.setenv("EXPECTED", sys.executable)
    lines: list[str] = []
    done = execute(source, tmp_path / "run", {"TRIALS": 2, "SERVERS": ["v1@1.17.18"]}, progress=lines.append)
    assert done.path == tmp_path / "run" / "notebooks" / "N.ipynb"
    assert text_of(done.path) == f"2 ['v1@1.17.18'] True\n{tmp_path / 'run'}\n"
    assert lines[-1] == "N: cell 2 of 2: import os, sys"
    assert stopped(read_notebook(done.path)) is None


def test_stderr_is_progress_and_not_output(tmp_path: Path) -> None:
    source = write(tmp_path / "N.ipynb", "import sys\nprint('7 of 20', file=sys.stderr)\nprint('kept')")
    lines: list[str] = []
    done = execute(source, tmp_path / "run", {}, progress=lines.append)
    assert "N: 7 of 20" in lines
    assert text_of(done.path) == "kept\n"


def test_each_cell_is_timed(tmp_path: Path) -> None:
    source = write(tmp_path / "N.ipynb", "1", "import threading\nthreading.Event().wait(0.5)")
    slowest, seconds = execute(source, tmp_path / "run", {}).cells[0]
    assert slowest == 2
    assert seconds >= 0.5


def test_the_same_notebook_executes_to_the_same_bytes(tmp_path: Path) -> None:
    source = write(tmp_path / "N.ipynb", "print('x')\n1 + 1")
    one = execute(source, tmp_path / "one", {"TRIALS": 1}).path.read_bytes()
    assert one == execute(source, tmp_path / "two", {"TRIALS": 1}).path.read_bytes()


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        ("raise ValueError('no\\nask')", CellFailed, "ValueError: no ask"),
        ("import threading; threading.Event().wait()", CellTimedOut, "limit of 4 s"),
        ("import os; os.kill(os.getpid(), 9)", KernelDied, "the kernel died"),
    ],
    ids=["failed", "timed-out", "died"],
)
def test_each_end_has_its_own_error_and_the_executed_part_stands(
    tmp_path: Path, bad: str, error: type[Exception], words: str
) -> None:
    source = write(tmp_path / "W101-x.ipynb", "print('before')", bad, "print('after')")
    with pytest.raises(error) as caught:
        execute(source, tmp_path / "run", {"TRIALS": 1}, cell_seconds=4)
    message = str(caught.value)
    assert message.startswith("W101-x, cell 2 (")
    assert words in message
    assert "\n" not in message
    target = tmp_path / "run" / "notebooks" / "W101-x.ipynb"
    assert text_of(target) == "before\n"
    stop = stopped(read_notebook(target))
    assert stop is not None
    assert (stop.cell, stop.kind) == (2, error.__name__)


def test_a_parameter_must_be_a_plain_literal(tmp_path: Path) -> None:
    source = write(tmp_path / "N.ipynb", "1")
    with pytest.raises(UsageError, match="plain literals"):
        execute(source, tmp_path / "run", {"TRIALS": object()})


def test_a_file_that_is_no_notebook_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "N.ipynb").write_text("not json")
    with pytest.raises(EvidenceError, match=r"N\.ipynb is not a readable notebook"):
        execute(tmp_path / "N.ipynb", tmp_path / "run", {})


def test_stripping_gives_the_source_back(tmp_path: Path) -> None:
    source = write(tmp_path / "N.ipynb", "TRIALS = 1", "print(TRIALS)", tags={0: ["parameters"]})
    done = execute(source, tmp_path / "run", {"TRIALS": 2})
    back = stripped(read_notebook(done.path))
    assert [dict(c) for c in back.cells] == [dict(c) for c in read_notebook(source).cells]


_BUILD = """
import sys
from pathlib import Path
from wedged.guide.execute import execute
execute(Path(sys.argv[1]), Path(sys.argv[2]), {})
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_the_kernel_ends_with_us(tmp_path: Path, how: signal.Signals) -> None:
    source = write(
        tmp_path / "N.ipynb",
        f"import os, pathlib, threading\npid = {str(tmp_path / 'pid')!r}\n"
        "pathlib.Path(pid + '.part').write_text(str(os.getpid()))\n"
        "os.replace(pid + '.part', pid)\nthreading.Event().wait()",
    )
    build = subprocess.Popen(
        [sys.executable, "-c", _BUILD, str(source), str(tmp_path / "run")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        pid_file = tmp_path / "pid"
        wait_until(lambda: pid_file.exists() or build.poll() is not None)
        kernel = psutil.Process(int(pid_file.read_text()))
        build.send_signal(how)
        _, words = build.communicate(timeout=60)
        psutil.wait_procs([kernel], timeout=60)
        assert not kernel.is_running() or kernel.status() == psutil.STATUS_ZOMBIE
        if how is signal.SIGINT:
            assert "KeyboardInterrupt" in words
            assert (tmp_path / "run" / "notebooks" / "N.ipynb").exists()
        if how is signal.SIGTERM:
            assert build.returncode == 128 + signal.SIGTERM
    finally:
        build.kill()
        build.wait()


def wait_until(condition: object) -> None:
    import time

    assert callable(condition)
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "the notebook's first cell never ran"
        time.sleep(0.02)
