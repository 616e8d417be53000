"""W001: the look itself is at fault: a server answers for one directory, and the session is another's."""

from wedged.catalog.w001_claims import CLAIMS
from wedged.catalog.w001_match import CODE, SLUG, TITLE, match
from wedged.facts.failure_class import FailureClass, LookAlike, Variant
from wedged.facts.recovery import Action, Step

OWN_DIRECTORY = Step(
    "own-directory",
    Action.ASK_STATUS,
    "Ask again with the session's own directory, which `GET /session/{id}` names",
    loses=(
        "Nothing of the session. On V1 the server loads the project of a directory that it is asked about",
    ),
    confirms="the answer names the session as `busy`",
    claim="W001.own-directory-names-it",
    safe_to_automate=True,
)

CLASS = FailureClass(
    code=CODE,
    slug=SLUG,
    title=TITLE,
    summary=(
        "One V1 server serves many directories, and its lists (`/session/status`, `/permission`, "
        "`/question`, `/session`) answer for one: the one that `?directory=` names, else the one "
        "it was started in. A session's messages come without it. So a client that forgets the "
        "directory sees a call that is `running` in a session that nobody works on, which is what "
        "a crash leaves. Nothing is stuck."
    ),
    aliases=(
        "GET /session/status returns {} while session is working",
        "session status empty",
        "status says idle but the agent is still working",
        "GET /permission is empty but the session waits",
        "reply to permission returns 404 PermissionNotFoundError",
        "x-opencode-directory header",
        "?directory= query parameter",
        "session of another project looks stuck",
        "wrong working directory, opencode serve",
        "SDK client without directory sees no sessions",
        "web client shows idle, tool still running",
    ),
    see=(
        "`GET /session/status` is `{}`; `GET /session/{id}/message` shows a call that is `running`.",
        "`GET /session/{id}` names a `directory` other than the one that `GET /path` names.",
        "With `?directory=` and that directory the list names the session as `busy`.",
    ),
    claims=CLAIMS,
    recovery=(OWN_DIRECTORY,),
    variants=(
        Variant(
            "status",
            "The session works in a directory that the bare lists say nothing about.",
            ("the session's `directory` is not the server's own; its own directory's list names it",),
        ),
    ),
    look_alikes=(
        LookAlike(
            (
                "A call that a crash has left (W201). **What W201's cures do here**: PATCH and "
                "DELETE of the part are taken for a live call, whose result is then lost"
            ),
            "Asked with the session's own directory, the list still does not name it",
        ),
        LookAlike(
            "A session that works in the server's own directory",
            "The bare list names it",
            "W001.not-own-directory",
        ),
        LookAlike(
            "A session of another directory whose turn is over",
            "None of its calls is unfinished",
            "W001.not-ended",
        ),
    ),
    danger=(
        "Nothing is stuck. Taken for a call that a crash has left (W201), and settled, the live "
        "call's result is lost."
    ),
    harm=("W001.wrong-cure-loses-the-result",),
    links=(
        (
            "#35472: GET /session/status and what it says of a prompt (a neighbour)",
            "https://github.com/anomalyco/opencode/issues/35472",
        ),
    ),
    match=match,
)
