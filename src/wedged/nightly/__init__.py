"""Each night: the work list, what was expected, what changed since, and between which versions."""
