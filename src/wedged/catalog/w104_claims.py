"""W104's claims: each one testable sentence, with the arm whose trials speak for it."""

from wedged.facts.failure_class import Claim

_OBSERVED = "observed by this project"
_REPORT = (
    "anomalyco/opencode #29422, prompts that remain after the underlying request is interrupted or cleaned up"
)


def _claims(arm: str, source: str, *sentences: tuple[str, str]) -> tuple[Claim, ...]:
    return tuple(Claim(f"W104.{name}", sentence, arm=arm, source=source) for name, sentence in sentences)


CLAIMS = (
    Claim(
        "W104.control-answered",
        "An ask that a turn waits for leaves its list when a person answers it, and the turn goes on.",
        arm="control",
        source=_OBSERVED,
        control=True,
    ),
    Claim(
        "W104.stays-listed",
        "After its turn has been aborted the ask is still listed, its session idle and its call ended.",
        arm="trigger",
        source=_REPORT,
        defining=True,
    ),
    *_claims(
        "trigger",
        _OBSERVED,
        ("never-ran", "Its call has not run by then."),
        ("doctor-names-it", "Doctor reports it, and that nothing waits for it."),
    ),
    *_claims(
        "placebo",
        _OBSERVED,
        ("placebo-stays", "Over the same wait in which the cure works, with nothing sent, it stays listed."),
    ),
    *_claims(
        "reject",
        _OBSERVED,
        (
            "reject-clears-it",
            "Rejecting it takes it off the list, an event says so, and its call never runs.",
        ),
        ("reply-is-taken-once", "The reply is answered 200, and the next one 404."),
    ),
    *_claims(
        "once",
        _OBSERVED,
        (
            "approving-runs-it",
            "Approving it writes the file of its call, although the turn is over and the call says `error`.",
        ),
        ("model-is-not-told", "The model is not told that the call has run."),
    ),
    *_claims(
        "always",
        _OBSERVED,
        (
            "always-opens-the-path",
            "Answering it `always` opens the path: the directory's next session writes there without an ask.",
        ),
    ),
    *_claims(
        "next-turn",
        _OBSERVED,
        ("outlives-the-next-turn", "It is still listed while the session's next turn asks."),
        ("new-reject-takes-both", "Rejecting the new ask takes the old one off the list with it."),
    ),
    *_claims(
        "question",
        _OBSERVED,
        ("question-stays-listed", "A question of an aborted turn stays listed in the same way."),
    ),
    *_claims(
        "broken-stream",
        _OBSERVED,
        (
            "asked-after-the-end",
            (
                "Where the model's stream breaks after the call, the turn ends first and the ask is made "
                "then: listed, of a call that is not stored."
            ),
        ),
    ),
    *(
        Claim(
            f"W104.not-{name}", f"Doctor reports no W104 for {words}.", arm=f"like-{name}", source=_OBSERVED
        )
        for name, words in (
            ("waiting", "an ask that a turn waits for"),
            ("gone", "an ask that went with its instance"),
            ("child", "a sub-agent's ask"),
        )
    ),
)
