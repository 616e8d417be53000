"""Untrusted Markdown made harmless: it may structure text and show our own figures, and nothing else.

Whatever a model, a tool or a server wrote can come out of a notebook cell. Of its Markdown, headings,
emphasis, lists, tables, line breaks, fences, details and links to the web stay. Other HTML,
attribute lists, pictures from elsewhere, reference definitions and links of any other scheme are shown as the
characters they are.
"""

import re
from collections.abc import Iterator
from html import escape

from wedged.facts.markdown_text import strip_ansi

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)$")
_LANGUAGE = re.compile(r"[a-z][a-z0-9+-]{0,19}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_INLINE = re.compile(
    r"\\(?P<escaped>[^\w\s])"
    r"|(?P<code>(?<![\\`])(?P<ticks>`+)(?!`)(?P<inside>.+?)(?<!`)(?P=ticks)(?!`))"
    r"|!\[(?P<alt>[^\[\]<>`{}\n]*)\]\((?P<picture>(?:\.\./)?figures/[\w.-]+\.svg\#only-(?:light|dark))\)"
    r"|(?<!!)\[(?P<words>[^\[\]<>`{}\n]+)\]\((?P<link>https?://[^\s()<>\"'`{}\[\]]+)\)"
    r"|(?P<line_break><br ?/?>)"
    r"|(?P<mark>[<{}\[\]`])"
)
LONGEST_OUTPUT = 120


def clean(text: str) -> str:
    """`text` without terminal escapes and control characters, with plain line ends."""
    return _CONTROL.sub("", strip_ansi(text).replace("\r\n", "\n").replace("\r", "\n")).expandtabs(4)


def fenced(text: str, language: str = "text", indent: str = "") -> str:
    """`text`, whatever it holds, as one code block; beyond 120 lines it says how many more there are."""
    lines = clean(text).rstrip("\n").split("\n")
    if len(lines) > LONGEST_OUTPUT:
        more = len(lines) - LONGEST_OUTPUT
        lines = [*lines[:LONGEST_OUTPUT], f"… {more} more lines, in the notebook"]
    longest = max((len(run) for run in re.findall(r"`+", "\n".join(lines))), default=0)
    fence = "`" * max(3, longest + 1)
    if not _LANGUAGE.fullmatch(language):
        language = "text"
    return "\n".join((indent + line).rstrip() for line in (f"{fence}{language}", *lines, fence)) + "\n"


def harmless(text: str) -> str:
    """`text` as Markdown that can't do more than this module's docstring says."""
    out: list[str] = []
    paragraph: list[str] = []
    lines = iter(clean(text).split("\n"))
    for line in lines:
        opening = _FENCE.match(line)
        if opening is None and line.strip():
            paragraph.append(line)
            continue
        out.append(_inline("\n".join(paragraph)))
        paragraph = []
        if opening is not None:
            # Written anew, so that what is a fence to us is a fence to the renderer.
            indent, info = opening["indent"], opening["info"].strip().split(" ")[0].lower()
            inside = _until_closed(lines, opening["fence"], indent)
            out += ["", fenced("\n".join(inside), info or "text", indent)]
        else:
            out.append("")
    out.append(_inline("\n".join(paragraph)))
    return "\n".join(out)


def words_only(text: str) -> str:
    """`text` as inline words: every character that could mean something to the renderer is an entity."""
    return "".join(c if c.isalnum() or c in " ,;?/'\n" else f"&#{ord(c)};" for c in clean(text))


def _until_closed(lines: Iterator[str], fence: str, indent: str) -> list[str]:
    inside: list[str] = []
    closing = re.compile(rf"^ *{re.escape(fence)}{re.escape(fence[0])}*\s*$")
    for line in lines:
        if closing.match(line):
            break
        inside.append(line.removeprefix(indent))
    return inside


def _inline(paragraph: str) -> str:
    return _INLINE.sub(_one, paragraph)


def _one(match: re.Match[str]) -> str:
    if match["code"]:
        # Not given back as a code span: where the renderer sees one begin is not where we do.
        return f"<code>{words_only(match['inside'].strip())}</code>"
    if match["line_break"]:
        return "<br>"
    if match["picture"]:
        return f"![{match['alt']}]({match['picture']})"
    if match["link"]:
        return f"[{match['words']}]({escape(match['link'])})"
    return f"&#{ord(match['mark'] or match['escaped'])};"
