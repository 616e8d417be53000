"""W101's variants: how each shows itself, and the way out where it differs."""

from dataclasses import replace

from wedged.facts.failure_class import Variant
from wedged.facts.recovery import Action, Step

_NOT_RUN = "The command does not run"
_ALL_ASKS = "Every other ask of the same session is rejected with it"
_LEFT = "The ask stays in its list; nothing waits for it, a late reply answers 200 to no effect"

REJECT = Step(
    "reply-reject",
    Action.REPLY_REJECT,
    "Reject the ask: the call ends, and so does the turn.",
    loses=(_NOT_RUN, "The model is not told until the next prompt: it gets no further turn", _ALL_ASKS),
    confirms="the session is no longer busy and the part says `error` (The user rejected permission …)",
    claim="W101.reject-ends-it",
)
REJECT_MESSAGE = Step(
    "reply-reject-message",
    Action.REPLY_REJECT_MESSAGE,
    "Reject the ask with a message: the model reads it and goes on.",
    loses=(_NOT_RUN, "A further model turn is spent", _ALL_ASKS),
    confirms="the part says `error` with your message in it; after one more turn the session goes idle",
    claim="W101.reject-message-goes-on",
)
ABORT = Step(
    "abort",
    Action.ABORT,
    "Abort the session: the turn ends.",
    loses=("The whole turn, with every call of it that still runs",),
    leaves=("The ask stays in GET /permission; nothing waits for it, a late reply answers 200 to no effect",),
    confirms="the session is no longer busy and its last message carries `MessageAbortedError`",
    claim="W101.abort-ends-it",
)
ONCE = Step(
    "reply-once",
    Action.REPLY_ONCE,
    "Approve the ask once: the command runs.",
    loses=("The command runs with the server's rights, outside the project",),
    confirms="the part says `completed`, and the session goes idle after one more turn",
    claim="W101.once-runs-it",
    requires=("A person has read the command (`metadata.command` of the ask)",),
)

EXTERNAL = Variant(
    "external",
    "A call touches a path outside the project, by the shell, read, write or edit: external_directory asks.",
    (
        "`GET /permission` lists `external_directory` with the folder as its pattern",
        "`tool.callID` of the ask is the `callID` of a part that is `running` without `state.metadata`",
    ),
)
RULE = Variant(
    "rule",
    "A rule of the config says `ask` for this tool.",
    (
        "`GET /permission` lists the rule's own name (`bash`, `edit`, `webfetch`, …), the command as pattern",
        "`tool.callID` of the ask is the `callID` of a part that is `running` without `state.metadata`",
    ),
    (
        REJECT,
        REJECT_MESSAGE,
        ABORT,
        replace(ONCE, loses=("The command runs with the server's rights",)),
    ),
)
QUESTION = Variant(
    "question",
    "The model asked a question with the `question` tool; the turn waits for the answer.",
    (
        "`GET /permission` is empty for the session; `GET /question` lists it, with an id that begins `que_`",
        "the part that is `running` is of the tool `question`",
    ),
    (
        replace(
            REJECT,
            id="question-reject",
            sentence="Dismiss the question: the call ends, and so does the turn. To answer it instead, "
            'POST /question/{id}/reply {"answers":[["label"]]}, one list of labels a question.',
            loses=(
                "The question stays unanswered",
                "The model is not told until the next prompt: it gets no further turn",
            ),
            confirms="the session is no longer busy; its part says `error` (The user dismissed …)",
        ),
        replace(
            ABORT,
            id="question-abort",
            leaves=(_LEFT.replace("its list", "GET /question"),),
        ),
    ),
)
DOOM_LOOP = Variant(
    "doom-loop",
    "The model made three identical calls in one response; the server asks whether it may go on.",
    (
        "`GET /permission` lists `doom_loop` with the tool's name as pattern and no `tool.callID`",
        "three or more parts with one input are `running` with `state.metadata`: their work is done",
    ),
    (
        replace(
            REJECT,
            id="doom-reject",
            sentence="Reject the ask: the turn ends. A message given with it does not reach the model.",
            loses=(
                "The results of the calls: what they did is done, and the model never sees it",
                "The model is not told until the next prompt: it gets no further turn",
                _ALL_ASKS,
            ),
            confirms="the session is no longer busy and its parts say `error` (Tool execution aborted)",
        ),
        replace(
            ABORT,
            id="doom-abort",
            loses=("The results of the calls: what they did is done, and the model never sees it",),
        ),
        replace(
            ONCE,
            id="doom-once",
            sentence="Approve the ask once: the calls' results go to the model, and the turn goes on.",
            loses=("The model may go on in its loop",),
            confirms="the parts say `completed`, and the session goes on with one more turn",
            requires=("A person has read the call that is repeated (`metadata.input` of the ask)",),
        ),
    ),
)
CHILD = Variant(
    "child",
    "A sub-agent's call asks; the parent waits in its `task` call and lists nothing itself.",
    (
        "two sessions are `busy`; the parent's `running` part is of the tool `task` and has `state.metadata`",
        "`GET /permission` lists an ask whose `sessionID` is the sub-agent's, not the parent's",
    ),
    (
        replace(
            REJECT,
            id="child-reject",
            sentence="Reject the sub-agent's ask: its turn ends, and the parent goes on.",
            loses=(
                _NOT_RUN,
                "The sub-agent's model is not told",
                "On 1.17.18 the parent's model is not told either: its `task` call is `completed` and empty",
                _ALL_ASKS,
            ),
            confirms="the sub-agent is no longer busy, the parent's `task` part has ended (1.18.34: `error`, "
            "Subagent failed), and the parent goes idle after one more turn",
        ),
        replace(
            REJECT_MESSAGE,
            id="child-reject-message",
            sentence="Reject the sub-agent's ask with a message: the sub-agent reads it and goes on.",
            confirms="the sub-agent's part says `error` with your message; it ends, and so does the parent",
        ),
        replace(
            ABORT,
            id="child-abort",
            sentence="Abort the sub-agent: its turn ends, and the parent is told `Task cancelled`.",
            loses=(
                "The sub-agent's whole turn, with every call of it that still runs",
                "The parent goes on with a further model turn",
            ),
            confirms="the sub-agent is no longer busy; the parent's `task` part says `error`",
        ),
        replace(ONCE, id="child-once", sentence="Approve the sub-agent's ask once: the command runs."),
    ),
)

VARIANTS = (EXTERNAL, QUESTION, RULE, CHILD, DOOM_LOOP)
