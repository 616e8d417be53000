"""Untrusted words made fit for a figure or a Markdown table: one line, bounded, nothing invisible."""

import re
import unicodedata

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
# Everything that Markdown, its table extension or attr_list could take for more than a character.
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>#!|~^&]")


def strip_ansi(text: str) -> str:
    """`text` without terminal escape sequences."""
    return _ANSI.sub("", text)


def one_line(text: str, width: int) -> str:
    """`text` on one line, at most `width` characters long, without control or invisible characters."""
    text = " ".join(strip_ansi(text).split())
    text = "".join(c for c in text if unicodedata.category(c)[0] != "C")
    return text if len(text) <= width else text[: max(width - 1, 0)].rstrip() + "…"


def table_cell(text: str, width: int = 160) -> str:
    """`text` as the content of one Markdown table cell: shown as it is, never taken for markup."""
    return _MARKDOWN.sub(lambda match: f"&#{ord(match[0])};", one_line(text, width))


def own_cell(text: str) -> str:
    """Our own words as the content of one table cell: their code spans stay, a bar would end the cell."""
    return " ".join(text.split()).replace("|", "\\|")
