"""W201's claims: each one testable sentence, with the arm whose trials speak for it."""

from wedged.facts.failure_class import Claim

REPORT = (
    'anomalyco/opencode #58386, "V2: after a hard crash, --standalone / opencode serve never settle the '
    'interrupted shell tool, so the TUI spins forever"'
)
OBSERVED = "observed by this project"
_GRACEFUL = f"{REPORT}: a graceful stop is fine in every mode"


def _claims(source: str, *rows: tuple[str, str, str]) -> tuple[Claim, ...]:
    return tuple(Claim(f"W201.{name}", sentence, arm=arm, source=source) for arm, name, sentence in rows)


_SCREEN = (
    (
        "screen",
        "spinner-never-rests",
        "On a terminal the stale call keeps its spinner: the client draws on and on with nothing typed.",
    ),
    (
        "screen-settled",
        "settled-screen-rests",
        "On a session whose calls have ended, the client draws nothing.",
    ),
    (
        "screen-without-animations",
        "no-animations-no-redraws",
        "With the client's animations off, the same stale call is drawn once and not again.",
    ),
    (
        "screen-hint",
        "hint-does-nothing",
        "The client says `Press ctrl+b to move running work to the background`; ctrl+b changes nothing.",
    ),
)

CLAIMS = (
    Claim(
        "W201.control-completes",
        "A call that had ended before the crash is `completed` before and after it.",
        arm="control",
        source=OBSERVED,
        control=True,
    ),
    Claim(
        "W201.stays-running",
        (
            "After SIGKILL of the server and a restart on the same data the call is still `running`, while "
            "nothing works on its session."
        ),
        arm="trigger",
        source=REPORT,
        defining=True,
    ),
    *_claims(
        REPORT,
        (
            "trigger",
            "listed-as-idle",
            "The restarted server does not name the session among those that work.",
        ),
        (
            "terminal-crash",
            "terminal-crash-stays-running",
            (
                "The same after SIGKILL of a terminal together with its own server (V2: `--standalone` with "
                "its `serve --stdio`; V1: one process)."
            ),
        ),
    ),
    *_claims(
        OBSERVED,
        (
            "terminal-server-crash",
            "terminal-server-crash-stays-running",
            "The same where only the terminal's server is killed, and the terminal lives.",
        ),
        (
            "run-crash",
            "run-crash-stays-running",
            "The same after SIGKILL of `opencode run` with the server that it had started for itself.",
        ),
        (
            "trigger",
            "looks-as-before",
            "The session's messages are byte for byte what they were while the call ran.",
        ),
        (
            "trigger",
            "command-outlives",
            (
                "The call's command runs on after its server is gone (W203): the report's `no process is "
                "running` is not so."
            ),
        ),
        (
            "placebo",
            "placebo-stays",
            "Over the same wait in which the cures work, nothing changes by itself.",
        ),
        ("placebo", "restart-leaves-it", "A second restart, in order, leaves the call as it is."),
        (
            "unwritten",
            "unwritten-stays",
            "A call that the model was still writing stays `pending` (V1) or `streaming` (V2).",
        ),
        ("unwritten", "unwritten-is-cured", "The line's own cure ends such a call too."),
        (
            "doctor",
            "doctor-finds-it",
            "Doctor reports this class, with high confidence, for a call that a crash has left.",
        ),
        (
            "settle-part",
            "settle-part-ends-it",
            "PATCH of the whole part, its state an error, is answered 200 and ends the call.",
        ),
        (
            "settle-part",
            "settle-part-tells-the-model",
            "The next turn's model reads that text as the call's result, and what the command had printed.",
        ),
        ("settle-part", "settle-part-survives", "The settled part is still settled after a restart."),
        ("half-a-part", "half-a-part-is-refused", "PATCH of half a part, or of another id, is answered 400."),
    ),
    *_claims(
        f"{REPORT}; settleStaleToolCalls",
        ("prompt", "prompt-ends-it", "A new prompt ends the call as `error`, before its turn begins."),
        ("refused-prompt", "refused-prompt-ends-it", "So does a prompt that the model refuses (HTTP 400)."),
    ),
    *_claims(
        OBSERVED,
        (
            "prompt",
            "prompt-tells-the-model",
            "That prompt's model is told that the call was interrupted, whether or not the call is ended.",
        ),
        ("prompt", "prompt-survives", "After a prompt the call has ended, and a restart leaves it so."),
        (
            "delete-part",
            "delete-part-removes-it",
            "DELETE of the part is answered 200, and the call is gone.",
        ),
        (
            "delete-part",
            "delete-part-forgets",
            "The next turn's model does not know that it ever made the call.",
        ),
        (
            "delete-message",
            "delete-message-removes-it",
            "DELETE of the message is answered 200 while the session is idle, and the call is gone.",
        ),
        (
            "delete-message",
            "delete-message-forgets",
            "The next turn's model knows nothing of that message.",
        ),
        (
            "revert",
            "revert-removes-it",
            "A revert to before the prompt removes the call with its whole turn.",
        ),
        (
            "abort",
            "abort-leaves-it",
            "Abort (V1) or interrupt (V2) is answered with success and changes nothing.",
        ),
        ("background", "background-leaves-it", "Moving the call to the background changes nothing."),
        ("wait", "wait-leaves-it", "Waiting for the session by the server's own route changes nothing."),
        ("fork", "fork-copies-it", "A fork of the session holds the stale call as well."),
    ),
    *_claims(
        REPORT,
        (
            "export",
            "export-leaves-it-out",
            "The session's export leaves out the unfinished message, and with it the call.",
        ),
        (
            "service",
            "service-settles-it",
            "The shared service (`serve --service`) ends the call when it starts.",
        ),
        (
            "service",
            "service-resumes-it",
            "It also resumes the turn: the model is asked again, with the server's own words in the prompt.",
        ),
    ),
    *_claims(
        OBSERVED,
        (
            "service",
            "service-is-marked",
            "The session is marked for that (`time_suspended`) since its turn began, not since the crash.",
        ),
        (
            "service",
            "second-crash-resumes-again",
            "A second crash is followed by a second resumption, and the attempts are counted.",
        ),
        (
            "service-limit",
            "tenth-is-resumed",
            "A turn that was resumed nine times is resumed once more when the service starts.",
        ),
        (
            "service-limit",
            "eleventh-is-given-up",
            "After ten resumptions the service gives up: the mark is cleared, the model is not asked.",
        ),
        (
            "service-limit",
            "given-up-stays-running",
            "The call of a turn that was given up stays `running`, on a service that settles others.",
        ),
        (
            "service-limit",
            "doctor-finds-given-up",
            "Doctor reports such a call like any other that a crash has left, with high confidence.",
        ),
    ),
    *_claims(
        _GRACEFUL,
        ("abort-live", "abort-live-settles", "Aborting a live turn ends its call; a crash leaves that so."),
        ("model-error", "model-error-settles", "A model that breaks off in the middle of the call ends it."),
        ("sigterm", "sigterm-settles", "SIGTERM ends the call before the server ends."),
        ("sigint", "sigint-settles", "So does SIGINT, ctrl-C in the server's own window."),
        (
            "terminal-killed",
            "terminal-killed-settles",
            "Where only the terminal is killed, its `serve --stdio` sees its input end, and ends the call.",
        ),
    ),
    *_claims(
        OBSERVED,
        ("abort-live", "abort-live-ends-the-command", "Aborting a live turn ends its command."),
        ("sigterm", "sigterm-ends-the-command", "SIGTERM ends the command with the server."),
        ("sigint", "sigint-ends-the-command", "SIGINT ends the command with the server."),
    ),
    *_claims(
        OBSERVED,
        (
            "wrong-cure",
            "wrong-cure-loses-the-result",
            (
                "Given through another server on the same data, the cure hits a live call: its command runs "
                "on to its end, and the model is told that it was interrupted."
            ),
        ),
        (
            "like-two-servers",
            "not-two-servers",
            "Doctor reports no W201 for a live call of another server on the same data, but warns (W002).",
        ),
        (
            "like-other-directory",
            "not-other-directory",
            "Doctor reports no W201 for a live call of another directory's session.",
        ),
        ("like-running", "not-running", "Doctor reports no W201 for a call that runs."),
        ("like-aborted", "not-aborted", "Doctor reports no W201 for a call that was aborted."),
    ),
    *_claims(REPORT, *_SCREEN),
    *_claims(
        OBSERVED,
        ("screen-cured", "cured-screen-rests", "Once the call is settled, the client draws nothing."),
    ),
)
