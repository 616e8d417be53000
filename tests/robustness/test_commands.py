"""The commands themselves, on changed answers: exit codes and streams as promised, and no internal error."""

import contextlib
import io
import json
from collections.abc import Sequence
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wedged.cli import main
from wedged.facts.plain_text import plain

from .answers import LINES, answers_of
from .mutation import SECRET, Mutation, mutated, mutations
from .profile import inputs
from .served import Fault, Served, faults, in_place_of_the_network
from .tried import came_of, count

# Nothing listens on this port of this machine: the server is made of answers.
URL = "http://127.0.0.1:1"
_COMMANDS = (
    ("doctor", URL, "--sample", "0", "--grace", "0"),
    ("doctor", URL, "--sample", "0", "--json"),
    ("doctor", URL, "--sample", "0", "--ask", "per_2276041bc001q4W5JN3Rmg1FJy"),
    ("doctor", URL, "--sample", "0", "--all", "--include"),
    ("asks", URL),
    ("asks", URL, "--json"),
    ("ready", URL, "--lists-only"),
    ("ready", URL, "--lists-only", "--json"),
)


def run(command: Sequence[str], served: Served) -> tuple[int, str, str]:
    """Its exit code, and what it printed on stdout and on stderr."""
    out, err = io.StringIO(), io.StringIO()
    with (
        in_place_of_the_network(served),
        patch.dict("os.environ", {"OPENCODE_SERVER_PASSWORD": SECRET}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main(list(command))
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("line", LINES)
def test_commands_on_changed_answers(line: str) -> None:
    sample, later = answers_of(line)
    kinds = came_of(f"commands on {line}")

    @inputs(few=15, many=100)
    @given(mutations(), faults(), st.sampled_from(_COMMANDS))
    def changed(changes: list[Mutation], broken: list[Fault], command: tuple[str, ...]) -> None:
        served = Served(mutated(sample, changes), later, broken)
        code, out, err = run(command, served)
        assert code in (0, 1, 3), err
        assert "internal error" not in err
        assert SECRET not in out + err
        assert set(served.seen) <= {"GET"}
        for row in (out + err).splitlines():
            assert plain(row) == row
        if "--json" in command and out:
            json.loads(out)
        assert out or err
        count(kinds, f"exit {code}")

    changed()
    assert kinds["exit 1"]
