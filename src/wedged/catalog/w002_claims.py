"""W002's claims. `Here` is the server that is asked, `there` the one that runs the turn."""

from wedged.facts.failure_class import Claim

_OBSERVED = "observed by this project"


def _claims(*rows: tuple[str, str, str]) -> tuple[Claim, ...]:
    return tuple(Claim(f"W002.{name}", sentence, arm=arm, source=_OBSERVED) for arm, name, sentence in rows)


CLAIMS = (
    Claim(
        "W002.control-completes",
        "A call that the other server has run to its end is `completed` on both.",
        arm="control",
        source=_OBSERVED,
        control=True,
    ),
    Claim(
        "W002.looks-stale",
        (
            "While another server on the same database runs the call, this one lists it as "
            "`running` and says that nothing works on its session."
        ),
        arm="trigger",
        source=_OBSERVED,
        defining=True,
    ),
    *_claims(
        ("trigger", "alike-on-both", "Both servers give the session's messages byte for byte alike."),
        ("placebo", "placebo-stays", "That stays so for as long as the call runs."),
        (
            "doctor",
            "doctor-warns",
            "Doctor warns of the other server (W002), offers nothing to send, and does not report W201.",
        ),
        (
            "ask-there",
            "other-server-names-it",
            "Asked for its statuses, the other server names the session as working.",
        ),
        ("left-alone", "left-alone-it-ends", "Left alone, the turn ends by itself, and both servers say so."),
        (
            "abort-there",
            "abort-there-ends-it",
            "Abort through the server that runs the turn ends it, and both servers say so.",
        ),
        (
            "abort-here",
            "abort-here-does-nothing",
            "Abort through this server is answered with success and changes nothing.",
        ),
        (
            "settle-here",
            "settle-here-is-taken",
            (
                "PATCH of the part through this server is answered 200 while the call is live, and "
                "is seen on both."
            ),
        ),
        (
            "settle-here",
            "settle-here-loses-the-result",
            "The command runs on to its end all the same, and the model is told that it was interrupted.",
        ),
        (
            "delete-part-here",
            "delete-part-here-loses-the-call",
            (
                "DELETE of the part through this server is answered 200, and the model that waits "
                "for the result does not learn that it made the call."
            ),
        ),
        (
            "delete-message-here",
            "delete-message-here-breaks-the-turn",
            (
                "DELETE of the message through this server is answered 200, and the live turn "
                "breaks off with an error of the database."
            ),
        ),
        (
            "prompt-here",
            "prompt-here-starts-a-second-turn",
            "A prompt through this server starts a second turn while the first one still runs its command.",
        ),
        (
            "prompt-here",
            "prompt-here-ends-the-live-call",
            "The prompt marks the live call as `error` while its command runs on, and its result is lost.",
        ),
        (
            "like-running-here",
            "not-running-here",
            "Doctor reports no W002 for a call that this server runs, with another server beside it.",
        ),
        ("like-crashed", "not-crashed", "Doctor reports no W002 once the other server is gone."),
    ),
)
