"""W101's claims: each one testable sentence, with the arm whose trials speak for it."""

from wedged.facts.failure_class import Claim

_REPORT = (
    'anomalyco/opencode #36804, "Serve mode: multi-tool-call turn silently drops one bash dispatch; '
    'session stuck busy forever"'
)
_OBSERVED = "observed by this project"
_WITHDRAWN = f"{_REPORT}; the author withdrew the number of calls as the cause"
_JITTER = f"{_REPORT}; the author withdrew the timing hypothesis"

CLAIMS = (
    Claim(
        "W101.control-completes",
        "One response with two calls inside the project completes and the session goes idle.",
        arm="control",
        source=_OBSERVED,
        control=True,
    ),
    Claim(
        "W101.doctor-leaves-control",
        "Doctor reports nothing for a session whose turn has ended by itself.",
        arm="control",
        source=_OBSERVED,
    ),
    Claim(
        "W101.doctor-names-it",
        "Doctor reports W101 for the session that waits, and nothing else.",
        arm="trigger",
        source=_OBSERVED,
    ),
    Claim(
        "W101.stays-busy",
        "A call that touches a path outside the project leaves the session busy, with exactly one part "
        "running, until somebody answers the ask.",
        arm="trigger",
        source=_REPORT,
        defining=True,
    ),
    Claim(
        "W101.folder-never-made",
        "The waiting call has not run: what it would make (a folder, on V2 a file) is never made.",
        arm="trigger",
        source=_REPORT,
    ),
    Claim(
        "W101.sibling-completes",
        "The second call of the same response, which stays inside the project, completes.",
        arm="trigger",
        source=_REPORT,
    ),
    Claim(
        "W101.no-further-turn",
        "The model is asked for no further turn, and no request to it is in flight.",
        arm="trigger",
        source=_REPORT,
    ),
    Claim(
        "W101.no-child-process",
        "The server has no child process for the waiting call.",
        arm="trigger",
        source=_REPORT,
    ),
    Claim(
        "W101.ask-listed",
        "The server's list of asks holds exactly one of the session, joined by call id to the running part "
        "(V1: GET /permission; V2: GET /api/permission/request).",
        arm="trigger",
        source=_REPORT,
    ),
    Claim(
        "W101.not-in-session-list",
        "GET /api/session/{id}/permission does not list that ask.",
        arm="trigger",
        source=_REPORT,
    ),
    Claim(
        "W101.placebo-stays",
        "Over the same wait in which the cures work, with nothing sent, the session stays as it is.",
        arm="placebo",
        source=_OBSERVED,
    ),
    Claim(
        "W101.once-runs-it",
        "Answering the ask with once runs the command, and the turn ends.",
        arm="once",
        source=_REPORT,
    ),
    Claim(
        "W101.reject-ends-it",
        "Answering with reject ends the call with an error and ends the turn; the ask is gone from the list.",
        arm="reject",
        source=_OBSERVED,
    ),
    Claim(
        "W101.reject-is-silent-to-model",
        "After a reject without a message the model is asked for no further turn.",
        arm="reject",
        source=_OBSERVED,
    ),
    Claim(
        "W101.reject-message-goes-on",
        "After a reject with a message the call ends with an error, the model is asked for one further turn, "
        "and the turn goes on to its end.",
        arm="reject-message",
        source=_OBSERVED,
    ),
    Claim(
        "W101.reject-message-is-read",
        "The message given with the reject is in what the model is told.",
        arm="reject-message",
        source=_OBSERVED,
    ),
    Claim(
        "W101.abort-ends-it",
        "Aborting the session ends the call with an error and ends the turn.",
        arm="abort",
        source=_REPORT,
    ),
    Claim(
        "W101.abort-leaves-ask",
        "After the abort the ask is still listed, although nothing waits for it.",
        arm="abort",
        source=_OBSERVED,
    ),
    Claim(
        "W101.one-inside-completes",
        "A single call inside the project completes.",
        arm="one-inside",
        source=_WITHDRAWN,
    ),
    Claim(
        "W101.one-outside-stays-busy",
        "A single call outside the project is enough: a second call in the response is not needed.",
        arm="one-outside",
        source=_WITHDRAWN,
    ),
    Claim(
        "W101.shell-outside-stays-busy",
        "`mkdir -p` of a folder outside the project through the shell leaves the session busy on the ask.",
        arm="shell-outside",
        source=_OBSERVED,
    ),
    Claim(
        "W101.existing-folder-stays-busy",
        "`mkdir -p` of a folder outside the project that exists already leaves the session busy on the ask.",
        arm="existing-folder",
        source=_OBSERVED,
    ),
    *(
        Claim(
            f"W101.{arm}-stays-busy",
            f"{words} leaves the session busy on the same ask.",
            arm=arm,
            source=source,
        )
        for arm, words, source in (
            ("slow-model", "A model that streams 4 pieces a second", _JITTER),
            (
                "jittery-model",
                "A model at 40 pieces a second, each interval varied by up to 95%,",
                _JITTER,
            ),
            ("fast-model", "A model that streams 400 pieces a second", _JITTER),
            ("read", "`read` of a file outside the project", _OBSERVED),
            ("write", "`write` of a file outside the project", _OBSERVED),
            ("edit", "`edit` of a file outside the project", _OBSERVED),
        )
    ),
    Claim(
        "W101.question-stays-busy",
        "The `question` tool leaves the session busy on a question that the server lists (V1: GET /question; "
        "V2: as a form).",
        arm="question",
        source=_OBSERVED,
    ),
    Claim(
        "W101.rule-stays-busy",
        "A rule of the config that says `ask` leaves the session busy on an ask of the rule's own name.",
        arm="rule",
        source=_OBSERVED,
    ),
    Claim(
        "W101.doom-loop-stays-busy",
        "Three identical calls in one response leave the session busy on a doom_loop ask; no shell runs.",
        arm="doom-loop",
        source=_OBSERVED,
    ),
    Claim(
        "W101.sub-agent-stays-busy",
        "A sub-agent's call outside the project leaves the parent busy; only the sub-agent has the ask.",
        arm="sub-agent",
        source=_OBSERVED,
    ),
    Claim(
        "W101.allow-completes",
        "With `external_directory: allow` the call runs and the turn ends without an ask.",
        arm="allow",
        source=_OBSERVED,
    ),
    Claim(
        "W101.deny-tells-the-model",
        "With `external_directory: deny` the call ends as an error, the model is told, and the turn ends.",
        arm="deny",
        source=_OBSERVED,
    ),
    Claim(
        "W101.allowed-path-completes",
        "With one path allowed a call below that path runs without an ask.",
        arm="allowed-path",
        source=_OBSERVED,
    ),
    Claim(
        "W101.other-path-stays-busy",
        "With one path allowed a call to another path still asks.",
        arm="other-path",
        source=_OBSERVED,
    ),
    *(
        Claim(
            f"W101.not-{name}",
            f"Doctor reports nothing for {words}.",
            arm=f"like-{name}",
            source=_OBSERVED,
        )
        for name, words in (
            ("long-shell", "a shell that runs within its timeout"),
            ("trap", "a shell that ignores the signals that would end it"),
            ("webfetch", "a `webfetch` whose page does not come"),
            ("plugin", "a call that a plugin holds back"),
            ("drip", "a model that drips its answer"),
            ("silent", "a model that has not begun its answer"),
            ("keep-alive", "a running shell beside a socket that the model keeps open after its answer"),
            ("retry", "a model request that failed with 429 or 500 and is due again"),
            ("lag", "a turn that ends while it looks, with a list of statuses that still says busy"),
            ("other-directory", "a running shell of a session that no list of its own directory names"),
            ("answered", "an ask that is younger than the grace and is answered a moment later"),
        )
    ),
    *(
        Claim(f"W101.{name}", sentence, arm=arm, source=_OBSERVED)
        for name, arm, sentence in (
            (
                "run-rejects-by-itself",
                "run",
                (
                    "`opencode run` waits for no answer: it prints `auto-rejecting`, the model's command is "
                    "not run, the model is not told, and the process ends."
                ),
            ),
            (
                "run-exits-0",
                "run",
                "After such a rejection `opencode run` exits with status 0.",
            ),
            (
                "run-auto-runs-it",
                "run-auto",
                (
                    "`opencode run --auto` (older: `--dangerously-skip-permissions`) approves the ask: the "
                    "command runs, and the turn goes on to its end."
                ),
            ),
            (
                "run-attached-rejects-by-itself",
                "run-attached",
                (
                    "On a session made over HTTP, `opencode run` attached to the server (V1: `--attach`, V2: "
                    "`--server`) rejects the ask in the same way."
                ),
            ),
            (
                "run-attached-auto-runs-it",
                "run-attached-auto",
                "On a session made over HTTP, `opencode run` attached with `--auto` approves the ask once.",
            ),
            (
                "run-sub-agent-hangs",
                "run-sub-agent",
                "A sub-agent's ask hangs `opencode run`, even with `--auto`: nothing shows or answers it.",
            ),
            (
                "run-question-hangs",
                "run-question",
                "A `question` hangs `opencode run` on a session made over HTTP, even with `--auto`.",
            ),
            (
                "always-opens-the-path-for-the-directory",
                "always",
                (
                    "After one session's ask was answered `always`, another session of the same directory "
                    "makes another folder in the same place without an ask."
                ),
            ),
            (
                "always-frees-no-other-session",
                "always",
                "A session that waited on an ask for the same place before the answer `always` waits on.",
            ),
            (
                "always-opens-no-other-path",
                "always",
                "After it, a session of the same directory still asks for another place.",
            ),
            (
                "always-opens-no-other-directory",
                "always",
                "After it, a session of another directory still asks for the same place.",
            ),
            (
                "always-is-forgotten",
                "always",
                (
                    "Once the server has let go of the directory (V1: its instance disposed of, V2: its "
                    "location evicted), the same place is asked for again."
                ),
            ),
        )
    ),
)
