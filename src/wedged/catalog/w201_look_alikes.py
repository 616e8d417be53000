"""What resembles W201, the test that tells it apart, and what the wrong cure would do there."""

from wedged.facts.failure_class import LookAlike

LOOK_ALIKES = (
    LookAlike(
        (
            "A live call of another server on the same database (a terminal beside `serve`, two services): "
            "this server lists it as `running` and says that nothing works, byte for byte as after a crash. "
            "**The wrong cure destroys a live turn**: the command runs on, and its result is lost"
        ),
        (
            "Which processes have the database open (`lsof`, `/proc/*/fd`)? One that is older than the call "
            "may run it: W002. Doctor looks, and offers no cure where it can't see"
        ),
        "W201.not-two-servers",
    ),
    LookAlike(
        (
            "A live call of a session of another directory (V1): `GET /session/status` without the "
            "session's own `directory` is `{}`"
        ),
        "Ask again with `?directory=` and the session's `directory`: W001",
        "W201.not-other-directory",
    ),
    LookAlike(
        "A call that runs, however long",
        "The server names its session as `busy` (V1) or `running` (V2)",
        "W201.not-running",
    ),
    LookAlike(
        "A call that a person aborted",
        "It has ended: `error`, or on V1 `completed` with `User aborted the command`",
        "W201.not-aborted",
    ),
    LookAlike(
        "A call that waits for a person's answer",
        "The session works, and an ask is listed for the call: W101",
    ),
)
