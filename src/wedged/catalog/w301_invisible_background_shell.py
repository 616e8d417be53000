"""W301: a background shell runs on after its turn, and nothing that a client looks at shows it."""

from wedged.catalog.w301_claims import CLAIMS
from wedged.catalog.w301_look_alikes import LOOK_ALIKES
from wedged.catalog.w301_match import CODE, SLUG, TITLE, match
from wedged.catalog.w301_variants import END_SHELL, VARIANTS
from wedged.facts.failure_class import FailureClass

CLASS = FailureClass(
    code=CODE,
    slug=SLUG,
    title=TITLE,
    summary=(
        "An agent starts a shell with `background: true` and ends its turn. The call is `completed`, the "
        "session is not active, and the command runs on: a build, a test gate, a development server. Who "
        "goes by sessions alone holds the thread for finished, stops nothing when asked to stop, and ends "
        "the command with the next restart of the server, of which no model is told."
    ),
    aliases=(
        "background shell not shown as pending work",
        "OpenCode background shell",
        "thread looks finished while a command still runs",
        "session idle but process still running",
        "shell tool with background: true",
        "The command was moved to the background",
        "Command moved to the background (shell ID: sh_",
        "Stop does not end the background command",
        "interrupt leaves the shell running",
        '{"interrupted": false}',
        "pendingBackgroundTasks is empty",
        "subagent's background shell not tracked",
        "parent kept waiting for a result that never came",
        "restart killed a running test gate, exit 143",
        "Command cancelled because the server restarted",
        "agent never told that its background command was killed",
        "GET /api/shell is empty although a shell runs",
        "DELETE /api/shell answers 204 and the shell runs on",
        "GET /api/session/active is {} but sleep is still running",
        "restart recovery does not record cancelled work",
        "when is it safe to restart opencode serve",
        "ShellNotFoundError",
        '<shell id="…" state="error">',
        "orphaned shell after opencode restart",
        "background command stuck running, process is gone",
    ),
    see=(
        "The session's last turn is over, and `GET /api/session/active` is `{}`.",
        "Its `shell` call is `completed`, with the text that the command was moved to the background.",
        (
            "`GET /api/shell` with the session's directory lists a shell as `running`, and its "
            "`metadata.sessionID` is the session's or a sub-agent's. Without a location, "
            "`serve --service` answers `[]`."
        ),
        "The command's process runs, below the server.",
    ),
    claims=CLAIMS,
    recovery=(END_SHELL,),
    variants=VARIANTS,
    look_alikes=LOOK_ALIKES,
    links=(
        (
            "pingdotgg/t3code #32829: OpenCode background shells aren't pending work (the report)",
            "https://github.com/pingdotgg/t3code/issues/32829",
        ),
        (
            "pingdotgg/t3code #34141: the change that the report was closed with",
            "https://github.com/pingdotgg/t3code/pull/34141",
        ),
    ),
    match=match,
)
