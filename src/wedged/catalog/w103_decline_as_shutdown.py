"""W103: a declined turn is recorded as cut off by a shutdown, and comes back after a restart."""

from wedged.catalog.w103_claims import CLAIMS
from wedged.catalog.w103_look_alikes import LOOK_ALIKES
from wedged.catalog.w103_match import CODE, SLUG, TITLE, match
from wedged.catalog.w103_variants import PROMPT, VARIANTS
from wedged.facts.failure_class import FailureClass

CLASS = FailureClass(
    code=CODE,
    slug=SLUG,
    title=TITLE,
    summary=(
        "A person declined a tool call or dismissed a question. The server ended the turn the way it ends "
        "one that a shutdown cuts off: the reason is `shutdown`, nothing marks its end, and on 2.x it stays "
        "marked for resumption. The next start of the shared service resumes it, and tells the model to "
        "continue the very work that was declined."
    ),
    aliases=(
        (
            "The server restarted while you were working. Continue from where you left off without repeating "
            "completed work."
        ),
        "Continuing after restart",
        "declined tool call resumes after restart",
        "rejected permission resumes after server restart",
        "declined turn comes back",
        "agent continues work I rejected",
        "session resumes by itself after restart",
        'session.execution.interrupted {"reason":"shutdown"}',
        "interrupted with reason shutdown while the server keeps running",
        "The user declined this tool call",
        "The user dismissed this question",
        "Step interrupted",
        "time_suspended is not null",
        "time_suspended stays set",
        "session_v2.time_suspended",
        "no idle marker after reject",
        "outcome missing after reject",
        "opencode serve --service resumes a turn",
        "opencode session export started a turn",
        "cancelled question form resumes",
        "reject recorded as shutdown",
        "resume_attempts",
    ),
    see=(
        (
            "After a restart a session works that nobody prompted; its history has a message "
            '"The server restarted while you were working. …" after a call that a person declined.'
        ),
        (
            'Before the restart: `session.execution.interrupted {"reason":"shutdown"}` on the event stream, '
            "from a server that keeps running."
        ),
        (
            "The newest message is the model's, with `error` (`Step interrupted`); its call's error is "
            "`The user declined this tool call` or `The user dismissed this question`."
        ),
        (
            "2.x: no `idle` message follows it, and `outcome` of `GET /api/session/{id}` is missing, or an "
            "older turn's."
        ),
        "2.x: `select time_suspended from session_v2` is not NULL for the session.",
    ),
    claims=CLAIMS,
    recovery=(PROMPT,),
    variants=VARIANTS,
    look_alikes=LOOK_ALIKES,
    links=(
        (
            "#54180: declining a tool call is recorded as shutdown (the report, with its cause)",
            "https://github.com/anomalyco/opencode/issues/54180",
        ),
        (
            "#54344: a declined tool call reports a deliberate stop (the change that was offered)",
            "https://github.com/anomalyco/opencode/pull/54344",
        ),
        (
            "#36347: keeping permission and question waits across restarts",
            "https://github.com/anomalyco/opencode/issues/36347",
        ),
        (
            "#35646: auto-resume after a restart",
            "https://github.com/anomalyco/opencode/issues/35646",
        ),
    ),
    match=match,
)
