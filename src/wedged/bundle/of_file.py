"""A bundle of a file that a server has left."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from wedged.bundle.assembling import Assembled, Setting, assemble
from wedged.bundle.collecting import Basket, Collector, collect
from wedged.bundle.logs import collect_logs
from wedged.bundle.started_with import collect_services, passwords
from wedged.bundle.store import collect_database
from wedged.bundle.told import told_window
from wedged.bundle.whom import redactor_for, sessions_of
from wedged.bundle.withholding import Withholding
from wedged.facts.snapshot import Window


def bundle_of_file(
    path: Path,
    look: Callable[[], Window],
    setting: Setting,
    *,
    database: bool,
    env: Mapping[str, str] = os.environ,
) -> Assembled:
    """What a file tells: `look` reads it, and `database` says whether it is one. No server is asked."""
    windows: list[Window] = []
    withholding = Withholding(setting.include)

    def looks(basket: Basket) -> None:
        del basket
        windows.append(look())

    def logs(basket: Basket) -> None:
        # Told first, so that what is withheld from the look is withheld from the log as well.
        for window in windows:
            told_window(window, withholding)
        ids = [session for window in windows for session in sessions_of(window, setting)]
        collect_logs(basket, path.parent / "log", ids, withholding)

    def services(basket: Basket) -> None:
        collect_services(basket, env, None)
        basket.gap("statuses, asks and config", "they live in a server, and none was asked")

    of_a_store = (
        Collector("database", 20, lambda basket: collect_database(basket, path)),
        Collector("logs", 15, logs),
    )
    collectors = (
        Collector("looks", 120, looks),
        *(of_a_store if database else ()),
        Collector("environment", 5, services),
    )
    harvest = collect(collectors)
    window = windows[0] if windows else None
    return assemble(setting, harvest, window, withholding, redactor_for(passwords(env), env))
