"""What the help pages have in common: a verb's line in the list of its group, and the examples at the end of
its own page.

They stand here together, and not in the verbs' modules, so that the list reads as one, and that one test can
run each example through its verb's own options.
"""

from collections.abc import Mapping

import click

_U = "http://127.0.0.1:4096"

# What a verb is for, in the few words that the list has room for.
SHORT: Mapping[str, str] = {
    "doctor": "What is stuck on a server or in a file, and what ends it.",
    "asks": "Every pending ask, sub-agents' too, with the lines that answer it.",
    "answer": "Approve one ask this one time, or reject it.",
    "explain": "The page of a failure class, offline; without a code the list.",
    "recover": "The steps that bring one session back; --apply takes them.",
    "ready": "May this server be restarted, and what would that end?",
    "watch": "Each finding once when it appears, once when it ends.",
    "bundle": "A redacted zip for a bug report, which doctor reads back.",
    "lab": "Real servers on purpose in a bad state.",
    "servers": "The OpenCode servers that the lab runs: list, install, remove.",
    "lab run": "Measure one class or claim on one server.",
    "lab hold": "Hold a real server in a failure state, to test a client against.",
    "lab matrix": "Measure classes on servers, and compare with what is expected.",
    "lab bisect": "Between which two releases a claim changed.",
    "lab expect": "Compare a run with the reviewed expectations.",
}

# By the words after ``wedged``. A verb that is not here has its examples in its docstring.
EXAMPLES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "doctor": (
        ("wedged doctor", "the local server, or its database"),
        (f"wedged doctor {_U}", "a server; password from OPENCODE_SERVER_PASSWORD"),
        ("wedged doctor ~/.local/share/opencode/opencode.db", "what a dead server left"),
        (f"wedged doctor {_U} --session ses_1234 --all", "one session, and why not"),
        (f"wedged doctor {_U} --ask per_1234", "the id in a client's red message"),
        (f"wedged doctor {_U} --json --fail-on notice", "for a script"),
    ),
    "asks": (
        ("wedged asks", "what waits for you, children's asks too"),
        (f"wedged asks {_U} --json", "for a script"),
    ),
    "answer": (
        (f"wedged answer per_1234 {_U} --once", "let it run, this one time"),
        (f'wedged answer per_1234 {_U} --reject --message "Stay inside."', "the turn goes on (V1)"),
    ),
    "explain": (
        ("wedged explain", "the list of failure classes"),
        ("wedged explain W101", "one page, offline"),
        ("wedged explain hard-crash", "the same by name"),
    ),
    "ready": (
        ("wedged ready && systemctl restart opencode", "restart only when nothing is lost"),
        (f"wedged ready {_U} --wait --timeout 600", "wait for that, ten minutes at most"),
        (f"wedged ready {_U} --expect mcp-server", "a process that always runs"),
    ),
    "watch": (
        ("wedged watch", "the local server, until Ctrl-C"),
        (f"wedged watch {_U} --json", "a line of JSON for each change"),
        (f"wedged watch {_U} --until-finding --for 3600", "1 at the first finding, 0 after an hour"),
    ),
    "bundle": (
        ("wedged bundle", "the local server, into a new file in this folder"),
        (f"wedged bundle {_U} --session ses_1234 --markdown", "with one session, and a report to paste"),
    ),
    "servers": (("wedged servers install v2@2.0.15", "bring one"), ("wedged servers list", "what is there")),
    "servers list": (("wedged servers list --json", "for a script"),),
    "servers install": (
        ("wedged servers install", "the default list"),
        ("wedged servers install v1@1.17.18 v1@latest", "these two"),
    ),
    "servers remove": (("wedged servers remove v1@1.17.18", "take one away"),),
    "lab": (("wedged lab hold W301 --server v2@2.0.15", "a real server in a bad state, until Ctrl-C"),),
    "lab run": (
        ("wedged lab run W101 --server v1@1.17.18", "measure one class on one server"),
        ("wedged lab run W103 --server cmd:./build/opencode --expect gone", "fit for git bisect run"),
    ),
    "lab matrix": (
        ('wedged lab matrix --servers "v1@latest v2@2.0.15" --classes W101,W103 --out night', "two by two"),
    ),
    "lab bisect": (
        ("wedged lab bisect W101 --good v1@1.2.27 --bad v1@1.17.18 --state search", "between which two"),
    ),
    "lab expect": (("wedged lab expect runs/latest", "what is not as expected"),),
}

_COMPLETION = """\
\b
Completion of verbs and options, in the file that your shell reads at its start:
  bash  eval "$(_WEDGED_COMPLETE=bash_source wedged)"
  zsh   eval "$(_WEDGED_COMPLETE=zsh_source wedged)"
  fish  _WEDGED_COMPLETE=fish_source wedged | source

\b
Colour: NO_COLOR=1 turns it off, FORCE_COLOR=1 on; it repeats what the words say.
"""


def epilog(verb: str) -> str | None:
    """What stands under the options of a verb's help page; None where it has its own. "" is ``wedged``."""
    if not verb:
        return _COMPLETION
    found = EXAMPLES.get(verb)
    if found is None:
        return None
    return "\b\nExamples:\n" + "\n".join(f"  # {what}\n  {line}" for line, what in found)


def with_examples(command: click.Command, verb: str) -> click.Command:
    """`command` with its line for the list, and the examples of `verb` at the end of its help page unless it
    has an end of its own."""
    command.short_help = command.short_help or SHORT.get(verb)
    if command.epilog is None:
        command.epilog = epilog(verb)
    for name, below in getattr(command, "commands", {}).items():
        with_examples(below, f"{verb} {name}".strip())
    return command
