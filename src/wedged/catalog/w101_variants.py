"""W101's variants: how each shows itself, and the way out where it differs."""

from dataclasses import replace

from wedged.facts.failure_class import Variant
from wedged.facts.recovery import Action, Step

_NOT_RUN = "The command does not run"
_ALL_ASKS = "Every other ask of the same session is rejected with it"
_LEFT = "On V1 the ask stays in {}; nothing waits for it, and approving it can still run its call: W104"
_UNREAD = "On V2 the message is lost: the model is told only that the call failed"

REJECT = Step(
    "reply-reject",
    Action.REPLY_REJECT,
    "Reject the ask: the call ends, and so does the turn.",
    loses=(_NOT_RUN, "The model is not told until the next prompt: it gets no further turn", _ALL_ASKS),
    leaves=("On 2.0.15 a mark: the declined turn comes back after a restart of the service (W103)",),
    confirms="the session is no longer busy and the part says `error` (V1: The user rejected permission …; "
    "V2: The user declined this tool call)",
    claim="W101.reject-ends-it",
)
REJECT_MESSAGE = Step(
    "reply-reject-message",
    Action.REPLY_REJECT_MESSAGE,
    "Reject the ask with a message: the turn goes on, and on V1 the model reads the message.",
    loses=(_NOT_RUN, "A further model turn is spent", _UNREAD, _ALL_ASKS),
    confirms="the part says `error` (V1: with your message in it); after one more turn the session goes idle",
    claim="W101.reject-message-goes-on",
)
ABORT = Step(
    "abort",
    Action.ABORT,
    "Abort the session: the turn ends.",
    loses=("The whole turn, with every call of it that still runs",),
    leaves=(_LEFT.format("GET /permission"),),
    confirms="the session is no longer busy (V1: its last message carries `MessageAbortedError`; V2: its "
    "part says `error`, Tool execution interrupted)",
    claim="W101.abort-ends-it",
)
ONCE = Step(
    "reply-once",
    Action.REPLY_ONCE,
    "Approve the ask once: the command runs.",
    loses=("The command runs with the server's rights, outside the project",),
    confirms="the part says `completed`, and the session goes idle after one more turn",
    claim="W101.once-runs-it",
    requires=("A person has read the command (V1: `metadata.command` of the ask; V2: the call's input)",),
)

EXTERNAL = Variant(
    "external",
    "A call touches a path outside the project, by read, write, edit or (V1) the shell: external_directory "
    "asks.",
    (
        (
            "V1: `GET /permission` lists `external_directory` with the folder as its pattern, and its "
            "`tool.callID` is the `callID` of a part that is `running` without `state.metadata`"
        ),
        (
            "V2: `GET /api/session/{id}/permission` lists it, and its `source` names the call that is "
            "`running` (`callID` on the preview, `id` since the release)"
        ),
    ),
)
RULE = Variant(
    "rule",
    "A rule of the config says `ask` for this tool.",
    (
        (
            "the list of asks has the rule's own name (`bash`, on V2 `shell`, `edit`, `webfetch`, …), the "
            "command as pattern"
        ),
        "the call that the ask names is `running` (V1: without `state.metadata`)",
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
        "V1: `GET /permission` is empty for the session; `GET /question` lists it, its id begins `que_`",
        (
            "V2: `GET /api/session/{id}/permission` is empty; `GET /api/session/{id}/form` lists it, its id "
            "begins `frm_`"
        ),
        "the part that is `running` is of the tool `question`",
    ),
    (
        replace(
            REJECT,
            id="question-reject",
            sentence="Dismiss the question: the call ends, and so does the turn. To answer it instead, "
            'on V1: POST /question/{id}/reply {"answers":[["label"]]}, one list of labels a question; on V2: '
            'POST /api/session/{session}/form/{id}/reply {"answer":{"q0":"label"}}.',
            loses=(
                "The question stays unanswered",
                "The model is not told until the next prompt: it gets no further turn",
            ),
            confirms="the session is no longer busy; its part says `error` (The user dismissed …)",
        ),
        replace(
            ABORT,
            id="question-abort",
            leaves=(_LEFT.format("GET /question"),),
        ),
    ),
)
DOOM_LOOP = Variant(
    "doom-loop",
    "V1: the model made three identical calls in one response; the server asks whether it may go on.",
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
VARIANTS = (EXTERNAL, QUESTION, RULE, DOOM_LOOP)
