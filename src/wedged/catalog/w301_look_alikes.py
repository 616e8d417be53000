"""What resembles W301 and is not it: the test for each, and the claim that doctor stays silent about it."""

from wedged.facts.failure_class import LookAlike

LOOK_ALIKES = (
    LookAlike(
        "A foreground shell of a turn that runs",
        "It is in the same list. Its session is in `GET /api/session/active`, and a call of it is `running` "
        "with this command",
        "W301.not-foreground",
    ),
    LookAlike(
        "A background shell whose session still works",
        "Its session is in `GET /api/session/active`: whoever looks sees work going on. Look again once the "
        "turn is over",
        "W301.not-turn-goes-on",
    ),
    LookAlike(
        "A background shell that has just ended",
        "The list of its location no longer has it, and the session's newest messages begin with "
        '`<shell … state="completed"`',
        "W301.not-finished",
    ),
    LookAlike(
        "A healthy idle session",
        "The list of its location has no shell with its id, and none with a sub-agent's of it",
        "W301.not-idle",
    ),
    LookAlike(
        "A shell of another session, in another directory",
        "`metadata.sessionID` says whose it is. Each list is one location's: ask for each session's own",
        "W301.not-neighbour",
    ),
    LookAlike(
        "A user's own process in the project's folder",
        "It is not below the server: its parents do not lead to the server's process",
        "W301.not-own-process",
    ),
    LookAlike(
        "A process below the server that no list of shells names",
        "An MCP or language server, a plugin's or a provider's own runner. Doctor can't tell whose work it "
        "does; `wedged ready` names it before a restart (`W301.runner-in-no-list`)",
    ),
    LookAlike(
        "A shell that outlived a crash of its server",
        "Its parent is not the server, and no list has it: a process left behind (W203 is planned)",
    ),
)
