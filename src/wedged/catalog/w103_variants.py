"""W103's variants and its cure."""

from wedged.facts.failure_class import Variant
from wedged.facts.recovery import Action, Step

PROMPT = Step(
    "prompt-on",
    Action.PROMPT,
    "Send the session a prompt that says to leave the declined work alone, and let it be answered",
    loses=(
        "A model turn is spent, and its prompt and answer stay in the history",
        "That turn can call tools like any other: it is the model that reads the prompt",
    ),
    confirms="`GET /api/session/{id}` says `outcome` and a `time.idle` newer than the prompt; in the "
    "database `time_suspended` is NULL; a restart asks the model for nothing",
    claim="W103.prompt-clears-it",
    message="That call was declined on purpose. Leave it, and do nothing more.",
)

PERMISSION = Variant(
    "permission",
    "A permission request was rejected without a message.",
    (
        "the newest message is the model's, with `error` (aborted, Step interrupted)",
        "its call's error is `The user declined this tool call`",
    ),
)
QUESTION = Variant(
    "question",
    "A question's form was cancelled.",
    (
        "the newest message is the model's, with `error` (aborted, Step interrupted)",
        "its `question` call's error is `The user dismissed this question`",
    ),
)

VARIANTS = (PERMISSION, QUESTION)
