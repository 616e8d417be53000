"""The terminal: colour beside the words, narrow screens, lines to paste, and a sign of life."""

import io
import json
import os
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.cli.fake_v1 import reply, serving, wedged_answers

from wedged.cli import main, screen
from wedged.cli.screen import has_colour, progress, screen_width
from wedged.facts.wrapping import NARROWEST, WIDTH
from wedged.waiting import wait_for

Out = pytest.CaptureFixture[str]
NOW = ("--sample", "0")
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    """What a person looks at."""

    def isatty(self) -> bool:
        return True


def report(monkeypatch: pytest.MonkeyPatch, capfd: Out, **env: str) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    with serving(wedged_answers()) as url:
        assert main(["doctor", url, *NOW]) == 1
    text = capfd.readouterr().out
    # The port, and the age, are the run's own.
    return re.sub(r"\d+ (?:h|d|min)\b", "AGE", text.replace(url.rpartition(":")[2], "PORT"))


def test_colour_says_nothing_that_the_words_do_not(monkeypatch: pytest.MonkeyPatch, capfd: Out) -> None:
    bare = report(monkeypatch, capfd)
    coloured = report(monkeypatch, capfd, FORCE_COLOR="1")
    assert "\x1b" not in bare, "a file gets no colour"
    assert "\x1b[33m\x1b[1mWAITING ON YOU\x1b[0m for" in coloured
    assert _STYLE.sub("", coloured) == bare
    assert report(monkeypatch, capfd, FORCE_COLOR="1", NO_COLOR="1") == bare


@pytest.mark.parametrize(
    ("env", "at_a_terminal", "colour"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, True, False),
    ],
)
def test_when_there_is_colour(
    env: dict[str, str], at_a_terminal: bool, colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", Terminal() if at_a_terminal else io.StringIO())
    assert has_colour() is colour


@pytest.mark.parametrize("columns", [40, 60])
def test_a_narrow_terminal_gets_whole_words_and_whole_lines_to_paste(
    columns: int, monkeypatch: pytest.MonkeyPatch, capfd: Out
) -> None:
    wide = report(monkeypatch, capfd)
    narrow = report(monkeypatch, capfd, COLUMNS=str(columns))
    pasted = [line for line in wide.splitlines() if line.lstrip().startswith("curl ")]
    assert pasted
    assert [line for line in narrow.splitlines() if line.lstrip().startswith("curl ")] == pasted
    for row in narrow.splitlines():
        # An id or a path that is longer than a row stays in one piece, on a row of its own.
        assert len(row) <= columns or row in pasted or len(row.split()) <= 2, row
    assert re.sub(r"\s+", " ", narrow) == re.sub(r"\s+", " ", wide), "nothing is left out"


@pytest.mark.parametrize(("columns", "width"), [("20", NARROWEST), ("50", 50), ("400", WIDTH)])
def test_the_width_follows_the_terminal(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert screen_width() == width


@pytest.mark.parametrize("verb", [["explain", "W101"], ["explain"]])
def test_pages_fit_a_narrow_terminal(verb: list[str], monkeypatch: pytest.MonkeyPatch, capfd: Out) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main(verb) == 0
    rows = capfd.readouterr().out.splitlines()
    assert all(len(row) <= 40 or len(row.split()) <= 2 for row in rows)


def test_a_look_that_takes_long_gives_a_sign_of_life_and_erases_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Terminal()
    monkeypatch.setattr("sys.stderr", seen)
    monkeypatch.setattr(screen, "PATIENCE_S", 0.0)
    monkeypatch.setenv("TERM", "xterm-256color")
    with progress("looking at\x1b[2J it"):
        wait_for(lambda: "looking at" in seen.getvalue(), "the sign of life", 10)
    said = seen.getvalue()
    assert "looking at\\x1b[2J it" in said, "what is named is escaped"
    assert said.rstrip().endswith(("\x1b[2K", "\x1b[?25h")), "the row is erased, the cursor back"


def test_a_quick_look_and_one_into_a_pipe_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, piped = Terminal(), io.StringIO()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("sys.stderr", seen)
    with progress("looking"):
        pass
    monkeypatch.setattr("sys.stderr", piped)
    monkeypatch.setattr(screen, "PATIENCE_S", 0.0)
    with progress("looking"):
        pass
    assert (seen.getvalue(), piped.getvalue()) == ("", "")


def test_the_sign_of_life_stands_around_doctors_look(monkeypatch: pytest.MonkeyPatch, capfd: Out) -> None:
    seen = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(screen, "PATIENCE_S", 0.0)
    answers = wedged_answers()
    statuses = json.dumps(answers["/session/status"])

    def once_it_is_seen(handler: BaseHTTPRequestHandler) -> None:
        wait_for(lambda: "looking at" in seen.getvalue(), "the sign of life", 10)
        reply(handler, statuses)

    answers["/session/status"] = once_it_is_seen
    monkeypatch.setattr("sys.stderr", seen)
    with serving(answers) as url:
        assert main(["doctor", url, *NOW]) == 1
    assert f"looking at {url}" in seen.getvalue()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_told_the_verbs(shell: str, monkeypatch: pytest.MonkeyPatch, capfd: Out) -> None:
    monkeypatch.setenv("_WEDGED_COMPLETE", f"{shell}_source")
    assert main([]) == 0
    assert "_WEDGED_COMPLETE" in capfd.readouterr().out
    monkeypatch.setenv("_WEDGED_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "wedged wat")
    monkeypatch.setenv("COMP_CWORD", "wat" if shell == "fish" else "1")
    assert main([]) == 0
    assert "watch" in capfd.readouterr().out


def test_a_real_bash_completes_verbs_and_options(tmp_path: Path) -> None:
    program = tmp_path / "wedged"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m wedged "$@"\n')
    program.chmod(0o755)
    script = (
        'eval "$(_WEDGED_COMPLETE=bash_source wedged)"\n'
        "complete -p wedged\n"
        "COMP_WORDS=(wedged watch --unt); COMP_CWORD=2\n"
        '_wedged_completion wedged; echo "${COMPREPLY[@]}"\n'
        "COMPREPLY=(); COMP_WORDS=(wedged lab h); COMP_CWORD=2\n"
        '_wedged_completion wedged; echo "${COMPREPLY[@]}"\n'
    )
    env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ended = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, env=env, check=False
    )
    rows = ended.stdout.splitlines()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert rows[0].endswith("_wedged_completion wedged")
    assert rows[1:] == ["--until-finding", "hold"]


def test_asks_keep_their_lines_to_paste_whole(monkeypatch: pytest.MonkeyPatch, capfd: Out) -> None:
    pages = []
    for columns in ("96", "40"):
        monkeypatch.setenv("COLUMNS", columns)
        with serving(wedged_answers()) as url:
            assert main(["asks", url]) == 1
        pages.append(capfd.readouterr().out.replace(url, "URL"))
    wide, narrow = ([row for row in page.splitlines() if "URL" in row] for page in pages)
    assert wide == narrow
    assert any(row.strip().startswith("curl") for row in wide)
    assert len(pages[1].splitlines()) > len(pages[0].splitlines()), "the rest is wrapped"
