"""W103's claims: each one testable sentence, with the arm whose trials speak for it."""

from wedged.facts.failure_class import Claim

_REPORT = (
    'anomalyco/opencode #54180, "v2: declining a tool call is recorded as shutdown, so the declined turn '
    'resumes after a server restart"'
)
_COMMENT = f"{_REPORT}; the author's comment on a cancelled question"
_EXPECTED = f"{_REPORT}; what it expects of a deliberate stop"
_OBSERVED = "observed by this project"

CLAIMS = (
    Claim(
        "W103.control-completes",
        "A call that is approved once runs, its turn ends as succeeded, and no mark for resumption is left.",
        arm="control",
        source=_REPORT,
        control=True,
    ),
    Claim(
        "W103.recorded-as-shutdown",
        "Rejecting a permission request ends the turn with session.execution.interrupted and the reason "
        "shutdown, while the server keeps running.",
        arm="trigger",
        source=_REPORT,
        defining=True,
    ),
    Claim(
        "W103.words-in-order",
        "Three events say so, in this order: the call fails (The user declined this tool call), the step "
        "fails (Step interrupted), the execution is interrupted.",
        arm="trigger",
        source=_REPORT,
    ),
    Claim(
        "W103.mark-stays",
        "The turn stays marked for resumption: time_suspended, set when the turn began, is not cleared.",
        arm="trigger",
        source=_REPORT,
    ),
    Claim(
        "W103.no-idle-mark",
        "The history gets no `idle` message for the declined turn.",
        arm="trigger",
        source=_REPORT,
    ),
    Claim(
        "W103.asked-once",
        "Until a restart the model is asked for nothing more, and the declined command has not run.",
        arm="trigger",
        source=_REPORT,
    ),
    Claim(
        "W103.doctor-names-it",
        "Doctor reports the turn: as latent where the mark is set, as past where there is none.",
        arm="trigger",
        source=_OBSERVED,
    ),
    Claim(
        "W103.question-recorded-as-shutdown",
        "Dismissing a question ends the turn in the same way (The user dismissed this question).",
        arm="question",
        source=_COMMENT,
    ),
    Claim(
        "W103.message-goes-on",
        "A reject with a message is no such end: the model is asked once more, the turn ends as succeeded, "
        "and no mark is left.",
        arm="reject-message",
        source=_OBSERVED,
    ),
    Claim(
        "W103.message-is-not-passed-on",
        "The message of such a reject does not reach the model: it is told that the call could not be done.",
        arm="reject-message",
        source=_OBSERVED,
    ),
    Claim(
        "W103.interrupt-is-deliberate",
        "Interrupting the turn in place of declining its ask ends it with the reason user, and no mark is "
        "left.",
        arm="interrupt",
        source=_EXPECTED,
    ),
    Claim(
        "W103.interrupt-publishes-no-reply",
        "The interrupt publishes no permission.replied: other clients are not told that the ask is gone.",
        arm="interrupt",
        source=_OBSERVED,
    ),
    Claim(
        "W103.answer-completes",
        "A question that is answered in place of dismissed lets its turn end as succeeded, without a mark.",
        arm="answer",
        source=_OBSERVED,
    ),
    Claim(
        "W103.one-decline-declines-all",
        "One reject declines every pending ask of the session: both calls of the response say that the user "
        "declined them.",
        arm="two-asks",
        source=_OBSERVED,
    ),
    Claim(
        "W103.background-shell-runs-on",
        "A background shell of the declined turn runs on, as it does after an interrupt.",
        arm="background-shell",
        source=f"{_REPORT}; it says that jobs.cancel is skipped",
    ),
    Claim(
        "W103.sub-agent-recorded-as-shutdown",
        "A sub-agent's declined turn is recorded as shutdown too; its parent is told that it was cancelled, "
        "and goes on.",
        arm="sub-agent",
        source=_OBSERVED,
    ),
    *(
        Claim(f"W103.{name}", sentence, arm=arm, source=source)
        for name, arm, source, sentence in (
            (
                "resumed-after-restart",
                "restart",
                _REPORT,
                (
                    "After a restart of a server that runs with --service the declined turn is resumed: the "
                    "model is asked again, and the last words it gets are that the server restarted."
                ),
            ),
            (
                "ends-as-succeeded",
                "restart",
                _REPORT,
                (
                    "The history then reads: prompt, declined call, restart message, new answer, idle "
                    "succeeded. The mark is gone."
                ),
            ),
            (
                "file-shows-the-mark",
                "restart",
                _OBSERVED,
                "Of the stopped server's database alone doctor says which of its turns were declined.",
            ),
            (
                "resumed-only-once",
                "restart",
                _OBSERVED,
                "A second restart resumes the turn no further.",
            ),
            (
                "question-resumed",
                "restart-question",
                _COMMENT,
                "The turn of a dismissed question is resumed after a restart in the same way.",
            ),
            (
                "resumed-after-crash",
                "crash",
                _REPORT,
                "After a SIGKILL and a start with --service the declined turn is resumed in the same way.",
            ),
            (
                "cut-off-resumed",
                "cut-off",
                _OBSERVED,
                "A turn that the SIGTERM really cut off is resumed by the next start with --service.",
            ),
            (
                "cut-off-in-other-words",
                "cut-off",
                _OBSERVED,
                (
                    "Its call fails as Tool execution interrupted, and no client hears of it: the event "
                    "stream ends before any event that says so."
                ),
            ),
            (
                "message-not-resumed",
                "restart-message",
                _OBSERVED,
                "A turn declined with a message is not resumed after a restart.",
            ),
            (
                "interrupt-not-resumed",
                "restart-interrupt",
                _EXPECTED,
                "A turn that was interrupted in place of declined is not resumed after a restart.",
            ),
            (
                "sub-agent-not-resumed",
                "restart-sub-agent",
                _OBSERVED,
                "A sub-agent's declined turn is not resumed: the start clears its mark.",
            ),
            (
                "prompt-clears-it",
                "prompt",
                _OBSERVED,
                "A new prompt that the model has answered clears the mark; nothing is resumed.",
            ),
            (
                "interrupted-prompt-clears-it",
                "prompt-interrupt",
                _OBSERVED,
                "A new prompt that is interrupted before its answer clears the mark; nothing is resumed.",
            ),
            (
                "late-interrupt-changes-nothing",
                "late-interrupt",
                _OBSERVED,
                (
                    "An interrupt after the decline clears nothing: what was marked stays marked, and is "
                    "resumed."
                ),
            ),
            (
                "plain-resumes-nothing",
                "plain-restart",
                _OBSERVED,
                "A restart of a plain `serve` leaves the declined turn as it is and resumes nothing.",
            ),
            (
                "command-line-resumes-it",
                "command-line",
                _OBSERVED,
                (
                    "A command-line call without --standalone or --server starts the shared service on the "
                    "same data, and that resumes the declined turn: looking changes what is looked at."
                ),
            ),
            (
                "waits-for-sibling",
                "like-sibling",
                _OBSERVED,
                (
                    "Beside a call that still runs a reject settles nothing: the declined call stays "
                    "running, without an ask, until its sibling ends."
                ),
            ),
        )
    ),
    *(
        Claim(
            f"W103.not-{name}", f"Doctor reports no W103 for {words}.", arm=f"like-{name}", source=_OBSERVED
        )
        for name, words in (
            ("shutdown", "a turn that a real shutdown cut off"),
            ("interrupted", "a turn that was interrupted while it asked"),
            ("failed", "a turn that ended because its model request failed"),
            ("message", "a turn whose call was declined with a message and that went on"),
            ("sibling", "a declined call whose turn still runs a sibling"),
            ("fork", "a fork of a session with a declined turn"),
        )
    ),
)
