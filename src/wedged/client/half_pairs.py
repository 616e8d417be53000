"""JSON with half a surrogate pair in it, as a JavaScript program writes it that cuts a text in an emoji."""

import json


def repaired(raw: bytes) -> bytes:
    """The same JSON with each half pair as a question mark.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is too deep.
    """
    return json.dumps(json.loads(raw), ensure_ascii=False).encode("utf-8", "replace")
