"""What a server was started with, and where it registered: names and switches, no values that could tell."""

import os
import stat
import time
from collections.abc import Mapping

import psutil

from wedged.bundle.collecting import Basket
from wedged.client.discovery import Service, find_services, read_registration, state_folder

# Of these the value is told; of other names that begin like this, only that they are set.
_PREFIXES = ("OPENCODE", "XDG_")
_FOLDERS = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
_SWITCHES = ("", "0", "1", "true", "false", "yes", "no")


def environment_of(pid: int) -> dict[str, str] | None:
    """The environment of a process of this user, None where it can't be read. It holds secrets."""
    try:
        return psutil.Process(pid).environ()
    except psutil.Error:
        return None


def collect_environment(basket: Basket, env: Mapping[str, str]) -> None:
    """``environment.json``: the names that OpenCode reads; folders and switches with their values."""
    told = {
        name: value if name in _FOLDERS or value.lower() in _SWITCHES else "(set)"
        for name, value in env.items()
        if name.startswith(_PREFIXES)
    }
    basket.add("environment.json", {"environment": dict(sorted(told.items()))})


def collect_services(basket: Basket, env: Mapping[str, str], server_pid: int | None) -> None:
    """``services.json``: the registrations of V2 services without passwords, and why one is unusable."""
    folder = state_folder(env)
    services, unusable = find_services(env)
    rows: list[dict[str, object]] = [
        {
            "file": one.file.name,
            "url": one.url,
            "pid": one.pid,
            "version": one.version,
            "has_password": bool(one.password),
            "is_this_server": one.pid == server_pid,
            **_file_facts(one.file),
        }
        for one in services
    ]
    rows += [{"file": one.file.name, "unusable": one.why, **_file_facts(one.file)} for one in unusable]
    basket.add("services.json", {"folder": str(folder), "registrations": rows})


def passwords(env: Mapping[str, str]) -> tuple[str, ...]:
    """The passwords of the services that are registered: secrets that have to be known to be taken out."""
    found = (read_registration(file) for file in state_folder(env).glob("service*.json"))
    return tuple(one.password for one in found if isinstance(one, Service) and one.password)


def _file_facts(file: os.PathLike[str]) -> dict[str, object]:
    try:
        facts = os.lstat(file)
    except OSError:
        return {}
    return {
        "mode": oct(stat.S_IMODE(facts.st_mode)),
        "written_ago_s": round(time.time() - facts.st_mtime, 1),
    }
