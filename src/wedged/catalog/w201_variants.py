"""W201's variants and its cures: V1's, then V2's, the one that loses least first."""

from wedged.facts.failure_class import Variant
from wedged.facts.recovery import Action, Step

_NO_OTHER = "No other process has the same database open (W002): there this destroys a live turn"

SETTLE_PART = Step(
    "settle-part",
    Action.SETTLE_PART,
    "Write the call's end into it: PATCH the whole part, its state an error",
    loses=(
        "The command's real result, which was lost with the server already",
        "The record of what the server had stored: the part says from now on that it failed",
    ),
    confirms="the answer is 200 and the part says `error`; the next turn's model reads its text",
    claim="W201.settle-part-ends-it",
    requires=(_NO_OTHER,),
)
PROMPT = Step(
    "prompt",
    Action.PROMPT,
    "Send the session a prompt: V2 ends what was left before the turn begins",
    loses=(
        "A model turn, which may call tools like any other",
        "What the command had printed: the model learns that the call was interrupted, and no more",
    ),
    confirms="the call says `error` (Tool execution interrupted: shell), whatever the model answers",
    claim="W201.prompt-ends-it",
    requires=(_NO_OTHER,),
    message="The server crashed while your last call ran. Look at what is done before you go on.",
)
DELETE_PART = Step(
    "delete-part",
    Action.DELETE_PART,
    "Delete the call from the message",
    loses=(
        "The model's memory of having acted: the next turn does not know that the command ever began",
        "What the command had printed",
    ),
    confirms="the answer is 200 and the part is gone from the session's messages",
    claim="W201.delete-part-removes-it",
    requires=(_NO_OTHER,),
)
DELETE_MESSAGE = Step(
    "delete-message",
    Action.DELETE_MESSAGE,
    "Delete the whole message that holds the call (409 where a turn of this server runs it)",
    loses=(
        "Everything of that message: its text, its other calls and their results",
        "The model's memory of all of it",
    ),
    confirms="the answer is 200 and the message is gone from the session's messages",
    claim="W201.delete-message-removes-it",
    requires=(_NO_OTHER,),
)

RUNNING = Variant(
    "running",
    "The call ran when the server died.",
    (
        "`state.status` is `running`, its input whole; on V1 `state.metadata.output` is what it printed",
        "the command itself may still run, below no server (W203)",
    ),
)
UNWRITTEN = Variant(
    "unwritten",
    "The model was still writing the call when the server died: nothing of it was ever run.",
    ("`state.status` is `pending` (V1) or `streaming` (V2), its input empty",),
)

RECOVERY = (SETTLE_PART, PROMPT, DELETE_PART, DELETE_MESSAGE)
VARIANTS = (RUNNING, UNWRITTEN)
