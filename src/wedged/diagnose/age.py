"""How long something has lasted, as a person says it."""


def age_words(seconds: float) -> str:
    """``45 s``, ``3 min``, ``5 h``, ``2 d``: the largest unit of which there are two."""
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
