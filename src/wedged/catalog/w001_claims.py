"""W001's claims: each one testable sentence, with the arm whose trials speak for it."""

from wedged.facts.failure_class import Claim

_OBSERVED = "observed by this project"


def _claims(*rows: tuple[str, str, str]) -> tuple[Claim, ...]:
    return tuple(Claim(f"W001.{name}", sentence, arm=arm, source=_OBSERVED) for arm, name, sentence in rows)


CLAIMS = (
    Claim(
        "W001.control-is-named",
        "A session of the server's own directory is named by the list of statuses while it works, and ends.",
        arm="control",
        source=_OBSERVED,
        control=True,
    ),
    Claim(
        "W001.looks-idle",
        (
            "The list of statuses, asked without the directory of a session that works elsewhere, "
            "does not name it."
        ),
        arm="trigger",
        source=_OBSERVED,
        defining=True,
    ),
    *_claims(
        (
            "trigger",
            "messages-say-running",
            "Its messages are answered all the same, and hold a call that is `running`.",
        ),
        ("other-name", "another-name-is-empty-too", "Naming a third directory gives the same empty answer."),
        ("placebo", "placebo-stays", "That stays so for as long as the call runs."),
        (
            "own-directory",
            "own-directory-names-it",
            "Asked for the session's own directory, the list names it as working.",
        ),
        (
            "ask",
            "ask-is-hidden",
            "A pending ask of such a session is not in the list of asks that names no directory.",
        ),
        ("ask", "reply-is-lost", "A reply that names no directory is answered 404, and the ask still waits."),
        ("abort", "abort-finds-it", "Abort without a directory ends the turn all the same."),
        (
            "prompt",
            "prompt-joins-it",
            "A prompt without a directory joins the turn that runs: no second one begins beside it.",
        ),
        (
            "wrong-cure",
            "wrong-cure-loses-the-result",
            (
                "Taken for stale and settled by W201's cure, the live call runs on, and the model "
                "is told that it was interrupted."
            ),
        ),
        (
            "doctor",
            "doctor-says-so",
            "Doctor says that the session works, and gives notice of what the bare list hides (W001).",
        ),
        (
            "like-own-directory",
            "not-own-directory",
            "Doctor reports no W001 for a session that works in the server's own directory.",
        ),
        (
            "like-ended",
            "not-ended",
            "Doctor reports no W001 for a session of another directory whose turn is over.",
        ),
    ),
)
