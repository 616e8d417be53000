"""W201's arms that do something to a stale call, each on a session of its own, after crash and restart."""

import json
from collections.abc import Callable
from typing import Any

from wedged.catalog.w201_variants import DELETE_MESSAGE, DELETE_PART, PROMPT, SETTLE_PART
from wedged.client.v1 import routes as v1
from wedged.client.v1.stale_calls import SETTLED
from wedged.client.v2 import routes as v2
from wedged.facts.server import Line
from wedged.facts.trial import ClaimOutcome
from wedged.lab.command_line import start_command
from wedged.lab.scenarios import w201_judgement as judge
from wedged.lab.scenarios.w201_sight import the_part
from wedged.lab.scenarios.w201_stale import Stale
from wedged.lab.turns import Turn

Act = Callable[[Stale], tuple[ClaimOutcome, ...]]


def settle_part(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """V1's cure; what the next turn's model is told of it."""
    look = stale.cure(SETTLE_PART)
    told = stale.ask()
    return (
        *judge.ends("settle-part-ends-it", look),
        judge.tells("settle-part-tells-the-model", told, SETTLED, "hello"),
    )


def prompt(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """A prompt, answered to its end."""
    told = stale.ask(step=None if stale.v1 else PROMPT)
    look = stale.look()
    return (
        *judge.ends("prompt-ends-it", look, answered=judge.moved_on(look)),
        judge.tells("prompt-tells-the-model", told),
    )


def failing_prompt(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """A prompt that the model refuses."""
    told = stale.ask(Turn(status=400))
    return judge.ends("refused-prompt-ends-it", stale.look(), answered=told.asked)


def delete_part(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """The part is removed, and with it what the model knows of it."""
    look = stale.cure(DELETE_PART)
    told = stale.ask()
    mark = stale.prompted.script.mark
    return (*judge.removed("delete-part-removes-it", look), judge.forgets("delete-part-forgets", told, mark))


def delete_message(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """The whole message is removed."""
    look = stale.cure(DELETE_MESSAGE)
    told = stale.ask()
    mark = stale.prompted.script.mark
    return (
        *judge.removed("delete-message-removes-it", look),
        judge.forgets("delete-message-forgets", told, mark),
    )


def partial_patch(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """A PATCH with less than the whole part, and one with another part's id."""
    part = the_part(stale.look())
    message = stale.path(f"/message/{part.message_id}/part/")
    half = stale.request("patch the state", "PATCH", message + part.id, {"state": {"status": "error"}})
    other = stale.request("patch another", "PATCH", f"{message}prt_wrong", part.wire)
    statuses = [half.status_code, other.status_code]
    look = stale.look()
    refused = statuses == [400, 400]
    said = f"answered {statuses[0]} and {statuses[1]}, {look.words}"
    return (judge.outcome("half-a-part-is-refused", refused and look.stale, not refused, said),)


def abort(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """The stop button: V1's abort, V2's interrupt."""
    answer = stale.request("abort", "POST", stale.path("/abort" if stale.v1 else "/interrupt"))
    return judge.stays("abort-leaves-it", stale.look(), status=answer.status_code)


def background(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """What the hint under V2's spinner offers."""
    answer = stale.request("background", "POST", stale.path("/background"))
    return judge.stays("background-leaves-it", stale.look(), status=answer.status_code)


def wait(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """Waiting for the session by the server's own means."""
    released = stale.bench.identity.line is Line.V2_RELEASED
    base = f"/api/experimental/session/{stale.prompted.session}" if released else None
    path = f"{base or v2.session(stale.prompted.session)}/wait"
    answer = stale.request("wait", "POST", path)
    return judge.stays("wait-leaves-it", stale.look(), status=answer.status_code)


def fork(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """A fork of the session: is its copy of the call as stale?"""
    body = stale.request("fork", "POST", stale.path("/fork"), {}).json()
    made = body["id"] if stale.v1 else body["data"]["id"]
    copy = stale.bench.connection.reader.session(str(made), stale.prompted.directory)
    unfinished, said = bool(copy.unfinished), f"{copy.message_count} messages copied"
    why = f"{said}, {len(copy.unfinished)} unfinished calls among them; {stale.look().words}"
    return (judge.outcome("fork-copies-it", unfinished, copy.message_count > 0 and not unfinished, why),)


def revert(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """Back to before the prompt: on V1 that takes a further prompt, on V2 a commit."""
    path = v1.messages(stale.prompted.session) if stale.v1 else v2.messages(stale.prompted.session)
    messages = stale.request("messages", "GET", path).json()
    first = messages[0]["info"]["id"] if stale.v1 else messages["data"][-1]["id"]
    if stale.v1:
        stale.request("revert", "POST", stale.path("/revert"), {"messageID": first})
        stale.ask()
    else:
        stale.request("stage a revert", "POST", stale.path("/revert/stage"), {"messageID": first})
        stale.request("commit the revert", "POST", stale.path("/revert/commit"))
    return judge.removed("revert-removes-it", stale.look())


def unwritten(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """A call that the model was still writing: what is left of it, and whether the line's cure ends it."""
    left = stale.look()
    if stale.v1:
        cured = stale.cure(SETTLE_PART)
    else:
        stale.ask(step=PROMPT)
        cured = stale.look()
    return (
        *judge.stays("unwritten-stays", left),
        *judge.ends("unwritten-is-cured", cured),
    )


def export(stale: Stale) -> tuple[ClaimOutcome, ...]:
    """The session's export: by the command line on V1, by the route on V2."""
    if stale.v1:
        arguments = ("export", stale.prompted.session)
        with start_command(stale.bench, arguments, subject=stale.prompted.session) as command:
            ended = command.wait(stale.timing.settle_s)
            printed = command.printed
        begun, messages = printed.find("{"), []
        if ended is not None and ended.returncode == 0 and begun >= 0:
            messages = _messages_of(printed[begun:])
        held = [part for message in messages for part in message.get("parts", [])]
    else:
        path = f"/api/experimental/session/{stale.prompted.session}/export"
        body = stale.request("export", "GET", path).json()
        messages = (body.get("data") or body)["messages"]
        held = [piece for message in messages for piece in message.get("content", [])]
    calls = [one for one in held if isinstance(one, dict) and one.get("type") == "tool"]
    why = f"{len(messages)} messages exported, {len(calls)} calls in them"
    return (judge.outcome("export-leaves-it-out", bool(messages) and not calls, bool(calls), why),)


def _messages_of(text: str) -> list[dict[str, Any]]:
    try:
        document, _ = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return []
    return list(document.get("messages", [])) if isinstance(document, dict) else []


ACTS: dict[str, Act] = {
    "settle-part": settle_part,
    "prompt": prompt,
    "refused-prompt": failing_prompt,
    "delete-part": delete_part,
    "delete-message": delete_message,
    "half-a-part": partial_patch,
    "abort": abort,
    "background": background,
    "wait": wait,
    "fork": fork,
    "revert": revert,
    "unwritten": unwritten,
    "export": export,
}
