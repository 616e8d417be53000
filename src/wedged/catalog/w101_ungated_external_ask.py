"""W101: a call waits for a permission or an answer that nobody is there to give."""

from wedged.catalog.w101_claims import CLAIMS
from wedged.catalog.w101_look_alikes import LOOK_ALIKES
from wedged.catalog.w101_match import CODE, SLUG, TITLE, match
from wedged.catalog.w101_variants import ABORT, ONCE, REJECT, REJECT_MESSAGE, VARIANTS
from wedged.facts.failure_class import FailureClass

CLASS = FailureClass(
    code=CODE,
    slug=SLUG,
    title=TITLE,
    summary=(
        "A tool call wants something that needs a person's yes, most often a path outside the project "
        "(external_directory). The server asks, nobody is connected to see it, and the turn waits for an "
        "answer without any limit. Nothing was lost or dropped: the call has not begun."
    ),
    aliases=(
        "session stuck busy",
        "busy forever",
        "session never goes idle",
        "session stays busy",
        '{"type":"busy"}',
        '"status": "running"',
        "tool stuck running",
        "tool part frozen at running",
        "tool call never finishes",
        "bash tool call silently dropped",
        "tool call never dispatched",
        "multi-tool-call turn hangs",
        "mkdir -p never created the directory",
        "external_directory",
        "permission asked but no prompt shown",
        "GET /permission",
        "/api/session/{id}/permission is empty",
        "opencode run hangs",
        "opencode serve hangs, headless, no TTY",
        "no child processes, no sockets, still busy",
        "model is never asked for another turn",
        "prompt_async never finishes",
        "POST /session/{id}/abort is the only recovery",
        "question tool hangs",
    ),
    see=(
        "`GET /session/status` (V2: `GET /api/session/active`) names the session, minute after minute.",
        "Exactly one tool part is `running`; a sibling call of the same response is `completed`.",
        "What the running command would have done has not happened: no folder, no process, no output.",
        "The model is not asked for anything, and no socket is open to it.",
        (
            "`GET /permission` lists an ask whose `tool.callID` is the running part's `callID` (V2: "
            "`GET /api/session/{id}/permission`, and `source`)."
        ),
    ),
    claims=CLAIMS,
    recovery=(REJECT, REJECT_MESSAGE, ABORT, ONCE),
    variants=VARIANTS,
    look_alikes=LOOK_ALIKES,
    links=(
        (
            "#36804: multi-tool-call turn silently drops one bash dispatch (the report, with its cause)",
            "https://github.com/anomalyco/opencode/issues/36804",
        ),
        (
            "#36762: headless `opencode run`, any permission resolving to ask hangs forever",
            "https://github.com/anomalyco/opencode/issues/36762",
        ),
        (
            "#14473: bash permission ask hangs forever in headless/server mode",
            "https://github.com/anomalyco/opencode/issues/14473",
        ),
        (
            "#27907: APIs fail for good when a question tool part is stuck at running",
            "https://github.com/anomalyco/opencode/issues/27907",
        ),
        (
            "#35472: GET /session/status reports busy after the prompt has ended (a look-alike)",
            "https://github.com/anomalyco/opencode/issues/35472",
        ),
    ),
    match=match,
    search_weight=8.0,
)
