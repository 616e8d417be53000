"""W203's claims: each one testable sentence, with the arm whose trials speak for it."""

from wedged.facts.failure_class import Claim

_OBSERVED = "observed by this project"
_REPORT = (
    'anomalyco/opencode #58386, "V2: after a hard crash, --standalone / opencode serve never settle the '
    'interrupted shell tool": its script ends the leftover `sleep 600` by hand'
)


def _claims(*rows: tuple[str, str, str]) -> tuple[Claim, ...]:
    return tuple(Claim(f"W203.{name}", sentence, arm=arm, source=_OBSERVED) for arm, name, sentence in rows)


CLAIMS = (
    Claim(
        "W203.control-leaves-nothing",
        "A command that had ended before the server was killed leaves no process.",
        arm="control",
        source=_OBSERVED,
        control=True,
    ),
    Claim(
        "W203.outlives-server",
        "After SIGKILL of the server the command of a running call runs on.",
        arm="trigger",
        source=_REPORT,
        defining=True,
    ),
    *_claims(
        (
            "trigger",
            "under-no-server",
            "It is below no server any more, and leads a session and a process group of its own.",
        ),
        (
            "shell-list",
            "not-listed",
            "The restarted server does not list it among its shells.",
        ),
        (
            "placebo",
            "placebo-runs-on",
            "It still runs after the wait in which the cure works, and after a second restart.",
        ),
        ("doctor", "doctor-finds-it", "Doctor finds the process and its call, with high confidence."),
        ("chatty", "chatty-ends", "A command that prints ends at its next output: nobody reads it any more."),
        ("sigterm", "sigterm-leaves-it", "SIGTERM of the server leaves the command running, too."),
        (
            "sigterm-deaf",
            "sigterm-leaves-the-deaf",
            "A command that ignores SIGTERM outlives an orderly end of the server.",
        ),
        (
            "kill-shell",
            "kill-shell-leaves-its-child",
            "Ending the shell alone leaves the program that it was running.",
        ),
        (
            "end-process",
            "end-process-ends-it",
            "Ending the whole process group, by pid, start and command line, leaves nothing.",
        ),
        (
            "end-process",
            "end-process-leaves-the-call",
            "The call is as stale afterwards as before: that is W201's part.",
        ),
        (
            "settle-call",
            "settle-call-leaves-it",
            "Ending the stale call, by W201's cure, leaves the process running.",
        ),
        ("like-running", "not-running", "Doctor reports no W203 for the process of a call that runs."),
        (
            "like-own-command",
            "not-own-command",
            "Doctor reports no W203 for the same command line, started by somebody else.",
        ),
    ),
)
