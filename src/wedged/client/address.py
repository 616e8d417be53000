"""Where a server is: the one form of its address that the rest of the client uses."""

from urllib.parse import urlsplit

from wedged.errors import BadTarget
from wedged.facts.plain_text import plain


def read_url(text: str) -> str:
    """`text` as an address without trailing slash, query or fragment: ``http://127.0.0.1:4096``.

    Raises:
        BadTarget: not an http address, or one that carries a password.
    """
    shown = plain(text)
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise BadTarget(f"{shown} is not a web address; write http://127.0.0.1:4096") from None
    if "@" in parts.netloc:
        raise BadTarget(
            "a password does not belong in an address; leave it out and set OPENCODE_SERVER_PASSWORD"
        )
    unfit = plain(text) != text or any(c.isspace() for c in text.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or unfit:
        raise BadTarget(f"{shown} is not a web address; write http://127.0.0.1:4096")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
