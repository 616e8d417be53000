"""W002: a session looks stale on one server because another one on the same database runs it."""

from wedged.catalog.w002_claims import CLAIMS
from wedged.catalog.w002_match import CODE, SLUG, TITLE, match
from wedged.facts.failure_class import FailureClass, LookAlike, Variant
from wedged.facts.recovery import Action, Step

ASK_THERE = Step(
    "ask-there",
    Action.ASK_STATUS,
    "Ask the other server who works: it names the session",
    loses=("Nothing: it is a read",),
    confirms="the session is `busy` (V1) or `running` (V2) in the other server's list",
    claim="W002.other-server-names-it",
    elsewhere=True,
    requires=("It is sent to the other server, not to this one",),
)
ABORT_THERE = Step(
    "abort-there",
    Action.ABORT,
    "End the turn through the server that runs it, where it has to end now",
    loses=("The whole turn, with every call of it that still runs",),
    confirms="the other server no longer names the session; on both the call has ended",
    claim="W002.abort-there-ends-it",
    elsewhere=True,
    requires=("It is sent to the server that runs the turn: this one answers with success and does nothing",),
)

CLASS = FailureClass(
    code=CODE,
    slug=SLUG,
    title=TITLE,
    summary=(
        "Two servers have the same database open: a terminal beside `opencode serve`, an editor's "
        "server beside a terminal's, `opencode run` in a second window. Who runs a turn is known "
        "to the server that runs it alone. The other one has the stored messages, in which the "
        "call is `running`, and nobody who works: exactly what a crash leaves. Nothing is stuck, "
        "and every cure for a stale call destroys a live one."
    ),
    aliases=(
        "session idle here, busy in the other terminal",
        "two opencode instances same project",
        "TUI and opencode serve on one database",
        "opencode.db opened by two processes",
        "second server shows tool running but status {}",
        "GET /session/status is {} but the agent is working",
        "session shown as stuck in the web client, works in the terminal",
        'Failed query: insert into "part"',
        "SQLITE_CONSTRAINT foreign key, message deleted while the turn runs",
        "Tool execution aborted, but the command finished",
        "Tool execution interrupted: shell, but it was running",
        "turn answered twice after prompting from another client",
    ),
    see=(
        "One client shows the session at work, another one shows it idle with a tool that is `running`.",
        (
            "`GET /session/status` (V1) or `GET /api/session/active` (V2) of this server does not "
            "name the session."
        ),
        (
            "More than one process has the database open (`lsof …/opencode/opencode.db`), and one "
            "of them is older than the call."
        ),
        "The call's command is a process below that other one.",
    ),
    claims=CLAIMS,
    recovery=(ASK_THERE, ABORT_THERE),
    variants=(
        Variant(
            "runs-elsewhere",
            "The call's command runs below another process that has the same database open.",
            ("a process with the call's command line, its parent another opencode that holds the database",),
        ),
        Variant(
            "may-run-elsewhere",
            "Another process has had the database open since before the call; what it does can't be seen.",
            (
                (
                    "a second holder of the database, older than the call; no process with the "
                    "call's command line"
                ),
            ),
        ),
    ),
    look_alikes=(
        LookAlike(
            (
                "A call that a crash has left (W201): the same answers, and nobody runs it. **What "
                "W201's cures do here**: V1's PATCH and DELETE are taken for a live call, V2's "
                "prompt ends it and starts a second turn; the command runs on, and its result is "
                "lost"
            ),
            "No process that has the database open is older than the call",
            "W002.not-crashed",
        ),
        LookAlike(
            "A call that this very server runs, with another server beside it",
            "This server's own list names the session",
            "W002.not-running-here",
        ),
        LookAlike(
            "A session of another directory on the same server (V1)",
            "Ask again with the session's own directory: W001",
        ),
    ),
    danger=(
        "Nothing is stuck. Do to this session none of what is done for a call that a crash has "
        "left (W201): through this server each of those requests reaches the turn that is alive."
    ),
    harm=(
        "W002.settle-here-loses-the-result",
        "W002.delete-part-here-loses-the-call",
        "W002.delete-message-here-breaks-the-turn",
        "W002.prompt-here-ends-the-live-call",
    ),
    links=(
        (
            "#58386: the crash that this looks like",
            "https://github.com/anomalyco/opencode/issues/58386",
        ),
    ),
    match=match,
)
