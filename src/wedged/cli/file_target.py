"""A target that is a file, for the verbs that can look at one."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from wedged.errors import BadTarget, Unreachable

_SUFFIXES = (".db", ".sqlite", ".sqlite3")


def file_target(text: str | None) -> Path | None:
    """The file that a target names; None where it names an address, or nothing.

    Raises:
        BadTarget: it is written as a file's path, and there is no such file.
    """
    if not text or "://" in text:
        return None
    path = Path(text).expanduser()
    if os.path.lexists(path):
        return path
    if os.sep in text or path.suffix in _SUFFIXES:
        raise BadTarget(f"{text} is neither a file nor a web address such as http://127.0.0.1:4096")
    return None


def instead(error: Unreachable) -> Path | None:
    """The file to look at where no local server answers, said on stderr; None where there is none."""
    from wedged.facts.plain_text import plain

    files = local_databases(os.environ)
    if not files:
        return None
    rest = f"; there are also {', '.join(str(one) for one in files[1:])}" if files[1:] else ""
    print(f"wedged: {plain(f'{error}; looking at {files[0]}{rest}')}", file=sys.stderr, flush=True)
    return files[0]


def local_databases(env: Mapping[str, str]) -> tuple[Path, ...]:
    """The databases of this user's own servers, the one that was written last first.

    Servers keep them in the data folder, one a channel, or where ``OPENCODE_DB`` says.
    """
    home = env.get("XDG_DATA_HOME") or Path(env.get("HOME") or Path.home(), ".local", "share")
    folder = Path(home, "opencode")
    named = env.get("OPENCODE_DB", "")
    files = [folder / named] if named else list(folder.glob("opencode*.db"))
    return tuple(sorted((file for file in files if file.is_file()), key=_written, reverse=True))


def _written(file: Path) -> float:
    """When it was last written: most writes go to the -wal."""
    found = [path.stat().st_mtime for path in (file, Path(f"{file}-wal")) if path.exists()]
    return max(found, default=0.0)
