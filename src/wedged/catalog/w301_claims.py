"""W301's claims: each one testable sentence, with the arm whose trials speak for it."""

from wedged.catalog.w301_seen_claims import OBSERVED, SEEN, claims
from wedged.facts.failure_class import Claim

_REPORT = (
    "pingdotgg/t3code #32829, \"OpenCode background shells aren't pending work: the thread looks finished, "
    'Stop and restart recovery miss them"'
)

CLAIMS = (
    Claim(
        "W301.control-settles",
        "A foreground shell ends before its turn does: afterwards no list names it, and its process is gone.",
        arm="control",
        source=OBSERVED,
        control=True,
    ),
    Claim(
        "W301.runs-on",
        "A shell started with `background: true` runs on after its turn has ended.",
        arm="trigger",
        source=_REPORT,
        defining=True,
    ),
    *claims(
        _REPORT,
        "trigger",
        (
            "no-list-of-sessions-shows-it",
            "While it runs, GET /api/session/active does not name its session: the thread looks finished.",
        ),
        (
            "naive-roster-misses-it",
            (
                "A client that goes by the active sessions and the calls of sub-agents has no pending "
                "work in its roster while the shell runs."
            ),
        ),
        (
            "right-roster-has-it",
            (
                "A client that reads the shells of every location, joined to sessions and their parents, "
                "has it."
            ),
        ),
        (
            "ready-says-no",
            "`wedged ready` names the shell and says that the server is not safe to restart.",
        ),
    ),
    *claims(
        _REPORT,
        "interrupt",
        ("interrupt-leaves-it", "Interrupting the session (Stop) leaves the shell running."),
    ),
    *claims(
        _REPORT,
        "end-shell",
        (
            "end-shell-ends-it",
            (
                "DELETE /api/shell/{id} with the session's directory ends the shell: its process is gone, "
                "and no list names it."
            ),
        ),
    ),
    *claims(
        _REPORT,
        "sub-agent",
        (
            "sub-agents-shell-runs-on",
            (
                "A sub-agent's own background shell runs on after the sub-agent and its parent have "
                "settled; the parent's call is `completed`."
            ),
        ),
        (
            "naive-roster-drops-the-sub-agent",
            (
                "Once the sub-agent has ended its turn, nothing in the naive client's roster stands for "
                "its shell."
            ),
        ),
        (
            "attributed-to-the-parent",
            (
                "The shell's record names the sub-agent's session, and that session's `parentID` the "
                "parent: the right roster files it under the parent."
            ),
        ),
        (
            "interrupting-the-parent-leaves-it",
            "Interrupting the parent leaves the sub-agent's shell running.",
        ),
    ),
    *claims(
        _REPORT,
        "right-stop",
        (
            "stop-ends-descendants",
            "The right client's Stop on the parent ends the shells of the parent and of its sub-agents.",
        ),
    ),
    *claims(
        _REPORT,
        "runner",
        (
            "runner-in-no-list",
            (
                "A process that something else in the server started (a plugin here, a provider's own "
                "runner in the report) is in no list of shells; only the process tree below the server "
                "shows it."
            ),
        ),
    ),
    *claims(
        _REPORT,
        "plain-sigterm",
        ("sigterm-ends-it", "A restart by SIGTERM ends the shell: it is sent SIGTERM (exit 143)."),
        (
            "the-parent-is-never-told",
            (
                "After the restart the parent is not told that its sub-agent's shell ended: nothing wakes "
                "it, and the next request to its model says nothing of it."
            ),
        ),
    ),
    *claims(
        _REPORT,
        "right-restart",
        (
            "recovery-text-reaches-the-model",
            (
                "A client that kept its roster records the cancelled shells after the restart, and its "
                "text about them, the sub-agent's included, is in the parent's next request to the model."
            ),
        ),
    ),
    *SEEN,
)
