"""The process behind a server's address, and what runs below it: only on this machine, only this user's."""

import ipaddress
import os
from urllib.parse import urlsplit

import psutil

from wedged.facts.process import ProcessFacts, Tree
from wedged.facts.snapshot import Gap

_WHAT = "processes of the server"


def server_tree(url: str) -> Tree | Gap:
    """The process that listens at `url` with everything below it, or why it can't be seen.

    A port may be held by a forwarder (ssh, a container's proxy) whose children say nothing about the
    server's; so the process must call itself opencode somewhere in its command line.
    """
    address = urlsplit(url)
    if not on_this_machine(address.hostname or ""):
        return Gap(_WHAT, "the server is on another machine")
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        pids = {
            found.pid
            for found in psutil.net_connections("tcp")
            if found.status == psutil.CONN_LISTEN and found.laddr and found.laddr.port == port
        }
    except (psutil.Error, OSError, NotImplementedError):
        return Gap(_WHAT, "this system does not tell an ordinary user who listens on a port")
    pids.discard(None)
    if len(pids) != 1:
        who = "a process that is not this user's" if not pids else f"{len(pids)} processes"
        return Gap(_WHAT, f"port {port} is held by {who}")
    try:
        return _tree(psutil.Process(pids.pop()), port)
    except psutil.Error:
        return Gap(_WHAT, "the process went away, or can't be read by this user")


def _tree(process: psutil.Process, port: int) -> Tree | Gap:
    server = process_facts(process)
    if hasattr(os, "getuid") and process.uids().real != os.getuid():
        return Gap(_WHAT, "the server runs as another user")
    if not server.is_opencode:
        return Gap(_WHAT, f"port {port} is held by {server.name}, which may only pass it on")
    return Tree(server, _below(process), _connections_out(process, port))


def tree_of(server: ProcessFacts) -> Tree | None:
    """This very process with everything below it, None where it is gone or can't be read."""
    try:
        process = psutil.Process(server.pid)
        # A pid is given to somebody else in time.
        return Tree(server, _below(process)) if process.create_time() == server.created else None
    except psutil.Error:
        return None


def _below(process: psutil.Process) -> tuple[ProcessFacts, ...]:
    below = []
    for child in process.children(recursive=True):
        try:
            # What has ended and was not waited for yet runs nothing.
            if child.status() != psutil.STATUS_ZOMBIE:
                below.append(process_facts(child))
        except psutil.NoSuchProcess:
            continue
    return tuple(below)


def _connections_out(process: psutil.Process, port: int) -> int | None:
    try:
        found = process.net_connections("inet")
    except psutil.Error:
        return None
    return sum(one.status == psutil.CONN_ESTABLISHED and one.laddr.port != port for one in found)


def process_facts(process: psutil.Process) -> ProcessFacts:
    """A process as it is now; without arguments where they can't be read. Raises `psutil.Error`."""
    with process.oneshot():
        try:
            argv = tuple(process.cmdline())
        except (psutil.AccessDenied, psutil.ZombieProcess):
            argv = ()
        return ProcessFacts(process.pid, process.ppid(), process.create_time(), process.name(), argv)


def on_this_machine(host: str) -> bool:
    """Whether a host's name or address is this machine's own: a loopback one."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
