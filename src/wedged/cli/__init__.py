"""The command line. One module a verb; `main` is the only place that prints an error or picks an exit code.

A verb's module has a click command named ``command``. It imports its room inside its function, raises
errors of `wedged.errors`, and returns its exit code (None is 0).
"""

from wedged.cli.entry import main
from wedged.cli.verbs import VERBS

__all__ = ["VERBS", "main"]
