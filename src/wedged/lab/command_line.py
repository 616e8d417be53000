"""A verb of the server's own command line, run in the bench's home and under its keeper.

On V2 a verb without ``--standalone`` or ``--server`` looks for the home's shared service and starts one where
there is none, on the same data. That service outlives the command; it is in `Command.left` until `end`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from wedged.errors import DeadlinePassed
from wedged.facts.process import ProcessFacts
from wedged.facts.redaction import redact
from wedged.facts.trial import Lane
from wedged.lab import shared_service
from wedged.lab.bench import Bench
from wedged.lab.home import Home
from wedged.lab.keeper import Ended, Keeper
from wedged.waiting import wait_for

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PRINTED = 20_000


@dataclass(frozen=True)
class Command:
    """A command that was started. A context manager that ends it and everything it has started."""

    arguments: tuple[str, ...]
    process: ProcessFacts
    log: Path
    home: Home
    keeper: Keeper

    @property
    def printed(self) -> str:
        """The end of its output so far, without colours, redacted."""
        with self.log.open("rb") as file:
            file.seek(max(self.log.stat().st_size - _PRINTED, 0))
            return redact(_COLOURS.sub("", file.read().decode(errors="replace")))

    def ended(self) -> Ended | None:
        """How it ended, None while it runs."""
        return self.keeper.ended(self.process)

    def wait(self, seconds: float) -> Ended | None:
        """How it ended, None where it has not within `seconds`."""
        try:
            return wait_for(self.ended, f"`{' '.join(self.arguments)}` to end", seconds)
        except DeadlinePassed:
            return None

    def family(self) -> tuple[ProcessFacts, ...]:
        """It and everything it has started that runs now."""
        return self.keeper.family(self.process)

    def left(self) -> tuple[ProcessFacts, ...]:
        """What it has started that runs now, itself left out."""
        return tuple(p for p in self.family() if p.pid != self.process.pid)

    def service(self) -> shared_service.Registration | None:
        """The shared service that this command has started, None where it has started none."""
        found = shared_service.registration(self.home.env)
        return found if found and found.pid in {p.pid for p in self.left()} else None

    def end(self) -> None:
        """End it, and whatever it has started."""
        self.keeper.end_tree(self.process)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


def start_command(
    bench: Bench,
    arguments: Sequence[str],
    *,
    directory: str = "",
    env: Mapping[str, str] | None = None,
    subject: str = "",
) -> Command:
    """Start ``opencode ARGUMENTS`` in `directory` (the bench's first project by default).

    `env` is added to the home's environment: a password goes there, never into `arguments`. On the timeline:
    ``command started`` (process lane) about `subject`.
    """
    home, keeper = bench.home, bench.server.keeper
    log = home.logs / f"command-{bench.timeline.count()}.log"
    where = Path(directory or bench.project())
    argv = (*bench.installed.argv, *arguments)
    process = keeper.spawn(argv, env={**home.env, **(env or {})}, cwd=where, log=log)
    bench.timeline.add(Lane.PROCESS, "command started", subject, arguments=list(arguments))
    return Command(tuple(arguments), process, log, home, keeper)
