"""Cleaning up after labs that died together with their keeper, by what their journals name."""

import contextlib
import os
from pathlib import Path

from wedged.lab import home_folder, process_table
from wedged.lab.ending import end
from wedged.lab.journal import LAB_VARIABLE, Journal, folder
from wedged.lab.process_table import Key, Running
from wedged.waiting import pause

_GRACE_S = 1.0
_GIVE_UP_S = 10.0
_LOCK = "sweep.lock"


def sweep() -> tuple[str, ...]:
    """End and remove what dead labs left. One sentence for each thing done or left undone.

    Journals of a lab that lives, or whose keeper lives and is at work itself, are left alone. Where another
    process sweeps just now, this one does nothing.
    """
    return _sweep(wait=0.0, own=None)


def sweep_own(journal: Path) -> tuple[str, ...]:
    """The same for one journal of this very process, whose keeper has died."""
    return _sweep(wait=30.0, own=journal)


def _sweep(wait: float, own: Path | None) -> tuple[str, ...]:
    # Imported here: it brings in asyncio, and a start that has nothing to sweep needs none of it.
    from filelock import FileLock, Timeout

    keepers = folder()
    journals = [own] if own else sorted(keepers.glob("*.json"))
    if not journals:
        return ()
    sentences: list[str] = []
    try:
        with FileLock(keepers / _LOCK, timeout=wait):
            for path in journals:
                sentences += _sweep_one(path, ours=path == own)
    except Timeout:
        sentences.append("another process is sweeping; left to it")
    return tuple(sentences)


def _sweep_one(path: Path, ours: bool) -> list[str]:
    try:
        journal = Journal.read(path)
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        return [f"journal {path.name} is left: {error}"]
    if journal.alive(journal.keeper) or (journal.alive(journal.lab) and not ours):
        return []
    names: dict[Key, str] = {}

    def left() -> list[Running]:
        found = _left_by(journal)
        for process in found:
            names.setdefault(process.key, process_table.name(process.pid))
        return found

    try:
        ended = end(left, grace=_GRACE_S, pause=lambda _: pause(0.01), give_up=_GIVE_UP_S)
    except OSError as error:
        return [f"lab {journal.lab_id}: {error}; left to the next sweep"]
    sentences = [f"ended process {key[0]} ({names[key]}) of a lab that died" for key in sorted(ended)]
    stays = False
    for home in journal.homes:
        sentence, gone = _remove(home, journal)
        sentences += sentence
        stays = stays or not gone
    if not stays:
        path.with_suffix(".new").unlink(missing_ok=True)
        path.unlink(missing_ok=True)
    return sentences


def _remove(home: Path, journal: Journal) -> tuple[list[str], bool]:
    with contextlib.suppress(FileNotFoundError):
        try:
            if why := home_folder.why_not_ours(home, journal.lab_id, journal.temp):
                # Not ours to remove, now or at any later sweep: said once, then forgotten.
                return [f"folder {home.name} is left: {why}"], True
            home_folder.remove(home)
        except FileNotFoundError:
            raise
        except OSError as error:
            return [f"folder {home.name} could not be removed: {error.strerror}"], False
        return [f"removed folder {home.name} of a lab that died"], True
    return [], True


def _left_by(journal: Journal) -> list[Running]:
    """What the journal names and all below it, what carries the lab's mark, what works in its homes."""
    if journal.boot != process_table.boot_id():
        return []
    table = process_table.running()
    spared = _self_and_ancestors(table)
    named = set(journal.processes)
    roots = {
        process.pid: process
        for process in table.values()
        if process.pid not in spared
        and (process.key in named or _marked(process.pid, journal) or _works_in(process, journal))
    }
    return [*roots.values(), *process_table.descendants(table, roots)]


def _marked(pid: int, journal: Journal) -> bool:
    return process_table.variable(pid, LAB_VARIABLE) == journal.lab_id


def _works_in(process: Running, journal: Journal) -> bool:
    # A server's shell has no terminal; a person who has gone there to look has one, and is not ended.
    if process.terminal:
        return False
    where = process_table.working_folder(process.pid)
    return where is not None and any(where.is_relative_to(home) for home in journal.homes)


def _self_and_ancestors(table: dict[int, Running]) -> set[int]:
    spared: set[int] = set()
    pid = os.getpid()
    while pid and pid not in spared:
        spared.add(pid)
        pid = table[pid].parent if pid in table else 0
    return spared
