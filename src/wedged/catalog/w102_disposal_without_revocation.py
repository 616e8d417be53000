"""W102: a pending ask goes with its instance or location, and no event tells anybody."""

from wedged.catalog.w102_claims import CLAIMS
from wedged.catalog.w102_look_alikes import LOOK_ALIKES
from wedged.catalog.w102_match import CODE, SLUG, TITLE, match
from wedged.catalog.w102_variants import INTERRUPT, LIST_ASKS, PROMPT, VARIANTS
from wedged.facts.failure_class import FailureClass

CLASS = FailureClass(
    code=CODE,
    slug=SLUG,
    title=TITLE,
    summary=(
        "A permission request lives in the memory of one instance (V1) or location (V2). Disposing of it, by "
        "a dispose, a config change, an eviction or a restart, takes the request away without an event. A "
        "client that goes by events keeps the prompt, and every answer to it is 404. On the V2 preview the "
        "turn that waits is left behind as well, and hangs."
    ),
    aliases=(
        "Permission request not found: per_",
        "PermissionNotFoundError",
        '{"_tag":"PermissionNotFoundError"}',
        "permission prompt cannot be answered",
        "permission dialog stays on screen",
        "ghost permission prompt",
        "stale permission dialog",
        "Allow and Deny both fail with 404",
        "permission reply 404 forever",
        "404 retry loop on permission reply",
        "request failed toast on every click",
        "composer blocked by a permission prompt",
        "GET /api/session/{id}/permission returns []",
        "POST /global/dispose destroys pending permissions",
        "POST /instance/dispose",
        "PATCH /global/config disposes all instances",
        "server.instance.disposed",
        "location services evicted",
        "permission.replied never published",
        "tool part stays running executed:false",
        "Tool execution aborted",
        "Interaction cancelled because the location shut down",
        "The user rejected permission to use this specific tool call",
        "QuestionNotFoundError",
        "FormNotFoundError",
        "session running but nothing pending",
        "DELETE /api/debug/location",
        "kill -USR2 opencode, SIGUSR2 reload of the TUI",
        "instance disposed",
    ),
    see=(
        (
            "The prompt is on the screen; Allow and Deny both end in `Permission request not found: per_…` "
            "(404)."
        ),
        "The list of pending asks does not have it: `GET /permission`, or the session's own list on V2.",
        "No `permission.replied` ever came for it.",
        "The call is stored as `error`, with words that don't say why, or (V2 preview) as `running`.",
        "On the V2 preview `GET /api/session/active` goes on naming the session.",
    ),
    claims=CLAIMS,
    recovery=(LIST_ASKS, INTERRUPT, PROMPT),
    variants=VARIANTS,
    look_alikes=LOOK_ALIKES,
    links=(
        (
            "#52846: pending requests destroyed on instance disposal without revocation event (the report)",
            "https://github.com/anomalyco/opencode/issues/52846",
        ),
        (
            "#29422: prompts remain after the request is interrupted or cleaned up",
            "https://github.com/anomalyco/opencode/issues/29422",
        ),
        (
            "#52526: the same after instance reload and cleanup",
            "https://github.com/anomalyco/opencode/issues/52526",
        ),
        (
            "#50595: publish permission.replied on cleanup (closed)",
            "https://github.com/anomalyco/opencode/pull/50595",
        ),
        (
            "#53272: treat PermissionNotFoundError as terminal in the client (closed)",
            "https://github.com/anomalyco/opencode/pull/53272",
        ),
        (
            "#40960: the same in the TUI",
            "https://github.com/anomalyco/opencode/pull/40960",
        ),
        (
            "#52908: the sixty-minute sweep, measured for running shells",
            "https://github.com/anomalyco/opencode/issues/52908",
        ),
    ),
    match=match,
)
