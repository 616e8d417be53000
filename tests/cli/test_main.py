"""`main`: which line and which exit code each kind of ending gets."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import NoReturn

import click
import pytest

from wedged import errors
from wedged.cli import VERBS, main
from wedged.cli.verbs import Verbs

HINT = "(WEDGED_DEBUG=1 shows the traceback)"
Run = Callable[[Callable[[], object]], int]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `main` on a verb that does what the test says."""

    def run(body: Callable[[], object]) -> int:
        command = click.Command("doctor", callback=body)
        monkeypatch.setattr(Verbs, "list_commands", lambda self, ctx: ["doctor"])
        monkeypatch.setattr(Verbs, "get_command", lambda self, ctx, name: command)
        return main(["doctor"])

    return run


def raises(error: BaseException) -> Callable[[], NoReturn]:
    def body() -> NoReturn:
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (errors.BadServerSpec("'x' is no spec"), 2, "wedged: 'x' is no spec\n"),
        (errors.Unreachable("nothing listens"), 3, "wedged: nothing listens\n"),
        (errors.Refused("the state moved"), 1, "wedged: the state moved\n"),
        (errors.Unreachable(), 3, "wedged: Unreachable\n"),
        (click.UsageError("no such thing"), 2, "wedged: no such thing (see: wedged doctor --help)\n"),
        (KeyboardInterrupt(), 130, "wedged: interrupted\n"),
        (SystemExit(143), 143, ""),
        (click.exceptions.Exit(1), 1, ""),
        (KeyError("k"), 3, f"wedged: internal error: KeyError: 'k' {HINT}\n"),
        (BrokenPipeError("not ours"), 3, f"wedged: internal error: BrokenPipeError: not ours {HINT}\n"),
    ],
)
def test_an_error_is_one_line(
    error: BaseException, code: int, line: str, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(raises(error)) == code
    assert capfd.readouterr() == ("", line)


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (1, 1), (3, 3)])
def test_a_verb_returns_its_exit_code(returned: int | None, code: int, run: Run) -> None:
    assert run(lambda: returned) == code


def test_untrusted_text_can_not_steer_the_terminal(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    run(raises(errors.BadAnswer("it says \x1b[2J\nwedged: all is well\u202e")))
    assert capfd.readouterr().err == "wedged: it says \\x1b[2J\\nwedged: all is well\\u202e\n"


def test_no_password_in_an_error(
    run: Run, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", "correct horse")
    run(raises(errors.Unreachable("it did not take 'correct horse' at http://u:battery@host/")))
    said = capfd.readouterr().err
    assert "horse" not in said
    assert "battery" not in said
    assert "it did not take" in said


def test_the_traceback_is_shown_on_demand(
    run: Run, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEDGED_DEBUG", "1")
    assert run(raises(ValueError("bad\x1b"))) == 3
    said = capfd.readouterr().err
    assert "in body" in said
    assert "\x1b" not in said


@pytest.mark.parametrize("arguments", [["nope"], ["--nope"], ["servers", "nope"], ["servers", "remove"]])
def test_usage(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("wedged: ")
    assert "--help)" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["servers"]])
def test_no_verb_shows_the_help(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "Usage: wedged" in capfd.readouterr().err


def test_the_help_lists_the_verbs_in_order(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listed = capfd.readouterr().out.partition("Commands:\n")[2].partition("\n\n")[0]
    words = [line.split()[0] for line in listed.splitlines()]
    assert "servers" in words
    assert words == [verb for verb in VERBS if verb in words]


def test_the_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from wedged.cli import main; code = main(['--help']); heavy = set(sys.modules) & "
        "{'httpx', 'rich', 'msgspec', 'psutil', 'filelock', 'platformdirs', 'asyncio', 'matplotlib', "
        "'scipy', 'starlette', 'nbformat'}; sys.exit(str(heavy) if heavy else code)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_as_a_module() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "wedged", "servers", "remove", "nonsense"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("wedged: 'nonsense' is not a server spec")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are told apart by poll")
def test_a_reader_that_left_is_no_finding() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "wedged", "--help"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


def test_completion(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("_WEDGED_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "wedged serv")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert main([]) == 0
    assert "servers" in capfd.readouterr().out
