"""The whole way of `doctor` and `asks`, from the answers to the printed words, and what holds of them."""

import json
from dataclasses import dataclass

import msgspec

from wedged.client import connect
from wedged.diagnose import (
    asks_json,
    asks_text,
    diagnose,
    inquire,
    pending,
    report_json,
    report_text,
    restrict,
)
from wedged.diagnose.diagnosis import Diagnosis
from wedged.diagnose.document import DoctorDocument
from wedged.diagnose.report_text import Login
from wedged.errors import WedgedError
from wedged.facts.plain_text import plain
from wedged.facts.snapshot import Gap
from wedged.observe import look_twice

from .mutation import SECRET
from .served import Served, in_place_of_the_network

URL = "http://127.0.0.1:4096"
_NO_TREE = Gap("processes of the server", "not looked at here")


@dataclass(frozen=True)
class Looked:
    """What came of it: a diagnosis, or the error that says why there is none."""

    diagnosis: Diagnosis | None
    error: str = ""


def doctor(served: Served, *, named: str = "", every: bool = False) -> Looked:
    """Look twice at what is served and print all that is printed of it. Raises what is no `WedgedError`."""
    try:
        with in_place_of_the_network(served), connect(URL, password=SECRET) as connection:
            window = look_twice(
                connection.reader,
                sample_s=1.0,
                wait=lambda seconds: None,
                sessions=(named,) if named else (),
                every_directory=every,
                tree=lambda: _NO_TREE,
                source=connection.url,
            )
            request = connection.actor.request
            found = pending(window.latest, request)
            words = asks_text(found, window.latest, login=None, secrets=(SECRET,))
            check_words(words)
            check_json(asks_json(found, window.latest, secrets=(SECRET,)))
    except WedgedError as error:
        check_line(str(error))
        return Looked(None, str(error))
    finally:
        assert set(served.seen) <= {"GET"}, served.seen
    diagnosis = diagnose(window, 0.0, request=request)
    check_report(diagnosis)
    return Looked(diagnosis)


def check_report(diagnosis: Diagnosis) -> None:
    """Print it in every way, and check what holds of every print."""
    look = diagnosis.latest
    asked = next((ask.id for ask in look.asks), "per_0")
    family = next((session.id for session in look.sessions), "ses_0")
    assert diagnosis.exit_code in (0, 1, 3)
    failed = [gap for gap in diagnosis.unknown if "the check itself failed" in gap.why]
    assert not failed, failed
    for much in (False, True):
        login = Login("opencode", "OPENCODE_PASSWORD") if much else None
        check_words(report_text(diagnosis, show_all=much, include=much, login=login, secrets=(SECRET,)))
    for one in (diagnosis, inquire(restrict(diagnosis, family), asked)):
        text = report_json(one, show_all=True, include=True, secrets=(SECRET,))
        check_json(text)
        msgspec.json.decode(text, type=DoctorDocument)


def check_words(text: str) -> None:
    """Nothing steers a terminal, nothing secret is shown."""
    for row in text.splitlines():
        check_line(row)


def check_line(row: str) -> None:
    """One printable line without the secret."""
    assert plain(row) == row
    assert SECRET not in row


def check_json(text: str) -> None:
    """One document in ASCII that any parser takes, without the secret."""
    assert text.isascii()
    assert SECRET not in text
    json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")
