"""W105's variants and its ways out. Each is sent for the sub-agent's session, not for the parent's."""

from wedged.facts.failure_class import Variant
from wedged.facts.recovery import Action, Step

_NOT_RUN = "The call does not run"
_ALL_ASKS = "Every other ask of the same sub-agent is rejected with it"
_UNREAD = "On V2 the message is lost: the sub-agent's model is told only that the call failed"
_LEFT = "On V1 the ask stays listed; approving it later still runs its call: reject it (W104)"

REJECT = Step(
    "child-reject",
    Action.REPLY_REJECT,
    "Find the sub-agent's session, and reject its ask: its turn ends, and the parent goes on.",
    loses=(
        _NOT_RUN,
        "The sub-agent's model is not told",
        "On 1.17.18 the parent's model is not told either: its `task` call is `completed` and empty",
        _ALL_ASKS,
    ),
    confirms="the sub-agent is no longer busy, the parent's call has ended, and the parent goes idle after "
    "one more turn",
    claim="W105.reject-ends-it",
)
REJECT_MESSAGE = Step(
    "child-reject-message",
    Action.REPLY_REJECT_MESSAGE,
    "Reject the sub-agent's ask with a message: the sub-agent goes on, and on V1 reads it.",
    loses=(_NOT_RUN, "A further model turn of the sub-agent is spent", _UNREAD, _ALL_ASKS),
    confirms="the sub-agent's call says `error` (V1: with your message); it ends, and so does the parent",
    claim="W105.reject-message-goes-on",
)
INTERRUPT = Step(
    "child-interrupt",
    Action.ABORT,
    "Interrupt the sub-agent, not the parent: its turn ends, and the parent is told that it was cancelled.",
    loses=(
        "The sub-agent's whole turn, with every call of it that still runs",
        "The parent goes on with a further model turn",
    ),
    leaves=(_LEFT,),
    confirms="the sub-agent is no longer busy; the parent's call says `error` (V1: Task cancelled; V2: "
    "Subagent cancelled)",
    claim="W105.parent-is-told-cancelled",
)
ONCE = Step(
    "child-once",
    Action.REPLY_ONCE,
    "Approve the sub-agent's ask once: its call runs, and both turns go on.",
    loses=("The call runs with the server's rights",),
    confirms="the sub-agent's call says `completed`; both sessions go idle",
    claim="W105.once-runs-it",
    requires=("A person has read the call (V1: `metadata` of the ask; V2: the call's input)",),
)

PARENT_WAITS = Variant(
    "parent-waits",
    "The parent's call that started the sub-agent runs on and waits for it.",
    (
        "two sessions are busy; the parent's `running` part is of the tool `task` (V2: `subagent`)",
        "the ask's `sessionID` is the sub-agent's; the parent's own list is empty",
    ),
)
PARENT_IDLE = Variant(
    "parent-idle",
    "The sub-agent works in the background: the parent's turn is over, and nothing of it shows the ask.",
    (
        "V2: `GET /api/session/active` names the sub-agent, and not the parent",
        "the parent's `subagent` call is `completed`; the ask is in the sub-agent's own list",
    ),
)

RECOVERY = (REJECT, REJECT_MESSAGE, INTERRUPT, ONCE)
VARIANTS = (PARENT_WAITS, PARENT_IDLE)
