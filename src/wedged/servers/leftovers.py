"""Temporary folders of installs, and what a killed one leaves: the folder, and npm still at work in it.

Only the holder of the cache's lock makes such folders, so whatever the next holder finds is a dead one's.
"""

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

_TEMPORARY = ".installing-"
_ASKING = "wedged-npm-"
_CHILD_NOTE = "child.pid"


@contextlib.contextmanager
def work_folder(root: Path) -> Iterator[Path]:
    """A fresh folder in `root`, gone at the end. It is inside so that moving out of it is one rename."""
    work = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=root))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


@contextlib.contextmanager
def asking_folder() -> Iterator[Path]:
    """A fresh folder for a question to npm. It is outside the cache, because asking holds no lock."""
    for old in Path(tempfile.gettempdir()).glob(f"{_ASKING}*"):
        pid = old.name.removeprefix(_ASKING).partition("-")[0]
        with contextlib.suppress(OSError):
            if old.lstat().st_uid == os.getuid() and pid.isdecimal() and not _alive(int(pid)):
                _end_child(old)
                shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{_ASKING}{os.getpid()}-", ignore_cleanup_errors=True) as work:
        yield Path(work)


def note_child(work: Path, pid: int) -> None:
    """Write down which process works in `work`, for `sweep_leftovers` to end if we are killed."""
    (work / _CHILD_NOTE).write_text(str(pid), encoding="ascii")


def sweep_leftovers(root: Path) -> None:
    """Remove what killed installs left in `root`. Only for the holder of the cache's lock.

    What can't be removed stays for the next time: it is never taken for an entry.
    """
    for work in root.glob(f"{_TEMPORARY}*"):
        _end_child(work)
        shutil.rmtree(work, ignore_errors=True)


def folder_bytes(folder: Path) -> int:
    """The bytes of all files below `folder`; one that vanishes meanwhile counts as nothing."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size  # noqa: PTH118 - os.walk gives strings
    return total


def _alive(pid: int) -> bool:
    import psutil

    return psutil.pid_exists(pid)


def _end_child(work: Path) -> None:
    import psutil

    with contextlib.suppress(OSError, ValueError, psutil.Error):
        child = psutil.Process(int((work / _CHILD_NOTE).read_text(encoding="ascii")))
        # The number may belong to a stranger by now; nobody else works in a folder of this random name.
        if work.resolve() in Path(child.cwd()).parents and os.getpgid(child.pid) == child.pid:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait(5)
