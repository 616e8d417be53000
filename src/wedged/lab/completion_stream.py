"""The wire format of an OpenAI-compatible streamed chat completion, as pieces of text. Pure."""

import json
from collections.abc import Iterator

from wedged.lab.turns import Script, Turn

_PIECE = 12  # characters a piece of text or arguments, about three tokens
END = "data: [DONE]\n\n"


def chunk(delta: dict[str, object], finish: str | None = None) -> str:
    """One server-sent event with one choice."""
    body = {
        "id": "chatcmpl-wedged",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    if finish:
        body["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return f"data: {json.dumps(body)}\n\n"


def pieces(script: Script, number: int, turn: Turn) -> Iterator[str]:
    """The events of one answer, in order, without the final ``[DONE]``."""
    yield chunk({"role": "assistant", "content": ""})
    if turn.malformed:
        yield "data: {not json\n\n"
    whole = turn.rate is None
    for text in _split(turn.text, whole):
        yield chunk({"content": text})
    for index, call in enumerate(turn.calls):
        arguments = json.dumps(dict(call.input))
        first, *rest = _split(arguments, whole) or [""]
        yield chunk(
            {
                "tool_calls": [
                    {
                        "index": index,
                        "id": script.call_id(number, index),
                        "type": "function",
                        "function": {"name": call.tool, "arguments": first},
                    }
                ]
            }
        )
        for text in rest:
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": text}}]})
    yield chunk({}, "tool_calls" if turn.calls else "stop")


def _split(text: str, whole: bool) -> list[str]:
    if whole or not text:
        return [text] if text else []
    return [text[i : i + _PIECE] for i in range(0, len(text), _PIECE)]
