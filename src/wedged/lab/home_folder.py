"""A temporary home as a folder: its name, its mark, and removing it without ever touching anything else."""

import os
import re
import stat
from pathlib import Path

MARK = ".wedged-home"

_NAME = re.compile(r"wedged-[a-z0-9-]{1,40}-[0-9a-f]{12}")


def new_path(temp: Path, label: str) -> Path:
    """A fresh name under `temp`; nothing is made yet, so that it can be journalled first."""
    readable = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:40].rstrip("-") or "home"
    return temp / f"wedged-{readable}-{os.urandom(6).hex()}"


def make(path: Path, lab_id: str) -> None:
    """Make the folder, for this user only, and mark it as the lab's."""
    path.mkdir(mode=0o700)
    (path / MARK).write_text(lab_id)


def why_not_ours(path: Path, lab_id: str, temp: Path) -> str:
    """Why this folder must not be removed in the name of that lab, "" when it may be.

    Ours is a real folder directly under the lab's temporary folder, with a name such as we give, owned by
    this user, carrying the lab's mark (or still empty: the lab died between making and marking it).
    """
    if path.parent != temp or not _NAME.fullmatch(path.name):
        return "its name is not one that a lab gives"
    facts = path.lstat()
    if not stat.S_ISDIR(facts.st_mode):
        return "it is not a folder"
    if facts.st_uid != os.getuid():
        return "it belongs to another user"
    mark = path / MARK
    if mark.is_symlink() or not mark.is_file():
        return "" if not any(path.iterdir()) else "it carries no mark of a lab"
    return "" if mark.read_text() == lab_id else "it carries another lab's mark"


def remove(path: Path) -> None:
    """Remove the folder and all below it; a symlink is removed, never followed.

    Raises:
        OSError: something in it can't be removed; the mark goes last, so that a later sweep still knows it.
    """
    for entry in os.scandir(path):
        if entry.name == MARK:
            continue
        if entry.is_dir(follow_symlinks=False):
            _remove_tree(Path(entry.path))
        else:
            Path(entry.path).unlink(missing_ok=True)
    (path / MARK).unlink(missing_ok=True)
    path.rmdir()


def _remove_tree(tree: Path) -> None:
    # Imported here: it pulls in compressors, and the keeper needs it only at its end.
    import shutil

    try:
        shutil.rmtree(tree)
    except PermissionError:
        # A folder without its write bit keeps its own entries: give all of them back, then once more.
        tree.chmod(0o700)
        for folder, below, _ in os.walk(tree):
            for name in below:
                inner = Path(folder, name)
                if not inner.is_symlink():
                    inner.chmod(0o700)
        shutil.rmtree(tree)
