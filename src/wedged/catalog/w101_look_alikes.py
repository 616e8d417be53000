"""What resembles W101 and is not it: the test for each, and the claim that doctor stays silent about it."""

from wedged.facts.failure_class import LookAlike

LOOK_ALIKES = (
    LookAlike(
        "A long command within its timeout",
        "A process below the server runs the command (V1: and the running part has `state.metadata`), and "
        "no list of asks names the session",
        "W101.not-long-shell",
    ),
    LookAlike(
        "A command that ignores signals (`trap`)",
        "As above: its process is there, below the server",
        "W101.not-trap",
    ),
    LookAlike(
        "A slow `webfetch`, or another tool that runs inside the server",
        "No ask is listed for the session. Nothing else shows from outside: no child process, no event, "
        "no model request until it ends",
        "W101.not-webfetch",
    ),
    LookAlike(
        "A plugin that holds a call back (`tool.execute.before`)",
        "The part is `running` without `state.metadata`, exactly as beside an ask, and the lists of asks and "
        "questions (V2: forms) name nothing of the session",
        "W101.not-plugin",
    ),
    LookAlike(
        "A model that drips",
        "No part is `running`: the newest message is the model's, without `time.completed`. On V1 its text "
        "stays empty in `GET /session/{id}/message` until it is whole",
        "W101.not-drip",
    ),
    LookAlike(
        "A model that is silent for a while",
        "No part is `running`. On V1 the newest message is the model's, without `time.completed`; on V2 it "
        "is still the prompt",
        "W101.not-silent",
    ),
    LookAlike(
        "A model that keeps its socket open after its answer",
        "An open socket proves no request. A part is `running`, and what it runs is to be looked at: a "
        "process below the server, and no ask",
        "W101.not-keep-alive",
    ),
    LookAlike(
        "A model that answers 429 or 500 and is asked again",
        'V1: the status is `{"type":"retry"}` with `attempt` and `next`, the time of the next request. V2: '
        "the newest message has `retry` with `attempt` and `at`",
        "W101.not-retry",
    ),
    LookAlike(
        "A status that lags behind an answer that has ended",
        "The newest message has `time.completed` and `finish` is `stop` (2.x: it is of type `idle`); look "
        "again a second later",
        "W101.not-lag",
    ),
    LookAlike(
        "A session of another directory, and a list that is empty because of it",
        "V1's `GET /permission` and `GET /session/status` answer for one directory: repeat both with "
        "`?directory=` and the session's own `directory`. V2's `GET /api/permission/request` answers for one "
        "location; `GET /api/session/active` for all",
        "W101.not-other-directory",
    ),
    LookAlike(
        "An ask that is answered within a second",
        "It is younger than the grace: look again before you call it stuck",
        "W101.not-answered",
    ),
    LookAlike(
        "A pending ask of a session that is idle",
        "The ask is a leftover, for instance of an abort; nothing waits for it. Approving it can still run "
        "its call: [W104](W104-leftover-ask.md)",
    ),
    LookAlike(
        "A sub-agent's ask",
        "The ask's `sessionID` is that of a session with a `parentID`; it has to be found first: "
        "[W105](W105-hidden-child-ask.md)",
    ),
)
