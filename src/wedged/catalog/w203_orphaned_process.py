"""W203: the command of a call runs on after its server is gone."""

from wedged.catalog.w203_claims import CLAIMS
from wedged.catalog.w203_match import CODE, SLUG, TITLE, match
from wedged.facts.failure_class import FailureClass, LookAlike, Variant
from wedged.facts.recovery import Action, Step

END_PROCESS = Step(
    "end-process",
    Action.END_PROCESS,
    "End the process with its whole group, after a look that it is still the same one",
    loses=("The command's work so far, but for what it has written",),
    leaves=("The call stays `running` in its session: that is W201, with a cure of its own",),
    confirms="no process of the group is left",
    claim="W203.end-process-ends-it",
    requires=(
        (
            "It is the same user's, and `ps -o pid,lstart,args -p PID` says the start and the command line "
            "of the report"
        ),
        "Nobody wants it to go on (a long build may be worth its end)",
    ),
)

CLASS = FailureClass(
    code=CODE,
    slug=SLUG,
    title=TITLE,
    summary=(
        "A server that is killed takes none of its commands with it: each is the leader of a session of its "
        "own. The restarted server does not know them. They hold ports, locks and files, and run twice "
        "where the model makes the call again. A command that prints dies at its next output; a quiet one "
        "runs to its end."
    ),
    aliases=(
        "process still running after opencode crashed",
        "orphaned bash process from opencode",
        "zombie dev server after opencode exit",
        "port already in use after restarting opencode",
        "EADDRINUSE after opencode was killed",
        "sleep 600 still running after kill -9",
        "leftover node process, opencode",
        "child process not killed with server",
        "opencode leaves processes behind",
        "command runs twice after restart",
        "file lock held by a dead session",
        "SIGTERM opencode leaves bash running",
    ),
    see=(
        (
            "After a crash or restart a command of the agent still runs: a port is taken, a lock is held, a "
            "core is busy."
        ),
        (
            "`ps -o pid,ppid,sid,lstart,args` shows `bash -c …` with the call's command, its parent 1 or a "
            "session manager."
        ),
        "Its environment has `OPENCODE_PID` (V1) or `OPENCODE_TERMINAL` (V2); no server lists it.",
        "The call it belongs to is still `running` in its session (W201), or has ended since.",
    ),
    claims=CLAIMS,
    recovery=(END_PROCESS,),
    variants=(
        Variant(
            "of-a-stale-call",
            "Its call is still unfinished in the session.",
            ("a process with the call's command line, begun when the call did; the session idle (W201)",),
        ),
        Variant(
            "of-an-ended-call",
            "Its call has ended since, by a prompt or a cure, and the process has not.",
            ("a process with the command line of a call that is `error`, begun when the call did",),
        ),
    ),
    look_alikes=(
        LookAlike(
            "The process of a call that runs",
            "It is below a server that names its session as working",
            "W203.not-running",
        ),
        LookAlike(
            "The same command line, started by a person or another program",
            "Its environment has none of OpenCode's variables, or it began at another time than the call",
            "W203.not-own-command",
        ),
        LookAlike(
            "A background shell of a V2 server (W301)",
            "`GET /api/shell` with the session's directory lists it",
        ),
    ),
    links=(
        (
            "#58386: the report, whose script has to end the leftover command itself",
            "https://github.com/anomalyco/opencode/issues/58386",
        ),
    ),
    match=match,
)
