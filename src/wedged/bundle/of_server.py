"""A bundle of a running server."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from wedged.bundle.assembling import Assembled, Setting, assemble
from wedged.bundle.collecting import Basket, Collector, collect
from wedged.bundle.configuration import collect_config
from wedged.bundle.derived import statuses
from wedged.bundle.logs import collect_logs
from wedged.bundle.messages import collect_messages
from wedged.bundle.process_details import collect_processes
from wedged.bundle.started_with import collect_environment, collect_services, environment_of, passwords
from wedged.bundle.store import collect_database
from wedged.bundle.told import told_window
from wedged.bundle.whom import redactor_for, sessions_of
from wedged.bundle.withholding import Withholding
from wedged.client import Connection
from wedged.client.discovery import data_folder
from wedged.facts.recovery import Request
from wedged.facts.snapshot import Window
from wedged.observe import look_twice, server_tree
from wedged.observe.surroundings import databases_of


@dataclass(frozen=True)
class Reach:
    """How far a server is looked into, as `look_twice` has it. `timeout` is the seconds of each request."""

    sample_s: float = 2.0
    timeout: float = 10.0
    directories: tuple[str, ...] = ()
    every_directory: bool = False


@dataclass
class _OfServer:
    """The collectors of a running server, in their order; what the first ones saw, the later ones need."""

    connection: Connection
    setting: Setting
    reach: Reach
    env: Mapping[str, str]
    withholding: Withholding
    window: Window | None = None
    environment: dict[str, str] | None = None
    raw_config: object = None

    @property
    def server_pid(self) -> int | None:
        """The server's process, where it could be seen."""
        tree = self.window.latest.processes if self.window else None
        return tree.server.pid if tree else None

    def collectors(self) -> tuple[Collector, ...]:
        """Each with the seconds that it may take."""
        patience = self.reach.timeout
        return (
            Collector("looks", 10 * patience + self.reach.sample_s, self.looks),
            Collector("messages", 3 * patience, self.messages),
            Collector("config", patience, self.config),
            Collector("processes", 20, self.processes),
            Collector("environment", 5, self.surroundings),
            Collector("logs", 15, self.logs),
            Collector("database", 20, self.database),
        )

    def looks(self, basket: Basket) -> None:
        """The two looks; the first is kept where the second fails."""

        def keep(window: Window) -> None:
            self.window = window
            basket.add("statuses.json", statuses(window))
            if self.server_pid is not None:
                self.environment = environment_of(self.server_pid)

        window = look_twice(
            self.connection.reader,
            sample_s=self.reach.sample_s,
            scopes=self.reach.directories,
            sessions=self.setting.sessions,
            every_directory=self.reach.every_directory,
            tree=lambda: server_tree(self.connection.url),
            source=self.connection.url,
            longest_s=3 * self.reach.timeout,
            keep=lambda first: keep(Window(first)),
        )
        keep(window)

    def messages(self, basket: Basket) -> None:
        """The last messages of whom the bundle is about."""
        wanted = sessions_of(self.window, self.setting)
        collect_messages(basket, self._get, self.connection.line, wanted, self.withholding)

    def config(self, basket: Basket) -> None:
        """The effective config."""
        self.raw_config = collect_config(basket, self._get, self.connection.line)

    def processes(self, basket: Basket) -> None:
        """The server's processes and sockets."""
        if self.window is None:
            basket.gap("the processes of the server", "there was no look at it")
        else:
            collect_processes(basket, self.window.latest, self.withholding)

    def surroundings(self, basket: Basket) -> None:
        """What the server was started with, and what is registered."""
        if self.environment is None:
            basket.gap("the server's environment", "its process can't be seen, or not by this user")
        else:
            collect_environment(basket, self.environment)
        collect_services(basket, self.environment or self.env, self.server_pid)

    def logs(self, basket: Basket) -> None:
        """The end of its logs."""
        if self.environment is None or self.server_pid is None:
            basket.gap("the server's logs", "where they are is in its environment, which can't be seen")
            return
        if self.window is not None:
            # Told first, so that what is withheld from the look is withheld from the log as well.
            told_window(self.window, self.withholding)
        folder = data_folder(self.environment) / "log"
        ids = sessions_of(self.window, self.setting)
        collect_logs(basket, folder, ids, self.withholding, _open_below(self.server_pid, folder))

    def database(self, basket: Basket) -> None:
        """The file that it has open."""
        if self.server_pid is None:
            basket.gap("the server's database", "its process can't be seen, so neither can its open files")
            return
        try:
            paths = databases_of(self.server_pid)
        except psutil.Error:
            paths = ()
        if len(paths) == 1:
            collect_database(basket, paths[0])
        else:
            basket.gap("the server's database", f"it has {len(paths)} files open that look like one")

    def _get(self, path: str) -> object:
        # The acting half is the one that takes a path; a GET is all that is ever sent through it here.
        return self.connection.actor.send(Request("GET", path))


def bundle_of_server(
    connection: Connection,
    setting: Setting,
    reach: Reach,
    *,
    secrets: tuple[str, ...] = (),
    env: Mapping[str, str] = os.environ,
) -> Assembled:
    """Ask the server behind `connection`, and this machine about it. Only GETs are sent.

    `secrets` must be nowhere in the bundle, beside all that `env`, the server's own environment and its
    config name as one.
    """
    made = _OfServer(connection, setting, reach, env, Withholding(setting.include))
    harvest = collect(made.collectors())
    environments = (env, made.environment or {})
    redactor = redactor_for((*secrets, *passwords(made.environment or env)), *environments)
    redactor.learn(made.raw_config)
    return assemble(setting, harvest, made.window, made.withholding, redactor, connection.actor.request)


def _open_below(pid: int, folder: Path) -> tuple[Path, ...]:
    try:
        files = (Path(one.path) for one in psutil.Process(pid).open_files())
        return tuple(file for file in files if file.parent == folder)
    except psutil.Error:
        return ()
