"""W101: a call waits for a permission or an answer that nobody is there to give."""

from wedged.catalog.w101_claims import CLAIMS
from wedged.catalog.w101_match import CODE, SLUG, TITLE, match
from wedged.catalog.w101_variants import ABORT, ONCE, REJECT, REJECT_MESSAGE, VARIANTS
from wedged.facts.failure_class import FailureClass, LookAlike

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
        "`GET /session/status` says `busy` for the session, minute after minute.",
        "Exactly one tool part is `running`; a sibling call of the same response is `completed`.",
        "What the running command would have done has not happened: no folder, no process, no output.",
        "The model is not asked for anything, and no socket is open to it.",
        "`GET /permission` lists an ask whose `tool.callID` is the running part's `callID`.",
    ),
    claims=CLAIMS,
    recovery=(REJECT, REJECT_MESSAGE, ABORT, ONCE),
    variants=VARIANTS,
    look_alikes=(
        LookAlike(
            "A long command within its timeout, also one that traps signals",
            "The running part has `state.metadata`, a process below the server runs the command, and "
            "`GET /permission` lists nothing for the session",
        ),
        LookAlike(
            "A slow `webfetch`, or another tool that runs inside the server",
            "No ask is listed for the session. Nothing else shows from outside: no child process, no event, "
            "no model request until it ends",
        ),
        LookAlike(
            "A plugin that holds a call back (`tool.execute.before`)",
            "The part is `running` without `state.metadata`, exactly as beside an ask, and `GET /permission` "
            "and `GET /question` list nothing",
        ),
        LookAlike(
            "A model that drips, is silent for a while, or keeps its socket open",
            "No part is `running`: the newest message is the model's, without `time.completed`. Its text "
            "stays empty in `GET /session/{id}/message` until it is whole, so silence there proves nothing",
        ),
        LookAlike(
            "A model that answers 429 or 500 and is asked again",
            'The status is `{"type":"retry"}` with `attempt` and `next`, the time of the next request',
        ),
        LookAlike(
            "A status that lags behind an answer that has ended",
            "The newest message has `time.completed` and `finish` is `stop`; look again a second later",
        ),
        LookAlike(
            "An ask that is answered within a second",
            "It is younger than the grace: look again before you call it stuck",
        ),
        LookAlike(
            "A pending ask of a session that is idle",
            "The ask is a leftover, for instance of an abort; nothing waits for it",
        ),
        LookAlike(
            "A session of another directory, and a list that is empty because of it",
            "`GET /permission` and `GET /session/status` answer for one directory: repeat both with "
            "`?directory=` and the session's own `directory`",
        ),
    ),
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
)
