"""What the verbs that look at a server share: its address, who we are to it, and how far they reach."""

import os
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import click

if TYPE_CHECKING:
    from wedged.client import Connection
    from wedged.client.discovery import Service
    from wedged.diagnose import Login

F = TypeVar("F", bound=Callable[..., object])

USUAL = "http://127.0.0.1:4096"
# Where 4096 is taken, a V2 takes the next one (a V1 any). A V2 service takes 49374 (0xc0de), also one whose
# registration was lost.
ALSO_USUAL = ("http://127.0.0.1:4097", "http://127.0.0.1:49374")
_KNOCK_S = 0.5
_PASSWORDS = ("OPENCODE_SERVER_PASSWORD", "OPENCODE_PASSWORD")

_REACH = (
    click.option(
        "--directory",
        "directories",
        multiple=True,
        metavar="DIR",
        help="Ask this directory too; may be repeated. A V1 server loads the project there.",
    ),
    click.option(
        "--all-directories",
        "every_directory",
        is_flag=True,
        help="Ask the directory of every session. A V1 server loads each of those projects.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0.1),
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        help="How long each request may take.",
    ),
)


def reach(command: F) -> F:
    """Add the options that say which directories are asked, and for how long."""
    return reduce(lambda made, option: option(made), reversed(_REACH), command)


@dataclass(frozen=True)
class Target:
    """A server's address with what its password comes from. The password is in no `repr`.

    `variable` names the environment variable that lines to paste take the password from, `file` the
    registration of the service that it is (None: it is in none).
    """

    url: str
    user: str
    variable: str
    password: str = field(repr=False)
    file: Path | None = field(default=None, compare=False)

    def connect(self, timeout: float) -> "Connection":
        """Find out what answers there. Raises what `wedged.client.connect` does."""
        from wedged.client import connect

        return connect(self.url, password=self.password, username=self.user, timeout=timeout)

    @property
    def login(self) -> "Login | None":
        """What goes into lines to paste; None where no password is set."""
        from wedged.diagnose import Login

        return Login(self.user, self.variable) if self.password else None


def target(url: str | None) -> Target:
    """The server at `url`; without one the likeliest local server. What is looked at and what is passed over
    is said on stderr."""
    if url:
        return chosen(_target(url, _services()), said=url)
    first, *others = local_targets()
    pass_over(others, f"{first.url} comes first")
    return chosen(first)


def local_targets() -> tuple[Target, ...]:
    """Where local servers are, the likeliest first: the services that registered themselves, then the usual
    addresses at which something listens; the first usual one where there is nothing at all.

    A registration that can't be used is said on stderr.
    """
    services = _services(said=True)
    urls = dict.fromkeys(service.url for service in services)
    urls |= dict.fromkeys(url for url in (USUAL, *ALSO_USUAL) if url not in urls and _listens(url))
    return tuple(_target(url, services) for url in urls or (USUAL,))


def chosen(one: Target, said: str = "") -> Target:
    """`one`, having said on stderr that it is looked at (unless the user `said` its address), and where its
    password comes from."""
    if not said:
        say(f"no URL given, looking at {one.url}{f', by {one.file}' if one.file else ''}")
    if one.file and one.password:
        say(f"the password comes from {one.file}; lines to paste want it in {_PASSWORDS[-1]}")
    return one


def pass_over(others: Sequence[Target], why: str) -> None:
    """Say on stderr that these are not looked at."""
    for one in others:
        by = f", by {one.file}," if one.file else ""
        say(f"{one.url}{by} is passed over: {why}")


def _services(*, said: bool = False) -> "tuple[Service, ...]":
    from wedged.client.discovery import find_services

    services, unusable = find_services(os.environ)
    for refused in unusable if said else ():
        say(f"{refused.file} is passed over: {refused.why}")
    return services


def _target(url: str, services: "Sequence[Service]") -> Target:
    """A service that registered itself wrote its own password down beside its address, and takes none from
    the environment: for that address the file's word counts. Everywhere else it is the environment's."""
    service = next((one for one in services if one.url == _plain_url(url)), None)
    file = service.file if service else None
    if service is not None and service.password:
        return Target(service.url, "opencode", _PASSWORDS[-1], service.password, file)
    variable = next((name for name in _PASSWORDS if os.environ.get(name)), "")
    user = os.environ.get("OPENCODE_SERVER_USERNAME") or "opencode"
    return Target(url, user, variable, os.environ.get(variable, ""), file)


def _listens(url: str) -> bool:
    """Whether something accepts connections there. Nothing is sent."""
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname, parts.port), timeout=_KNOCK_S):
            return True
    except OSError:
        return False


def _plain_url(url: str) -> str:
    from wedged.client.address import read_url
    from wedged.errors import BadTarget

    try:
        return read_url(url)
    except BadTarget:
        return ""


def say(what: str) -> None:
    """One line on stderr, escaped."""
    from wedged.facts.plain_text import plain

    print(f"wedged: {plain(what)}", file=sys.stderr, flush=True)
