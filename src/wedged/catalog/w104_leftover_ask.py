"""W104: the turn is over, and its ask stays in the list."""

from wedged.catalog.w104_claims import CLAIMS
from wedged.catalog.w104_match import CODE, SLUG, TITLE, match
from wedged.facts.failure_class import FailureClass, LookAlike, Variant
from wedged.facts.recovery import Action, Step

DISMISS = Step(
    "dismiss-leftover",
    Action.DISMISS_LEFTOVER,
    "Reject the leftover: it leaves the list, and nothing runs.",
    loses=("Nothing: no turn waits for it",),
    confirms="the ask is not listed any more; `permission.replied` with `reject` came for it",
    claim="W104.reject-clears-it",
)

_AFTER = Variant(
    "after-the-turn",
    "The turn was aborted, or its model's stream broke: the session is idle, the ask stays.",
    (
        "`GET /permission` lists the ask, and `GET /session/status` does not name its session",
        "its call is `error`, or was never stored",
    ),
)
_BESIDE = Variant(
    "beside-a-turn",
    "The session works on a later turn, and the ask of an earlier one is still listed.",
    ("`GET /permission` lists an ask whose call is `error`, while the session is `busy`",),
)

CLASS = FailureClass(
    code=CODE,
    slug=SLUG,
    title=TITLE,
    summary=(
        "V1 ends an aborted turn and forgets to take its ask off the list. Clients go on showing the prompt. "
        "Nothing waits for it any more, but the call behind it is not dead: approving the leftover still "
        "writes the file, unseen by the model and with the turn long over. Reject it."
    ),
    aliases=(
        "permission prompt still shown after abort",
        "leftover permission request",
        "stale permission request in GET /permission",
        "POST /session/{id}/abort leaves the permission",
        "permission still pending but session idle",
        "approve does nothing after abort",
        "file was written after I aborted",
        "tool ran after abort",
        "allowed an old permission prompt by mistake",
        "GET /permission lists an ask of an idle session",
        "GET /question lists a question nobody waits for",
        "Tool execution aborted but prompt remains",
        "MessageAbortedError and a pending permission",
        "permission reply returns true but nothing happens",
    ),
    see=(
        "`GET /permission` lists an ask; `GET /session/status` does not name its session.",
        "The call that the ask names is `error` (Tool execution aborted), or is not stored at all.",
        "A reply is answered 200 once, and the session does not move.",
    ),
    claims=CLAIMS,
    recovery=(DISMISS,),
    variants=(_AFTER, _BESIDE),
    look_alikes=(
        LookAlike(
            "An ask that a turn waits for",
            "Its session is `busy` and its call `running`: answer it, [W101](W101-ungated-external-ask.md)",
            "W104.not-waiting",
        ),
        LookAlike(
            "A prompt on the screen that no list has",
            "The other way round: gone from the server, left in the client, "
            "[W102](W102-disposal-without-revocation.md)",
            "W104.not-gone",
        ),
        LookAlike(
            "A sub-agent's ask, seen from its idle-looking parent",
            "The ask's `sessionID` is the sub-agent's, and that session is `busy`: "
            "[W105](W105-hidden-child-ask.md)",
            "W104.not-child",
        ),
    ),
    links=(
        (
            "#29422: prompts remain after the request is interrupted or cleaned up",
            "https://github.com/anomalyco/opencode/issues/29422",
        ),
        (
            "#52846: the report of W102, whose comments name the interrupt",
            "https://github.com/anomalyco/opencode/issues/52846",
        ),
    ),
    match=match,
)
