"""Untrusted text made fit for one line of a terminal."""

import re

# Controls (a terminal obeys them), line and paragraph separators, direction marks (they reorder what is
# read), invisible characters and tags (they hide text), lone surrogates (they can't be printed at all).
# Zero-width joiners stay: Persian and emoji need them, and they move nothing.
_UNFIT = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def plain(text: str) -> str:
    """`text` on one line, with every character that could steer a terminal or hide text shown as an escape.

    ESC becomes the four characters ``\\x1b``, a line break ``\\n``. Nothing is dropped, and printable text in
    any script stays as it is. A backslash is not doubled, so this is for reading, not for decoding;
    applying it twice changes nothing more.
    """
    return _UNFIT.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
