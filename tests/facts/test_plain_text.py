import pytest
from hypothesis import given
from hypothesis import strategies as st

from wedged.facts.plain_text import plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, 100%", "plain words, 100%"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b2J", r"\x9b2J"),
        ("two\r\nlines\tand a tab", r"two\r\nlines\tand a tab"),
        ("\x00\x7f", r"\x00\x7f"),
        ("abc\u202ecba\u202c \u2066x\u2069 \u200f", r"abc\u202ecba\u202c \u2066x\u2069 \u200f"),
        ("line\u2028paragraph\u2029", r"line\u2028paragraph\u2029"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("hidden\U000e0041tag", r"hidden\U000e0041tag"),
        ("lone \ud83d surrogate", r"lone \ud83d surrogate"),
        ("Grüße, 日本語, می‌خواهم, 👩‍🚀", "Grüße, 日本語, می‌خواهم, 👩‍🚀"),
        (r"C:\new\x1b", r"C:\new\x1b"),
        ("", ""),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(st.text(st.characters(categories=None)))
def test_one_printable_line_whatever_comes(text: str) -> None:
    shown = plain(text)
    assert len(shown.splitlines()) <= 1
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown)
    assert plain(shown) == shown
    shown.encode("utf-8")
