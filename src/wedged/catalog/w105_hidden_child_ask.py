"""W105: a sub-agent waits for a person, and nothing of its parent's shows it."""

from wedged.catalog.w105_claims import CLAIMS
from wedged.catalog.w105_match import CODE, SLUG, TITLE, match
from wedged.catalog.w105_variants import RECOVERY, VARIANTS
from wedged.facts.failure_class import FailureClass, LookAlike

CLASS = FailureClass(
    code=CODE,
    slug=SLUG,
    title=TITLE,
    summary=(
        "An agent hands work to a sub-agent, and the sub-agent's call wants a person's yes. The ask is filed "
        "under the sub-agent's session. The parent's session, which is the one that people look at, is busy "
        "and lists nothing; the statuses say only that both work. So it waits until somebody opens the other."
    ),
    aliases=(
        "sub-agent permission not visible from the parent session",
        "subagent waits for permission",
        "task tool stuck running",
        "subagent tool stuck running",
        "parent session busy, no permission pending",
        "GET /api/session/{id}/permission is empty for the parent",
        "GET /api/session/active says running for both",
        "permission asked in a child session",
        "child session permission prompt not shown",
        "headless run waits silently on a sub-agent",
        "Task cancelled",
        "Subagent cancelled",
        "delegated agent hangs forever",
        "background subagent never finishes",
    ),
    see=(
        "The session is busy; its `task` (V2: `subagent`) call is `running`; its own list of asks is empty.",
        "A second session is busy too, whose `parentID` is the first one's id. The ask is in its list.",
        "Neither model is asked for anything, and no process runs.",
        "On V2 each session has its own list: `GET /api/session?parentID={id}` gives the sub-agents.",
    ),
    claims=CLAIMS,
    recovery=RECOVERY,
    variants=VARIANTS,
    look_alikes=(
        LookAlike(
            "The session's own ask",
            "It is in the list under the session's own id: [W101](W101-ungated-external-ask.md)",
            "W105.not-own-ask",
        ),
        LookAlike(
            "A sub-agent that works",
            "A process below the server runs its command, or its model is asked; no ask has its id",
            "W105.not-working",
        ),
        LookAlike(
            "The ask of a sub-agent that is no longer busy (V1)",
            "Nothing waits for it any more: [W104](W104-leftover-ask.md)",
            "W105.not-leftover",
        ),
        LookAlike(
            "A sub-agent whose ask went with its location (V2 preview)",
            "Busy, its call `running`, and no list has an ask: [W102](W102-disposal-without-revocation.md)",
        ),
    ),
    links=(
        (
            "#52846: the comment that describes it",
            "https://github.com/anomalyco/opencode/issues/52846",
        ),
        (
            "#36762: headless `opencode run`, any permission resolving to ask hangs forever",
            "https://github.com/anomalyco/opencode/issues/36762",
        ),
    ),
    match=match,
)
