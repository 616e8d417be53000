"""Whatever a model writes, the built page has no element, attribute or address that it chose."""

from html.parser import HTMLParser
from pathlib import Path

import markdown
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from wedged.guide.safe_markdown import fenced, harmless, words_only

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
_ALLOWED = frozenset(
    [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "blockquote",
        "hr",
        "br",
        "em",
        "strong",
        "code",
        "pre",
        "div",
        "span",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
        "img",
        "details",
        "summary",
        "input",
        "label",
    ]
)
_ATTRIBUTES = frozenset(
    [
        "data-tabs",
        "id",
        "class",
        "href",
        "src",
        "alt",
        "title",
        "for",
        "name",
        "type",
        "checked",
        "style",
        "open",
        "start",
    ]
)


class Audit(HTMLParser):
    """Collects what must not be there, and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _ALLOWED:
            self.bad.append(tag)
        for name, value in attrs:
            address = (value or "").strip().lower()
            if name not in _ATTRIBUTES:
                self.bad.append(f"{tag} {name}")
            if name == "style" and not address.startswith("text-align:"):
                self.bad.append(f"style {address}")
            if name == "href" and not address.startswith(("http://", "https://", "#")):
                self.bad.append(f"href {address}")
            if name == "src" and not address.startswith(("figures/", "../figures/")):
                self.bad.append(f"src {address}")

    def handle_data(self, data: str) -> None:
        self.text += data


def audited(text: str) -> Audit:
    extensions, options = [], {}
    for entry in SETTINGS["markdown_extensions"]:
        name, given_options = next(iter(entry.items())) if isinstance(entry, dict) else (entry, {})
        extensions.append(name)
        options[name] = given_options
    audit = Audit()
    audit.feed(markdown.markdown(text, extensions=extensions, extension_configs=options))
    return audit


def test_the_settings_bring_no_way_to_read_files_or_run_macros() -> None:
    names = str(SETTINGS["markdown_extensions"]) + str(SETTINGS["plugins"])
    assert "snippets" not in names
    assert "macros" not in names
    assert "hooks" not in SETTINGS
    assert [next(iter(p)) if isinstance(p, dict) else p for p in SETTINGS["plugins"]] == ["search"]


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "`<img src=x onerror=alert(1)>`",
    "a ` b\nc ` <img src=x> ` d",
    "[x](javascript:alert(1))",
    "[x][y]\n\n[y]: javascript:alert(1)",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "![x](http://192.0.2.1/pixel.png)",
    "![x](../figures/../../secret.svg#only-light)",
    "<javascript:alert(1)>",
    "# title { onclick=alert(1) }",
    "text\n{: onclick=alert(1) style=x }",
    "*a*{ onclick=alert(1) }",
    "```html onclick=alert(1)\n<script>\n```",
    "``` { .x onclick=alert(1) }\n<script>\n```",
    "```\nnever closed <script>",
    "    ```\n    <script>\n    ```",
    "- a\n\n    ```\n    <script>\n    ```\n<script>",
    "> ```\n> <script>\n> ```",
    '??? note "<script>"\n    <script>',
    '=== "<script>"\n    <script>',
    "| a |\n|---|\n| `<b>` | <b>x</b> |",
    '<div markdown="1">\n<script>\n</div>',
    "&lt;script&gt; \\<script> \\\\<script>",
    '--8<-- "run.json"\n\n```\n--8<-- "run.json"\n```',
    "\x02wzxhzdk:0\x03 <b> \x02amp\x03",
    "*[HTML]: <script>\n\nHTML [^1]\n\n[^1]: <script>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_known_tricks_are_shown_and_not_obeyed(text: str) -> None:
    audit = audited(harmless(text))
    assert audit.bad == []
    assert audited(fenced(text)).bad == []
    assert audited(words_only(text)).bad == []
    if "<script>" in text:
        assert "<script>" in audit.text


_MARKUP = (
    "<script>",
    "</script>",
    "<img src=x onerror=y>",
    "<div markdown>",
    "<!--",
    "-->",
    "<br>",
    "&lt;",
    "&",
)
_BLOCKS = (
    "```",
    "````",
    "~~~",
    "\n",
    "\n\n",
    "    ",
    "  ",
    "- ",
    "> ",
    "| ",
    "#",
    "1. ",
    "---",
    ": ",
    "!!! a\n",
)
_TITLED = ('??? note "x"\n', '=== "x"\n', "[^1]", "[a]: b", "../figures/x.svg#only-light")
_INLINE = (
    "`",
    "``",
    "[",
    "]",
    "(",
    ")",
    "![",
    "](",
    "javascript:x",
    "http://a.b/c",
    "{",
    "}",
    "{: onclick=x }",
)
_SINGLE = ("\\", "*", "_", "a", " ", "\t", "\x02", "\x03", "\x1b[1m")
_PIECES = st.sampled_from(_MARKUP + _BLOCKS + _TITLED + _INLINE + _SINGLE)


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_no_mixture_of_them_gets_through(text: str) -> None:
    assert audited(harmless(text)).bad == []


@settings(max_examples=100, deadline=None)
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_a_fence_holds_whatever_is_in_it(text: str) -> None:
    for indent in ("", "    "):
        lead = "" if not indent else '??? note "x"\n\n'
        assert audited(lead + fenced(text, indent=indent)).bad == []


def test_what_is_useful_stays() -> None:
    text = "## Head\n\n**bold** `a<b` [site](https://example.org/x)\n\n"
    text += "| a | b |\n|---|---|\n| 1<br>2 | `{}` |\n\n```json\n{}\n```\n"
    made = harmless(text)
    audit = audited(made)
    assert audit.bad == []
    html = markdown.markdown(made, extensions=["tables", "pymdownx.superfences"])
    for part in (
        "<h2>Head</h2>",
        "<strong>bold</strong>",
        "<code>a",
        'href="https://example.org/x"',
        "<td>1<br",
        "<table>",
    ):
        assert part in html


def test_long_output_says_what_was_left_out() -> None:
    assert "… 80 more lines, in the notebook" in fenced("\n".join(map(str, range(200))))
