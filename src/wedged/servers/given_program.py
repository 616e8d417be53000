"""``path:FILE`` and ``cmd:COMMAND``: a program that the user already has."""

import hashlib
import os
import shlex
import shutil
from pathlib import Path

from wedged.errors import NotRunnable
from wedged.facts.server import Line, ServerSpec, SpecKind
from wedged.servers.cache import sha256_of
from wedged.servers.installed_server import InstalledServer


def given_program(spec: ServerSpec) -> InstalledServer:
    """The program of a ``path:`` or ``cmd:`` spec; what it is, only the running server can say.

    A command is split as a POSIX shell splits words, without a shell. Relative paths count from where
    wedged was started; only the program's own is made absolute, so write absolute ones behind it.

    Raises:
        NotRunnable: no such file, or it is not executable.
    """
    if spec.kind is SpecKind.PATH:
        program = _runnable(Path(spec.value).expanduser(), spec)
        try:
            return InstalledServer(spec, (str(program),), "", sha256_of(program), Line.UNKNOWN)
        except OSError as error:
            raise NotRunnable(f"can't read ({error.strerror}) {spec}") from error
    try:
        words = shlex.split(spec.value)
    except ValueError as error:
        raise NotRunnable(f"{str(error).lower()} in {spec}") from error
    if not words:
        raise NotRunnable("the command after cmd: is empty")
    if "/" in words[0]:
        program = _runnable(Path(words[0]), spec)
    elif found := shutil.which(words[0]):
        program = Path(found).absolute()
    else:
        raise NotRunnable(f"not on PATH: {words[0]}, the program of {spec}")
    said = hashlib.sha256(spec.value.encode("utf-8", "surrogateescape")).hexdigest()
    return InstalledServer(spec, (str(program), *words[1:]), "", said, Line.UNKNOWN)


def _runnable(program: Path, spec: ServerSpec) -> Path:
    try:
        if not program.exists():
            raise NotRunnable(f"there is no such file: {spec}")
        if not program.is_file():
            raise NotRunnable(f"that is not a file: {spec}")
    except (OSError, ValueError) as error:
        raise NotRunnable(f"can't look at {spec}") from error
    if not os.access(program, os.X_OK):
        raise NotRunnable(f"not executable (chmod +x would help): {spec}")
    return program.absolute()
