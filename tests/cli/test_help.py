"""Each verb's help page: narrow enough, with examples, and every example is one that the verb takes."""

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from wedged.cli import VERBS, main
from wedged.cli.help_pages import EXAMPLES, SHORT
from wedged.cli.verbs import wedged

# Files that an example names need not be there.
_NEEDS_A_FILE = ("lab expect",)


def pages(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            verb = f"{above} {name}".strip()
            yield verb, command
            if isinstance(command, click.Group):
                yield from pages(command, verb)


PAGES = dict(pages(wedged))


@pytest.mark.parametrize("verb", PAGES)
def test_a_help_page_has_examples_and_fits(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*verb.split(), "--help"]) == 0
    page = capsys.readouterr().out
    assert max(map(len, page.splitlines())) < 100
    assert re.search(rf"^ +wedged {verb}\b(?! \[)", page, re.MULTILINE), "it has no example"


@pytest.mark.parametrize("line", [line for found in EXAMPLES.values() for line, _ in found])
def test_an_example_is_one_that_the_verb_takes(line: str) -> None:
    words = shlex.split(line.partition(" && ")[0])[1:]
    command, depth = PAGES[words[0]], 1
    while isinstance(command, click.Group):
        depth += 1
        command = PAGES[" ".join(words[:depth])]
    if " ".join(words[:depth]) in _NEEDS_A_FILE:
        words = [*words[:-1], "/"]
    command.make_context(line, words[depth:], resilient_parsing=False).close()


def test_the_list_has_room_for_what_each_verb_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    page = capsys.readouterr().out.partition("Commands:")[2]
    there = [verb for verb in VERBS if verb in PAGES]
    assert all(SHORT[verb] in page for verb in there)
    assert "..." not in page


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_on_the_first_page(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    assert f"_WEDGED_COMPLETE={shell}_source wedged" in capsys.readouterr().out
