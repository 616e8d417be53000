"""From what somebody typed to a failure class."""

from difflib import get_close_matches

from wedged.catalog import (
    w001_wrong_directory,
    w002_two_servers_one_store,
    w101_ungated_external_ask,
    w102_disposal_without_revocation,
    w103_decline_as_shutdown,
    w104_leftover_ask,
    w105_hidden_child_ask,
    w201_hard_crash,
    w203_orphaned_process,
    w301_invisible_background_shell,
)
from wedged.catalog.codes import PLANNED
from wedged.errors import UnknownCode
from wedged.facts.failure_class import FailureClass
from wedged.facts.plain_text import plain

CLASSES: tuple[FailureClass, ...] = (
    w001_wrong_directory.CLASS,
    w002_two_servers_one_store.CLASS,
    w101_ungated_external_ask.CLASS,
    w102_disposal_without_revocation.CLASS,
    w103_decline_as_shutdown.CLASS,
    w104_leftover_ask.CLASS,
    w105_hidden_child_ask.CLASS,
    w201_hard_crash.CLASS,
    w203_orphaned_process.CLASS,
    w301_invisible_background_shell.CLASS,
)


def by_code(text: str) -> FailureClass:
    """The class with this code, slug or both joined by a hyphen; upper and lower case are alike.

    Raises:
        UnknownCode: there is none; the message says so for a planned code and names the nearest otherwise.
    """
    wanted = text.strip().lower()
    for one in CLASSES:
        if wanted in (one.code.lower(), one.slug.lower(), one.name.lower()):
            return one
    for code, slug in PLANNED.items():
        if wanted in (code.lower(), slug, f"{code.lower()}-{slug}"):
            raise UnknownCode(
                f"{code} ({slug}) is planned and has no page yet; `wedged explain` lists what has"
            )
    names = {name.lower(): one for one in CLASSES for name in (one.code, one.slug, one.name)}
    near = dict.fromkeys(names[match].name for match in get_close_matches(wanted, names, n=3, cutoff=0.5))
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(c.name for c in CLASSES)}"
    raise UnknownCode(f"no failure class is called '{plain(text.strip()[:60])}'; {hint}")
