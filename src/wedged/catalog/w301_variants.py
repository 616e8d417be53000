"""W301's variants: how each shows itself, and the way out where it differs."""

from dataclasses import replace

from wedged.facts.failure_class import Variant
from wedged.facts.recovery import Action, Step

_WORK = "The command's work so far, but for what it has written"

END_SHELL = Step(
    "end-shell",
    Action.END_SHELL,
    "End the shell, where nobody needs it any more. Name the session's directory: without it the request "
    "can miss the shell and be answered 204 all the same.",
    loses=(
        _WORK,
        'A model turn: the session is woken and told `state="error"`, without a word of who ended it',
    ),
    confirms="`GET /api/shell` with the session's directory no longer lists it, and its process is gone",
    claim="W301.end-shell-ends-it",
    requires=("Somebody knows that nothing waits for it (a development server may be meant to stay)",),
)

OWN = Variant(
    "own",
    "The session's own shell; its turn is over.",
    (
        "`GET /api/shell` with the session's directory lists it, `metadata.sessionID` is the session's id",
        "`GET /api/session/active` does not name the session; its call is `completed`",
    ),
)
SUB_AGENT = Variant(
    "sub-agent",
    "A sub-agent's shell; the sub-agent has ended its turn, and its parent holds its answer for final.",
    (
        "`metadata.sessionID` names a session whose `parentID` is set",
        "the parent's `subagent` call is `completed`; nothing in the parent names the shell",
    ),
    (
        replace(
            END_SHELL,
            id="sub-agent-end-shell",
            loses=(
                _WORK,
                "A model turn of the sub-agent, which is told; its parent is not, so tell it yourself",
            ),
        ),
    ),
)
OWNERLESS = Variant(
    "ownerless",
    "A shell whose session was deleted.",
    ("`metadata.sessionID` names a session that `GET /api/session/{id}` answers 404 for",),
    (
        replace(
            END_SHELL,
            id="ownerless-end-shell",
            loses=(_WORK,),
            claim="W301.ending-an-ownerless-shell-wakes-nobody",
        ),
    ),
)
GHOST = Variant(
    "ghost",
    "The shell's process has ended, by a signal from outside; the preview goes on listing it as `running`, "
    "and its session waits for a notice that never comes.",
    (
        "`GET /api/shell` lists it as `running`",
        "there is no process with its `pid`",
    ),
    (
        replace(
            END_SHELL,
            id="ghost-end-shell",
            sentence="Remove the entry: the session is told at last that its command has ended.",
            loses=('A model turn: the session is woken and told `state="error"`',),
            confirms="the list no longer has it, and the session has a message that begins with `<shell`",
            claim="W301.ending-a-ghost-tells",
            requires=("Its process is really gone: look for its `pid` on the server's machine",),
        ),
    ),
)

VARIANTS = (OWN, SUB_AGENT, OWNERLESS, GHOST)
