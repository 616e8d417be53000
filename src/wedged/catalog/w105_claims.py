"""W105's claims: each one testable sentence, with the arm whose trials speak for it."""

from wedged.facts.failure_class import Claim

_REPORT = (
    'anomalyco/opencode #52846, comments: "a permission raised in a sub-agent session is not visible from '
    'the parent session or the active-sessions endpoint"'
)
_OBSERVED = "observed by this project"


def _claims(arm: str, source: str, *sentences: tuple[str, str]) -> tuple[Claim, ...]:
    return tuple(Claim(f"W105.{name}", sentence, arm=arm, source=source) for name, sentence in sentences)


CLAIMS = (
    Claim(
        "W105.control-completes",
        "A sub-agent that asks nobody does its work, and its parent's turn ends.",
        arm="control",
        source=_OBSERVED,
        control=True,
    ),
    Claim(
        "W105.parent-lists-nothing",
        "While a sub-agent waits for a person, its ask is listed under its own session only: asked for the "
        "parent's, the server has none.",
        arm="trigger",
        source=_REPORT,
        defining=True,
    ),
    *_claims(
        "trigger",
        _REPORT,
        (
            "status-says-working",
            "The statuses say of both sessions that they work, and of neither that it waits.",
        ),
        ("parent-waits", "The parent's call that started it stays `running`, and its model is not asked."),
    ),
    *_claims(
        "trigger",
        _OBSERVED,
        ("doctor-names-it", "Doctor reports the ask, the sub-agent and the parent that waits for it."),
    ),
    *_claims(
        "placebo",
        _OBSERVED,
        (
            "placebo-stays",
            "Over the same wait in which the cures work, with nothing sent, both stay as they are.",
        ),
    ),
    *_claims(
        "reject",
        _OBSERVED,
        (
            "reject-ends-it",
            "Rejecting the sub-agent's ask ends its turn, and the parent's turn goes on to its end.",
        ),
    ),
    *_claims(
        "reject-message",
        _OBSERVED,
        (
            "reject-message-goes-on",
            "After a reject with a message the sub-agent goes on to its end, and so does the parent.",
        ),
    ),
    *_claims(
        "once",
        _OBSERVED,
        ("once-runs-it", "Approving it once runs the call, and both turns go on to their ends."),
    ),
    *_claims(
        "interrupt",
        _REPORT,
        (
            "parent-is-told-cancelled",
            (
                "Interrupting the sub-agent ends its turn; the parent's call ends as cancelled, and its "
                "model is told so."
            ),
        ),
        ("interrupt-no-event", "No event says that the sub-agent's ask is over."),
    ),
    *_claims(
        "interrupt-parent",
        _OBSERVED,
        (
            "parent-takes-both-down",
            "Interrupting the parent ends both turns: what the sub-agent has done so far is lost.",
        ),
    ),
    *_claims(
        "background",
        _OBSERVED,
        (
            "background-parent-is-idle",
            (
                "A sub-agent in the background asks while its parent's turn is over: nothing of the parent's "
                "shows that anything waits."
            ),
        ),
    ),
    *(
        Claim(
            f"W105.not-{name}", f"Doctor reports no W105 for {words}.", arm=f"like-{name}", source=_OBSERVED
        )
        for name, words in (
            ("own-ask", "a session's own ask"),
            ("working", "a sub-agent that works"),
            ("leftover", "a sub-agent that was interrupted while its ask was pending"),
        )
    ),
)
