"""What a keeper writes down before it acts, so that the next start can clean up after a lab that died."""

import json
import os
from pathlib import Path
from typing import NamedTuple

from wedged.lab import process_table
from wedged.lab.process_table import Key

LAB_VARIABLE = "WEDGED_LAB"
SERVER_VARIABLE = "WEDGED_SERVER"
STATE_VARIABLE = "WEDGED_STATE"

_SCHEMA = 1


class Journal(NamedTuple):
    """One lab: who it is, who keeps it, the folders it made, the processes below it when last looked at.

    Processes are (pid, start) pairs of the boot named by `boot`.
    """

    lab_id: str
    boot: str
    lab: Key
    keeper: Key
    temp: Path
    homes: tuple[Path, ...] = ()
    processes: tuple[Key, ...] = ()

    def write(self, path: Path) -> None:
        """Put it in place at once: a reader sees the old one or the new one, never half of one."""
        text = json.dumps(
            {
                "schema": _SCHEMA,
                **self._asdict(),
                "temp": str(self.temp),
                "homes": [str(home) for home in self.homes],
            }
        )
        fresh = path.with_suffix(".new")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        fresh.replace(path)

    @classmethod
    def read(cls, path: Path) -> "Journal":
        """Read one back.

        Raises:
            ValueError: it is not a journal, or not of a schema that this version knows.
            OSError: it can't be read; FileNotFoundError when its lab has ended meanwhile.
        """
        try:
            tree = json.loads(path.read_text())
            if tree["schema"] != _SCHEMA:
                raise ValueError(f"journal schema {tree['schema']!r}")
            return cls(
                lab_id=str(tree["lab_id"]),
                boot=str(tree["boot"]),
                lab=_key(tree["lab"]),
                keeper=_key(tree["keeper"]),
                temp=Path(tree["temp"]),
                homes=tuple(Path(home) for home in tree["homes"]),
                processes=tuple(_key(pair) for pair in tree["processes"]),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a journal: {error!r}") from error

    def alive(self, key: Key) -> bool:
        """Whether that process of this journal still runs (a zombie does not)."""
        if self.boot != process_table.boot_id():
            return False
        now = process_table.look(key[0])
        return now is not None and now.key == key and not now.dead


def folder() -> Path:
    """Where journals lie, made if missing: ``keepers`` below WEDGED_STATE or the user's state folder."""
    # Imported here: the keeper process reads this module and is told its path.
    from platformdirs import user_state_path

    state = os.environ.get(STATE_VARIABLE)
    path = (Path(state).absolute() if state else user_state_path("wedged")) / "keepers"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _key(pair: object) -> Key:
    if not isinstance(pair, list) or len(pair) != 2:
        raise ValueError(f"not a process: {pair!r}")
    return (int(pair[0]), int(pair[1]))
