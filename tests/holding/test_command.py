"""``wedged lab hold`` where no server has to run: bad input, and what is not installed."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from wedged.catalog import CLASSES
from wedged.cli import main
from wedged.lab.conformance import RULES
from wedged.lab.holding import HELD_STATES
from wedged.lab.scenarios import SCENARIOS

Out = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["W999"], 2, "no failure class is called 'W999'"),
        ([], 2, "Missing argument 'CODE'"),
        (["W101", "--server", "nope"], 2, "'nope' is not a server spec"),
        (["W101", "--server", "path:/nowhere/opencode"], 3, "/nowhere/opencode"),
        (["W101", "--port", "0"], 2, "'--port'"),
        (["W101", "--", "/nowhere/client"], 2, "/nowhere/client is no program"),
    ],
)
def test_bad_input_is_one_line_and_nothing_on_stdout(
    arguments: list[str], code: int, said: str, capsys: Out
) -> None:
    assert main(["lab", "hold", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.server
def test_a_line_of_servers_that_cannot_have_it_is_refused_before_anything_starts(
    installed_released: object, capsys: Out
) -> None:
    assert main(["lab", "hold", "W001", "--server", "v2@2.0.15"]) == 3
    out, err = capsys.readouterr()
    assert (out, err) == (
        "",
        "wedged: v2@2.0.15 has no W001: its list of active sessions is one for all directories\n",
    )


@pytest.mark.server
@pytest.mark.parametrize("more", [(), ("--observe",)])
def test_a_port_that_somebody_has_is_said_before_anything_starts(
    more: tuple[str, ...], installed_v1: object, capsys: Out
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["lab", "hold", "W101", "--server", "v1@1.17.18", "--port", str(port), *more]) == 3
    assert capsys.readouterr() == ("", f"wedged: port {port} of 127.0.0.1 is taken\n")


def test_without_the_extra_the_line_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from wedged.cli import main; sys.exit(main(['lab', 'hold', 'W101']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == 'wedged: this needs uvicorn: pip install "wedged[lab]"\n'


def test_every_class_can_be_held_and_its_state_has_words() -> None:
    assert set(HELD_STATES) == {of.code for of in CLASSES} == {each.code for each in SCENARIOS}
    for state in HELD_STATES.values():
        assert state.wrong.endswith(".")
        assert state.right_client_shows.endswith(".")


def test_the_page_names_every_rule_with_its_sentence() -> None:
    page = (Path(__file__).parents[2] / "docs" / "testing-your-client.md").read_text()
    assert [rule.id for rule in RULES if f"| `{rule.id}` | {rule.sentence} |" not in page] == []
