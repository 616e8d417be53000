"""A server's processes as maintainers ask for them: who is below whom, in which state, what holds it."""

import os
import re
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import psutil

from wedged.bundle.collecting import Basket
from wedged.bundle.told import told_argv
from wedged.bundle.withholding import Withholding
from wedged.facts.process import ProcessFacts
from wedged.facts.snapshot import Snapshot
from wedged.observe.processes import process_facts

_PIPE = re.compile(r"(?:pipe|socket):\[(\d+)\]")
_STREAMS = ("stdin", "stdout", "stderr")
_FILES = (
    ("pipe:", "pipe"),
    ("socket:", "socket"),
    ("/dev/null", "null"),
    ("/dev/pts/", "terminal"),
    ("/dev/tty", "terminal"),
    ("anon_inode:", "kernel"),
)


def collect_processes(basket: Basket, look: Snapshot, withholding: Withholding) -> None:
    """``processes.json``: the server's tree, what else the look met, and the clients connected to it."""
    tree = look.processes
    if tree is None:
        why = next((gap.why for gap in look.blind if gap.what.startswith("processes")), "they were not seen")
        basket.gap("the processes of the server", why)
        return
    held = pipe_holders()
    if held is None:
        basket.gap("who holds which pipe", "this system does not tell")
    strays = tuple(stray.process for stray in look.strays or ())
    openers = look.holders.seen if look.holders else ()
    roles = (
        ("server", (tree.server,)),
        ("below the server", tree.below),
        ("outside of it, with its command", strays),
        ("has its database open", openers),
        ("connected to it", clients_of(tree.server.pid)),
    )
    rows: dict[int, dict[str, object]] = {}
    for role, processes in roles:
        for one in processes:
            told = replace(one, argv=told_argv(one.argv, withholding))
            row = rows.get(one.pid) or {"roles": [], **describe(told, held or {})}
            roles_so_far = row["roles"]
            if isinstance(roles_so_far, list):
                roles_so_far.append(role)
            rows[one.pid] = row
            basket.add("processes.json", {"processes": list(rows.values())})
    basket.add("sockets.json", {"sockets": sockets_of([tree.server, *tree.below])})


def describe(one: ProcessFacts, held: dict[str, list[int]]) -> dict[str, object]:
    """One process, as it is now; less where it is gone or belongs to somebody else. Ages in seconds."""
    row: dict[str, object] = {
        "pid": one.pid,
        "ppid": one.parent,
        "name": one.name,
        "argv": list(one.argv),
        "age_s": round(time.time() - one.created, 1),
    }
    try:
        process = psutil.Process(one.pid)
        if abs(process.create_time() - one.created) > 2:
            return {**row, "state": "gone"}
        with process.oneshot():
            cpu = process.cpu_times()
            row |= {
                "state": process.status(),
                "pgid": os.getpgid(one.pid),
                "sid": os.getsid(one.pid),
                "memory_mb": round(process.memory_info().rss / 2**20, 1),
                "cpu_s": round(cpu.user + cpu.system, 2),
                "threads": process.num_threads(),
            }
        if version := packaged_version(process):
            row["package_version"] = version
    except psutil.NoSuchProcess:
        return {**row, "state": "gone"}
    except (psutil.Error, OSError):
        return {**row, "state": "can't be looked into"}
    for number, name in enumerate(_STREAMS):
        row[name] = _stream(one.pid, number, held)
    return row


def clients_of(pid: int) -> tuple[ProcessFacts, ...]:
    """The processes of this machine that have a connection to a port on which process `pid` listens."""
    try:
        found = psutil.net_connections("tcp")
    except (psutil.Error, OSError):
        return ()
    ports = {
        one.laddr.port for one in found if one.pid == pid and one.status == psutil.CONN_LISTEN and one.laddr
    }
    pids = {
        one.pid or 0
        for one in found
        if one.status == psutil.CONN_ESTABLISHED and one.raddr and one.raddr.port in ports
    }
    seen = []
    for other in sorted(pids - {0, pid, os.getpid()}):
        try:
            seen.append(process_facts(psutil.Process(other)))
        except psutil.Error:
            continue
    return tuple(seen)


def sockets_of(processes: Iterable[ProcessFacts]) -> list[dict[str, object]]:
    """Their network sockets. An address on another machine is told by its kind and its port alone."""
    rows: list[dict[str, object]] = []
    for one in processes:
        try:
            found = psutil.Process(one.pid).net_connections("inet")
        except psutil.Error:
            continue
        rows += [
            {
                "pid": one.pid,
                "state": socket.status,
                "local": _address(socket.laddr),
                "remote": _address(socket.raddr),
            }
            for socket in found
        ]
    return rows


def pipe_holders() -> dict[str, list[int]] | None:
    """Every pipe and socket of this user's processes by its name in /proc, with the pids that hold it; None
    where the system does not tell."""
    if not sys.platform.startswith("linux"):
        return None
    held: dict[str, list[int]] = {}
    for pid in psutil.pids():
        try:
            names = {_target(entry.path) for entry in os.scandir(f"/proc/{pid}/fd")}
        except OSError:
            continue
        for name in names:
            if _PIPE.fullmatch(name):
                held.setdefault(name, []).append(pid)
    return held


def packaged_version(process: psutil.Process) -> str:
    """The version in the package.json beside an OpenCode program, "" where there is none. Nothing is run."""
    try:
        file = Path(process.exe()).resolve().parent.parent / "package.json"
        text = file.read_text(encoding="utf-8", errors="replace")[:65536] if "opencode" in str(file) else ""
    except (psutil.Error, OSError):
        return ""
    found = re.search(r'"version"\s*:\s*"([\w.+-]{1,40})"', text)
    return found[1] if found else ""


def _stream(pid: int, number: int, held: dict[str, list[int]]) -> dict[str, object]:
    target = _target(f"/proc/{pid}/fd/{number}")
    kind = next((kind for start, kind in _FILES if target.startswith(start)), "file" if target else "closed")
    if not sys.platform.startswith("linux"):
        kind = "unknown"
    others = [other for other in held.get(target, ()) if other != pid]
    return (
        {"kind": kind, "name": target, "also_held_by": others} if _PIPE.fullmatch(target) else {"kind": kind}
    )


def _target(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except OSError:
        return ""


def _address(address: object) -> str:
    host, port = getattr(address, "ip", ""), getattr(address, "port", 0)
    if not host:
        return ""
    here = host.startswith("127.") or host in ("::1", "::ffff:127.0.0.1")
    every = host in ("0.0.0.0", "::")  # noqa: S104 - recognised, not bound
    return f"{'loopback' if here else 'every address' if every else 'another machine'}:{port}"
