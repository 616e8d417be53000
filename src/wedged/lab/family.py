"""Which process below the keeper belongs to which server, orphans included."""

import os

from wedged.lab import process_table
from wedged.lab.journal import SERVER_VARIABLE
from wedged.lab.process_table import Key, Running


class Families:
    """Remembers whose child a process was.

    When a server ends, its children become the keeper's own and the kernel forgets where they came from.
    So each look writes it down: a child belongs to its parent's server; an orphan to the server it belonged
    to at the look before, else to the one its environment names.
    """

    def __init__(self) -> None:
        self._servers: dict[Key, int] = {}
        self._owner: dict[Key, int] = {}

    def add_server(self, key: Key, number: int) -> None:
        """The process `key` is server `number` (1 and up)."""
        self._servers[key] = number

    def number(self, key: Key) -> int | None:
        """The server's number, None where no such server was ever started."""
        return self._servers.get(key)

    def look(self) -> list[tuple[Running, int]]:
        """Every process below this one, zombies left out, each with its server's number (0: nobody's)."""
        here = os.getpid()
        table = process_table.running()
        owner: dict[Key, int] = {}
        found: list[tuple[Running, int]] = []
        for process in process_table.descendants(table, [here]):
            number = self._servers.get(process.key, 0)
            if not number and process.parent != here:
                number = owner.get(table[process.parent].key, 0)
            if not number:
                # "Nobody's" is never remembered: just after its exec a process shows no environment yet.
                number = self._owner.get(process.key, 0) or _named(process.pid)
            owner[process.key] = number
            if not process.dead:
                found.append((process, number))
        self._owner = owner
        return found

    def members(self, number: int) -> list[Running]:
        """The processes of one server now, itself included while it lives."""
        return [process for process, owner in self.look() if owner == number]

    def owns(self, number: int, pid: int) -> bool:
        """Whether a direct child of this process, perhaps never seen in a look, is that server's orphan."""
        process = process_table.look(pid)
        if process is None or process.key in self._servers:
            return False
        return (self._owner.get(process.key) or _named(pid)) == number


def _named(pid: int) -> int:
    value = process_table.variable(pid, SERVER_VARIABLE)
    return int(value) if value.isdecimal() else 0
