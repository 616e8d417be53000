"""The local V2 service: where it says that it listens, and the password that it wrote down for its user.

``opencode serve --service`` registers itself in ``service.json`` (other channels in ``service-CHANNEL.json``)
below the state folder, readable by its user alone.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import psutil

from wedged.client.address import read_url
from wedged.errors import BadTarget
from wedged.facts.plain_text import plain

_MAX_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Service:
    """A service that registered itself in `file` and whose process lives. The password is in no `repr`."""

    url: str
    pid: int
    version: str
    file: Path
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Unusable:
    """A registration that can't be used, and why in one clause. Nothing of its contents is in it."""

    file: Path
    why: str


class _Registration(msgspec.Struct):
    url: str
    pid: int
    version: str = ""
    password: str | None = ""


def state_folder(env: Mapping[str, str]) -> Path:
    """Where services register. V2 uses this place on every system."""
    home = env.get("XDG_STATE_HOME") or Path(env.get("HOME") or Path.home(), ".local", "state")
    return Path(home) / "opencode"


def data_folder(env: Mapping[str, str]) -> Path:
    """Where servers keep their databases and, in ``log``, their logs."""
    home = env.get("XDG_DATA_HOME") or Path(env.get("HOME") or Path.home(), ".local", "share")
    return Path(home) / "opencode"


def find_services(env: Mapping[str, str]) -> tuple[tuple[Service, ...], tuple[Unusable, ...]]:
    """The services that live, and the registrations that can't be used. ``service.json`` comes first."""
    folder = state_folder(env)
    found, refused = [], []
    for file in (folder / "service.json", *sorted(folder.glob("service-*.json"))):
        one = read_registration(file)
        if isinstance(one, Service):
            found.append(one)
        elif one is not None:
            refused.append(one)
    return tuple(found), tuple(refused)


def read_registration(file: Path) -> Service | Unusable | None:
    """The service that `file` registers; None where there is no such file.

    A file that others can read or write is not used: what it says may be another user's word, and its
    password is known. Nor is one whose process is gone, or that names another machine.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        return Unusable(file, error.strerror or "it can't be opened")
    try:
        if why := _not_private(os.fstat(descriptor)):
            return Unusable(file, why)
        data = os.read(descriptor, _MAX_BYTES)
    finally:
        os.close(descriptor)
    try:
        wire = msgspec.json.decode(data, type=_Registration)
        url = read_url(wire.url)
    except (msgspec.MsgspecError, BadTarget, RecursionError, ValueError):
        return Unusable(file, "it is not a registration that can be read")
    if not _is_loopback(url):
        return Unusable(file, "it names a server that is not on this machine")
    if wire.pid <= 0 or not psutil.pid_exists(wire.pid):
        return Unusable(file, f"its process {wire.pid} does not run")
    return Service(url, wire.pid, plain(wire.version), file, wire.password or "")


def _not_private(status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "it is not a regular file"
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            return "it belongs to another user"
        if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            return "others than its user can read or write it (its mode should be 600)"
    return ""


def _is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")
