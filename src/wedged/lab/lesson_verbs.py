"""The other verbs of `wedged` that a notebook runs on its server, as a user would."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from wedged.errors import LabError
from wedged.lab.lesson import Lesson
from wedged.lab.probe import turns_asked

_PASSWORDS = ("OPENCODE_SERVER_PASSWORD", "OPENCODE_PASSWORD")


def ready(lesson: Lesson) -> dict[str, Any]:
    """Run `wedged ready` on the lesson's server: print what it says, return its JSON document.

    Raises:
        LabError: it could not look; the message is its own.
    """
    server = lesson.bench.server
    environment = os.environ | dict.fromkeys(_PASSWORDS, server.password)
    return _both(lesson, "ready", server.url, environment)


def doctor_on_copy(lesson: Lesson) -> dict[str, Any]:
    """Copy the server's database, with what is still in its -wal, and run `wedged doctor` on the copy: print
    its report, return its JSON document. The server and its files are left as they are.

    Raises:
        LabError: there is no database to copy, or doctor could not look.
    """
    store = Path(lesson.bench.home.env["XDG_DATA_HOME"]) / "opencode"
    databases = sorted(store.glob("opencode*.db"))
    if not databases:
        raise LabError("the server has written no database")
    folder = lesson.bench.home.root / "copy"
    folder.mkdir()
    try:
        for path in store.glob(f"{databases[0].name}*"):
            # The -shm is the holder's own bookkeeping; a reader makes its own.
            if not path.name.endswith("-shm"):
                shutil.copy2(path, folder)
        return _both(lesson, "doctor", str(folder / databases[0].name), dict(os.environ))
    finally:
        shutil.rmtree(folder)


def last_words(lesson: Lesson, session: str) -> None:
    """Print what the model was told anew in the newest request for a turn of this session.

    Raises:
        LabError: it was asked for none.
    """
    asked = turns_asked(lesson.bench.timeline.of(session))
    if not asked:
        raise LabError("the model was asked for no turn of this session")
    print(f"The model is told:\n{lesson.readable(str(asked[-1].data['new_text']))}\n")  # noqa: T201


def _both(lesson: Lesson, verb: str, target: str, environment: dict[str, str]) -> dict[str, Any]:
    print(lesson.readable(_run(environment, verb, target)).rstrip())  # noqa: T201
    document = json.loads(_run(environment, verb, "--json", target))
    if not isinstance(document, dict):
        raise LabError(f"{verb} printed no JSON document")
    return document


def _run(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "wedged", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise LabError(f"{arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout
