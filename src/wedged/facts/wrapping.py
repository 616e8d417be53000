"""Text in rows of a width, for a terminal."""

from textwrap import wrap

# Wider than this nobody reads well, and narrower nothing fits.
WIDTH = 96
NARROWEST = 32


def fitting(columns: int) -> int:
    """The width to write in on a terminal of so many columns."""
    return max(NARROWEST, min(columns, WIDTH))


def wrapped(text: str, width: int, first: str = "", then: str = "", within_words: bool = False) -> list[str]:
    """`text` in rows of at most `width` columns, the first one behind `first`, the others behind `then`.

    An id, a path or an address stays whole, even where it is longer than a row, unless `within_words`.
    """
    return wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=then,
        break_on_hyphens=False,
        break_long_words=within_words,
    )
