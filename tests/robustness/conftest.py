"""Says at the end how many inputs were tried."""

import pytest

from .tried import TRIED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for test, counter in TRIED.items():
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(counter.items()))
        terminalreporter.write_line(f"{test}: {counter.total()} inputs ({kinds})")
