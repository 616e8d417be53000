"""W102's claims: each one testable sentence, with the arm whose trials speak for it."""

from wedged.facts.failure_class import Claim

REPORT = (
    'anomalyco/opencode #52846, "permission: pending requests destroyed on instance disposal without '
    'revocation event; dialog unanswerable, replies 404 forever"'
)
_COMMENTS = f"{REPORT}, comments"
_OBSERVED = "observed by this project"


def _claims(arm: str, source: str, *sentences: tuple[str, str]) -> tuple[Claim, ...]:
    return tuple(Claim(f"W102.{name}", sentence, arm=arm, source=source) for name, sentence in sentences)


CLAIMS = (
    Claim(
        "W102.control-answered",
        "An ask that a person answers leaves its list, an event says so, its call runs and the turn ends.",
        arm="control",
        source=_OBSERVED,
        control=True,
    ),
    Claim(
        "W102.no-event",
        "Disposing of the instance (V2: evicting the location) takes the pending ask off its list, and no "
        "event says so.",
        arm="trigger",
        source=REPORT,
        defining=True,
    ),
    *_claims(
        "trigger",
        REPORT,
        ("reply-404", "A reply to that ask is answered 404 afterwards, and so is the next one."),
        ("part-stays-running", "The call stays `running` in the stored messages."),
        (
            "turn-hangs",
            "The turn hangs with it: the server goes on naming the session as working, and lists no ask.",
        ),
    ),
    *_claims(
        "trigger",
        _OBSERVED,
        ("never-ran", "The call has not run, and does not run afterwards."),
        (
            "words-name-no-disposal",
            "Nothing that is stored of the call says that it was the server's own disposal.",
        ),
        ("model-not-told", "The model is asked for no further turn, so it is not told either."),
    ),
    *_claims(
        "placebo",
        _OBSERVED,
        (
            "placebo-stays",
            "Over the same wait, with nothing disposed of, the ask stays listed and the session busy.",
        ),
    ),
    *_claims(
        "free",
        _OBSERVED,
        ("interrupt-frees", "Interrupting the session ends a turn that hangs so."),
        (
            "prompt-after-goes-on",
            (
                "Once the turn is over, the next prompt is answered, and the model has read that its call "
                "failed."
            ),
        ),
        (
            "doctor-names-it",
            "Doctor reports the turn that hangs, and nothing where the server has settled the turn.",
        ),
        ("doctor-confirms-it", "Doctor reports nothing once the turn has been ended."),
    ),
    *_claims(
        "order",
        _OBSERVED,
        (
            "prompt-before-interrupt-strands",
            (
                "A prompt that is sent before the interrupt is accepted and then stranded: the model gets it "
                "only with the prompt after it."
            ),
        ),
    ),
    *_claims(
        "question",
        _OBSERVED,
        ("question-no-event", "A pending question goes the same way: off its list, without an event."),
    ),
    *_claims(
        "sub-agent",
        _OBSERVED,
        ("sub-agent-no-event", "So does a sub-agent's ask: neither it nor its parent gets an event."),
    ),
    *_claims(
        "bystander",
        REPORT,
        ("bystander-shell-ends", "A shell that another session of the directory runs is cut off with it."),
    ),
    *_claims(
        "bystander",
        _OBSERVED,
        ("elsewhere-untouched", "An ask of another directory stays listed, and its session busy."),
    ),
    *_claims(
        "together",
        _OBSERVED,
        (
            "blames-the-user",
            (
                "Of four asks that go together, all but one leave a call that says `The user rejected "
                "permission …`, which nobody did."
            ),
        ),
        ("directory-answers", "The directory answers as before once four asks went together."),
    ),
    *_claims(
        "interrupt",
        _COMMENTS,
        (
            "interrupt-no-event",
            (
                "Interrupting (V1: aborting) a session that waits ends its turn, and no event says that its "
                "ask is over."
            ),
        ),
    ),
    *_claims(
        "delete",
        _OBSERVED,
        ("delete-no-event", "Deleting a session that waits publishes no such event either."),
        (
            "delete-leaves-the-turn",
            "The turn of the deleted session goes on: it has a status, and its ask is listed.",
        ),
        ("deleted-ask-still-runs", "Approving that ask runs the call of the session that is no more."),
    ),
    *_claims(
        "provider-error",
        REPORT,
        (
            "provider-error-leaves-it",
            (
                "A neighbour's model request that is refused with 400, 401 or 429 leaves the ask as it is: "
                "an answer runs its call."
            ),
        ),
    ),
    *_claims(
        "run",
        REPORT,
        (
            "run-ends-as-aborted",
            (
                "`opencode run`, attached to the server, ends on the disposal with `Error: Aborted` and exit "
                "status 0."
            ),
        ),
    ),
    *_claims(
        "config",
        REPORT,
        ("config-no-event", "A change of the global config that takes effect does the same."),
    ),
    *_claims(
        "config",
        _OBSERVED,
        ("config-unchanged-keeps", "A change of the config that changes nothing leaves the ask alone."),
    ),
    *_claims(
        "global",
        REPORT,
        ("global-no-event", "POST /global/dispose does the same, in every directory."),
    ),
    *_claims(
        "sigusr2",
        REPORT,
        (
            "sigusr2-leaves-a-ghost",
            (
                "SIGUSR2 to V1's terminal client aborts the turn that waits; its dialog stays on the screen, "
                "and allowing it runs nothing."
            ),
        ),
    ),
    *_claims(
        "sigusr2-port",
        _OBSERVED,
        (
            "sigusr2-port-leaves-it",
            (
                "A terminal client that serves on a port (`--port`) leaves the asks of that port alone: they "
                "stay listed, and a reply is taken."
            ),
        ),
    ),
    *(
        claim
        for way, words in (
            ("dispose", "a disposal"),
            ("interrupt", "an interrupt (V1: an abort)"),
            ("delete", "a delete of the session"),
        )
        for claim in _claims(
            f"{way}-then-restart",
            _OBSERVED,
            (
                f"{way}-then-restart-leaves-nothing",
                (
                    f"A restart by SIGTERM after {words} leaves nothing of the ask: no list has it, nothing "
                    "works, and its call is over."
                ),
            ),
        )
    ),
    *_claims(
        "reload",
        _COMMENTS,
        (
            "reload-tells",
            (
                "POST /api/location/reload announces each pending ask as rejected, settles its call with "
                "`Interaction cancelled because the location shut down`, and the turn goes on."
            ),
        ),
    ),
    *_claims(
        "storm",
        REPORT,
        (
            "storm-goes-on",
            (
                "A client that tries again on 404 goes on for as long as it shows the dialog: every answer "
                "is 404."
            ),
        ),
        (
            "reload-brings-it-back",
            "Loading the page again brings its dialog back, from the call that is stored as `running`.",
        ),
        ("reopen-brings-it-back", "Closing and opening it again does so, too."),
    ),
    *_claims(
        "storm",
        _COMMENTS,
        ("restart-ends-it", "After the server's restart (SIGTERM) the same client has no dialog left."),
    ),
    *_claims(
        "storm",
        _OBSERVED,
        (
            "reference-asks-once",
            (
                "A client that takes 404 for final, and goes by the list, sends at most one reply and shows "
                "no dialog any more."
            ),
        ),
    ),
    *_claims(
        "sigterm",
        REPORT,
        ("sigterm-no-event", "A restart by SIGTERM takes the pending ask away without an event."),
        ("sigterm-part-stays-running", "After it, the call is stored as `running` for good."),
    ),
    *_claims(
        "idle",
        _COMMENTS,
        (
            "idle-no-event",
            "Sixty minutes without activity take the pending ask away, and no event says so.",
        ),
    ),
    *_claims(
        "free",
        _OBSERVED,
        (
            "list-tells",
            (
                "The list of pending asks says that it is gone, whether the turn hangs or is over; a live "
                "ask is in it."
            ),
        ),
    ),
    *(
        Claim(
            f"W102.not-{name}", f"Doctor reports no W102 for {words}.", arm=f"like-{name}", source=_OBSERVED
        )
        for name, words in (
            ("long-shell", "a shell that runs within its timeout"),
            ("webfetch", "a `webfetch` whose page does not come"),
            ("waiting", "an ask that is pending and can be answered"),
            ("interrupted", "a turn that was interrupted while its ask was pending"),
            ("working-child", "a session whose sub-agent works"),
        )
    ),
)
