"""Whether nights still come. Pure.

A host switches a scheduled workflow off after 60 quiet days and tells nobody. This look runs on every push as
well as by the clock, and the pages themselves say how old their evidence is, whoever else is silent.
"""

LATE_H = 48.0
# How a run ends whose own steps have said what changed: a change is news, not a broken night.
_ENDED = ("success", "failure")


def problems(last_run: tuple[float, str] | None, pages: tuple[str, str]) -> tuple[str, ...]:
    """One sentence for each thing that is wrong. `last_run`: hours since the newest ended night began, and
    how it ended; `pages`: the site's address, and its state at the host ("" where none is named)."""
    found = []
    if last_run is None:
        found.append("no night has ever ended on this branch")
    else:
        hours, conclusion = last_run
        if hours > LATE_H:
            found.append(f"the last night began {hours:.0f} hours ago; one is due every 24")
        if conclusion not in _ENDED:
            found.append(f"the last night ended as {conclusion}")
    address, state = pages
    if not address:
        found.append("no site is published")
    elif state == "errored":
        found.append("the host could not publish the site")
    return tuple(found)
