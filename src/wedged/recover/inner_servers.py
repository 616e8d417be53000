"""OpenCode servers inside a process that is about to be ended: for them that is a stop."""

import os
from collections.abc import Callable

import psutil

from wedged.client import connect
from wedged.diagnose.readiness import Readiness
from wedged.diagnose.readiness_looks import decide
from wedged.diagnose.readiness_text import counted
from wedged.errors import CannotLook, Refused
from wedged.facts.process import ProcessFacts
from wedged.facts.snapshot import Snapshot
from wedged.observe.processes import process_facts, server_tree
from wedged.observe.work import look_for_work
from wedged.waiting import pause

_REQUEST_S = 10.0


def servers_in(process: ProcessFacts) -> tuple[tuple[ProcessFacts, str], ...]:
    """The OpenCode servers among what ends with this process (it, and the group that it leads), each with its
    address on this machine."""
    found = []
    for one in psutil.process_iter():
        try:
            if one.pid != process.pid and os.getpgid(one.pid) != process.pid:
                continue
            facts = process_facts(one)
            if any("opencode" in word for word in (facts.name, *facts.argv)):
                listening = [c for c in one.net_connections("tcp") if c.status == psutil.CONN_LISTEN]
                found += [(facts, f"http://127.0.0.1:{c.laddr.port}") for c in listening]
        except (psutil.Error, ProcessLookupError, PermissionError):
            continue
    return tuple(found)


def refuse_if_it_serves(process: ProcessFacts, ready: Callable[[str], Readiness]) -> None:
    """Refuse to end a process while a server in it works on something.

    `ready` says of a server's address what a restart would end.

    Raises:
        Refused: a server in it works, or can't be asked.
    """
    for server, url in servers_in(process):
        what = f"process {process.pid} has an OpenCode server in it (process {server.pid}, {url})"
        try:
            said = ready(url)
        except CannotLook as error:
            raise Refused(
                f"{what} that can't be asked whether it works: {error}. Ask `wedged ready {url}`"
            ) from None
        if said.exit_code:
            works = counted(said.blockers) or "not everything could be seen"
            raise Refused(f"{what}, and it works ({works}): `wedged ready {url} --wait`, then end it")


def ready(url: str) -> Readiness:
    """What a restart of the server at `url` would end.

    It is asked without a password: it is somebody's command, and ours is not for it.

    Raises:
        CannotLook: it wants one, or can't be read.
    """
    with connect(url, timeout=_REQUEST_S) as connection:

        def take(peek: Snapshot | None) -> Snapshot:
            return look_for_work(
                connection.reader, peek=peek, tree=lambda: server_tree(url), source=connection.url
            )

        return decide(take, pause)[0]
