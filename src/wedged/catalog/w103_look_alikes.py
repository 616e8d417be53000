"""What resembles W103 and is not it: the test for each, and the claim that doctor stays silent about it."""

from wedged.facts.failure_class import LookAlike

LOOK_ALIKES = (
    LookAlike(
        "A turn that a shutdown really cut off",
        "Reason, mark and step error are the same. The call's error is not: `Tool execution interrupted`, or "
        "`Interaction cancelled because the location shut down`. That it is resumed is meant",
        "W103.not-shutdown",
    ),
    LookAlike(
        "A turn that was interrupted",
        "The reason is `user`, the call's error `Tool execution interrupted`, and 2.x puts an `idle` message "
        "with the outcome `interrupted` after it",
        "W103.not-interrupted",
    ),
    LookAlike(
        "A turn that its model failed",
        "No call was declined; the event is `session.execution.failed`, the outcome `failed`",
        "W103.not-failed",
    ),
    LookAlike(
        "A call that was declined with a message",
        "Its error is the tool's own (`Unable to execute command: …`), and the turn went on to an answer",
        "W103.not-message",
    ),
    LookAlike(
        "A declined call that stays `running`",
        "Another call of the same response still runs: the session is in `GET /api/session/active`. The "
        "decline is settled when that one ends",
        "W103.not-sibling",
    ),
    LookAlike(
        "A fork of a session with a declined turn",
        "`GET /api/session/{id}` has `fork`: the call was copied with the history, the mark was not",
        "W103.not-fork",
    ),
)
