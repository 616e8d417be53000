"""``wedged explain``: the pages of the catalogue, in the terminal, offline."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from wedged.cli.screen import screen_width
from wedged.facts.wrapping import wrapped

if TYPE_CHECKING:
    from wedged.facts.failure_class import FailureClass
    from wedged.facts.recovery import Step


@click.command()
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Show the page of CODE (W101, or its name); without CODE, the list of failure classes."""
    from wedged.catalog import by_code

    click.echo("\n".join(_page(by_code(code)) if code else _list()))


def _list() -> list[str]:
    from wedged.catalog import CLASSES, PLANNED

    rows = []
    for one in CLASSES:
        rows += [f"{one.code}  {one.slug}", *_text(one.title, "      ")]
    planned = ", ".join(f"{code} {slug}" for code, slug in PLANNED.items())
    return [*rows, "", *_text(f"Planned, reported by nothing yet: {planned}.", "")]


def _page(one: "FailureClass") -> list[str]:
    rows = [*_text(one.title, ""), f"{one.code} {one.slug}", "", *_text(one.summary)]
    rows += ["", "WHAT YOU SEE", *_bullets(one.see)]
    if one.danger:
        rows += ["", "BEFORE YOU DO ANYTHING", *_text(one.danger)]
    rows += [
        "",
        "DO ONE OF THESE",
        "",
        *_text("`wedged doctor URL` prints each with the real ids filled in."),
    ]
    rows += _steps(one.recovery)
    for variant in one.variants:
        rows += ["", f"VARIANT {variant.name}", *_text(variant.sentence), *_bullets(variant.fingerprint)]
        rows += _steps(variant.recovery)
    rows += ["", "NOT THIS IF"]
    for look_alike in one.look_alikes:
        rows += _text(f"- {look_alike.looks_like}: {look_alike.test}.")
    rows += ["", "WHAT IS CLAIMED, AND TESTED"]
    for claim in one.claims:
        rows += _text(f"- {claim.id}: {claim.sentence}")
    rows += ["", "UPSTREAM"]
    for title, url in one.links:
        rows += [*_text(f"- {title}"), f"    {url}"]
    return rows


def _steps(steps: "Iterable[Step]") -> list[str]:
    rows = []
    for number, step in enumerate(steps, 1):
        rows += ["", *_text(f"{number}. {step.sentence}")]
        facts = (
            ("needs", step.requires),
            ("loses", step.loses),
            ("leaves", step.leaves),
            ("worked when", (step.confirms,)),
        )
        for name, words in facts:
            rows += _text(f"{name}: {'; '.join(words)}", "     ") if words else []
    return rows


def _bullets(lines: Iterable[str]) -> list[str]:
    return [row for line in lines for row in _text(f"- {line}")]


def _text(words: str, indent: str = "  ") -> list[str]:
    hanging = indent + ("  " if words.startswith("- ") else "   " if words[:1].isdigit() else "")
    return wrapped(words, screen_width(), indent, hanging)
