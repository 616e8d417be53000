"""What resembles W102 and is not it: the test for each, and the claim that doctor stays silent about it."""

from wedged.facts.failure_class import LookAlike

LOOK_ALIKES = (
    LookAlike(
        "An ask that is pending, in a list that you did not look at",
        "Asks are listed by directory: name the session's own `directory` (V1), ask the session's own list "
        "(V2). If it is there it can be answered: [W101](W101-ungated-external-ask.md)",
        "W102.not-waiting",
    ),
    LookAlike(
        "A reply that names another directory (V1)",
        "The same 404, for an ask that lives. Send it with the session's own `?directory=`",
    ),
    LookAlike(
        "A sub-agent's ask",
        "The parent's list is empty, the sub-agent's is not: [W105](W105-hidden-child-ask.md)",
        "W102.not-working-child",
    ),
    LookAlike(
        "An ask that is still listed after an abort (V1)",
        "The mirror image: in the list, and nothing waits for it. A reply is answered 200: "
        "[W104](W104-leftover-ask.md)",
        "W102.not-interrupted",
    ),
    LookAlike(
        "A long command within its timeout",
        "A process below the server runs it, and a V2 lists it among its shells",
        "W102.not-long-shell",
    ),
    LookAlike(
        "A slow `webfetch`",
        "Its tool works inside the server: no ask, no process, no event until it ends",
        "W102.not-webfetch",
    ),
    LookAlike(
        "A plugin that holds a call back (`tool.execute.before`)",
        "Nothing that a server says tells it apart, where the location is loaded: look for plugins",
    ),
    LookAlike(
        "A call that is stored as `running` after a crash",
        (
            "The session is idle, by its status asked with its own directory: nothing hangs, the history is "
            "stale"
        ),
    ),
)
