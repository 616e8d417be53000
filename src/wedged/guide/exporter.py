"""An executed notebook as Markdown: code folded away, outputs made harmless, figures in place."""

import re
from collections.abc import Mapping
from typing import Any

from nbconvert.exporters import MarkdownExporter
from nbformat import NotebookNode
from traitlets.config import Config

from wedged.facts.markdown_text import one_line
from wedged.guide.notebook import HIDDEN, tags
from wedged.guide.safe_markdown import fenced, harmless, words_only

# Width and height in CSS pixels: a page must not jump while its pictures arrive.
Size = tuple[int, int]

_PAIR = re.compile(
    r"^!\[(?P<alt>[^\]\n]+)\]\((?:\.\./)?figures/(?P<light>[\w.-]+\.svg)\#only-light\)\s*\n"
    r"!\[(?P=alt)\]\((?:\.\./)?figures/(?P<dark>[\w.-]+\.svg)\#only-dark\)\s*$",
    re.MULTILINE,
)

_PICTURE = re.compile(r"!\[(?P<alt>[^\]\n]*)\]\((?:\.\./)?figures/(?P<name>[\w.-]+\.svg)[^)\s]*\)")

_TEMPLATE = """
{%- extends 'markdown/index.md.j2' -%}
{% block input %}{{ cell | folded_code }}{% endblock input %}
{% block stream %}{{ output | stream }}{% endblock stream %}
{% block error %}{{ output | failure }}{% endblock error %}
{% block data_markdown %}{{ output.data['text/markdown'] | harmless }}{% endblock data_markdown %}
{% block data_text %}{{ output.data['text/plain'] | fenced }}{% endblock data_text %}
{% block markdowncell %}{{ cell.source }}
{% endblock markdowncell %}
"""


class PageExporter(MarkdownExporter):
    """nbconvert's Markdown exporter with our template, and without any output that could be HTML.

    Cells tagged ``parameters`` or ``hide`` are left out, ``hide-input`` leaves only the outputs. Of outputs,
    Markdown and plain text are shown, and stdout; everything else is left out.
    """

    # Only these two: an SVG or an HTML table could carry a script.
    SHOWN = ("text/markdown", "text/plain")

    def __init__(self, **kw: Any) -> None:
        config = Config()
        config.NbConvertBase.display_data_priority = list(self.SHOWN)
        config.ExtractOutputPreprocessor.enabled = False
        config.ExtractAttachmentsPreprocessor.enabled = False
        config.HighlightMagicsPreprocessor.enabled = False
        filters = {
            "folded_code": folded_code,
            "stream": stream,
            "failure": failure,
            "harmless": harmless,
            "fenced": fenced,
        }
        super().__init__(config=config, raw_template=_TEMPLATE, filters=filters, **kw)  # type: ignore[no-untyped-call]


def body(notebook: NotebookNode, figures: Mapping[str, Size]) -> str:
    """The notebook as Markdown for a page in a folder beside ``figures``.

    `figures` gives the size of each file that is there: any other picture is replaced by its alt sentence.
    """
    shown = notebook.copy()
    shown.cells = [_shown(cell) for cell in notebook.cells if not tags(cell) & HIDDEN]
    text, _ = PageExporter().from_notebook_node(shown)
    text = with_figures(str(text), figures)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _shown(cell: NotebookNode) -> NotebookNode:
    cell = cell.copy()
    if cell.cell_type == "code":
        cell.outputs = [o for o in cell.outputs if _has_something(o)]
    return cell


def _has_something(output: NotebookNode) -> bool:
    if output.output_type in ("display_data", "execute_result"):
        return any(kind in output.data for kind in PageExporter.SHOWN)
    return output.output_type == "error" or output.get("name") == "stdout"


def folded_code(cell: NotebookNode) -> str:
    """The cell's code as a closed details block, titled by its first comment; nothing for ``hide-input``."""
    source = str(cell.source).strip("\n")
    if "hide-input" in tags(cell) or not source.strip():
        return ""
    first = source.strip().splitlines()[0]
    title = f"Code: {first.lstrip('# ').rstrip('.:')}" if first.startswith("#") else "Code"
    title = words_only(one_line(title, 70))
    return f'\n??? example "{title}"\n\n{fenced(source, "python", "    ")}\n'


def stream(output: NotebookNode) -> str:
    """What a cell printed; stderr is never part of a page."""
    return f"\n{fenced(output.text)}\n" if output.name == "stdout" and output.text.strip() else ""


def failure(output: NotebookNode) -> str:
    """An error's name and words. The traceback is left out: it is full of this machine's paths."""
    words = words_only(one_line(f"{output.ename}: {output.evalue}", 300))
    return f'\n!!! failure "This cell failed"\n\n    {words}\n'


def with_figures(text: str, figures: Mapping[str, Size]) -> str:
    """`text` with each picture pair of the run's figures in a box that scrolls sideways on a phone."""

    def boxed(match: re.Match[str]) -> str:
        pictures = "\n".join(
            f"![{match['alt']}](../figures/{match[name]}#only-{name})"
            "{{ loading=lazy width={} height={} }}".format(*figures[match[name]])
            for name in ("light", "dark")
        )
        return (
            '\n<div class="wedged-figure" tabindex="0" role="region" aria-label="Figure" markdown>\n\n'
            f"{pictures}\n\n</div>\n"
        )

    def kept(match: re.Match[str]) -> str:
        # The build is strict: one missing picture would take every page down.
        return (
            match[0]
            if match["name"] in figures
            else f"*(a figure that this run does not hold: {match['alt']})*"
        )

    return _PAIR.sub(boxed, _PICTURE.sub(kept, text))
