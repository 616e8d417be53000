"""A Markdown body by its headings, so that each part lands where a page's order wants it."""

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")


@dataclass(frozen=True, slots=True)
class Section:
    """What stands below one second-level heading; the part before the first has the title ""."""

    title: str
    text: str


def split(body: str) -> tuple[Section, ...]:
    """The body's sections. A first-level heading is dropped: the page has its own."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line, level, title in _lines(body):
        if level == 2:
            parts.append((title, []))
        elif level != 1:
            parts[-1][1].append(line)
    return tuple(Section(title, "\n".join(lines).strip()) for title, lines in parts if title or any(lines))


def demoted(section: Section) -> str:
    """The section as Markdown with each heading one level down."""
    lines = [f"### {section.title}", ""] if section.title else []
    lines += ["#" + line if level else line for line, level, _ in _lines(section.text)]
    return "\n".join(lines).strip() + "\n"


def _lines(text: str) -> list[tuple[str, int, str]]:
    """Each line with its heading level (0 for none) and title; what stands in a fence is no heading."""
    out, fence = [], ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and line.strip() == fence:
                fence = ""
            out.append((line, 0, ""))
        elif mark:
            fence = mark[1]
            out.append((line, 0, ""))
        else:
            heading = _HEADING.match(line)
            out.append((line, len(heading[1]), heading[2]) if heading else (line, 0, ""))
    return out
