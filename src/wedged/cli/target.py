"""What the verbs that look at a server share: its address, who we are to it, and how far they reach."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from wedged.client import Connection
    from wedged.diagnose import Login

F = TypeVar("F", bound=Callable[..., object])

USUAL = "http://127.0.0.1:4096"
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

    `variable` names the environment variable that lines to paste take the password from.
    """

    url: str
    user: str
    variable: str
    password: str = field(repr=False)

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
    """The server at `url`; without one the local V2 service, or else the usual address. What is looked at,
    and what is passed over, is said on stderr.

    A service that registered itself wrote its own password down beside its address, and takes none from the
    environment: for that address the file's word counts. Everywhere else it is the environment's.
    """
    from wedged.client.discovery import find_services

    services, unusable = find_services(os.environ)
    if not url:
        for one in unusable:
            _say(f"{one.file} is passed over: {one.why}")
        url = services[0].url if services else USUAL
        by = f", by {services[0].file}" if services else ""
        _say(f"no URL given, looking at {url}{by}")
    service = next((one for one in services if one.password and one.url == _plain_url(url)), None)
    if service is not None:
        _say(f"the password comes from {service.file}; lines to paste want it in {_PASSWORDS[-1]}")
        return Target(service.url, "opencode", _PASSWORDS[-1], service.password)
    variable = next((name for name in _PASSWORDS if os.environ.get(name)), "")
    user = os.environ.get("OPENCODE_SERVER_USERNAME") or "opencode"
    return Target(url, user, variable, os.environ.get(variable, ""))


def _plain_url(url: str) -> str:
    from wedged.client.address import read_url
    from wedged.errors import BadTarget

    try:
        return read_url(url)
    except BadTarget:
        return ""


def _say(what: str) -> None:
    from wedged.facts.plain_text import plain

    print(f"wedged: {plain(what)}", file=sys.stderr, flush=True)
