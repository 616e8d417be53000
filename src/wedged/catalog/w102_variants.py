"""W102's variants: how each shows itself, and the way out."""

from wedged.facts.failure_class import Variant
from wedged.facts.recovery import Action, Step

LIST_ASKS = Step(
    "list-asks",
    Action.LIST_ASKS,
    "Ask the server whether the request still exists, and drop the prompt where the list does not have it.",
    loses=("The answer that a person gave: it reaches nobody",),
    leaves=("The call did not run; the model learns that with the next prompt",),
    confirms="the id is not in the answer; `wedged doctor --ask per_…` says that it is gone",
    claim="W102.list-tells",
)
INTERRUPT = Step(
    "interrupt",
    Action.ABORT,
    "Interrupt the session, and only then prompt it again.",
    loses=(
        "The whole turn, with every call of it that still runs",
        "Sent the other way round, a prompt is accepted and stranded until the one after it",
    ),
    confirms="`GET /api/session/active` names the session no more, its call says `error` (Tool execution "
    "interrupted), and the next prompt is answered",
    claim="W102.interrupt-frees",
)
PROMPT = Step(
    "prompt",
    Action.PROMPT,
    "Once the session is idle, prompt it: the model reads that its call failed, and goes on.",
    loses=("A further model turn is spent", "The call may be made, and asked about, again"),
    confirms="the model is asked once more, and its newest message is complete",
    claim="W102.prompt-after-goes-on",
    requires=("The session is idle: a prompt into a turn that hangs is stranded",),
    message="The permission request was lost. Go on.",
)

GHOST = Variant(
    "ghost-in-client",
    "The server has settled the turn; the prompt is in clients only, which no event told to drop it.",
    (
        "`GET /session/status` (V2: `/api/session/active`) does not name the session; its call is `error`",
        (
            "the error is `Tool execution aborted` or `The user rejected permission …`, which nobody did; on "
            "2.x `Interaction cancelled because the location shut down`"
        ),
        "`wedged doctor --ask per_…` says that the ask is gone",
    ),
    (LIST_ASKS, PROMPT),
)
DETACHED = Variant(
    "detached-turn",
    (
        "The location was evicted under a turn that waits: nobody can answer, and the turn waits on (V2 "
        "preview)."
    ),
    (
        "`GET /api/session/active` says `running`; the call is `running`, `executed: false`",
        "the session's own list of asks, and its location's, are empty; a reply is answered 404",
        "`GET /api/debug/location` does not have the session's directory, until something loads it again",
    ),
    (INTERRUPT, PROMPT),
)

VARIANTS = (GHOST, DETACHED)
