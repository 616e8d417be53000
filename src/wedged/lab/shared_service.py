"""V2's shared service, as the two files in a home that name it.

``opencode serve --service`` takes its port and password from the one and writes where it listens into the
other. A command-line call that finds no service starts one the same way, on the port that the first names.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

_NAME = Path("opencode") / "service.json"


@dataclass(frozen=True, slots=True)
class Registration:
    """Where the shared service of a home listens, by its own word. `pid` may be long gone after a crash."""

    url: str
    pid: int
    version: str = ""
    password: str = field(default="", repr=False)


def configure(env: Mapping[str, str], *, port: int, password: str = "") -> None:
    """Have the next service of the home with this environment listen on `port`, with `password`.

    Without one it gets a password of our making, as the service itself would make one and keep it there.
    """
    path = Path(env["XDG_CONFIG_HOME"]) / _NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    body = {"port": port, "password": password or secrets.token_urlsafe(18)}
    path.write_text(json.dumps(body) + "\n")


def configured(env: Mapping[str, str]) -> bool:
    """Whether the home names a port for its service."""
    return (Path(env["XDG_CONFIG_HOME"]) / _NAME).exists()


def registration(env: Mapping[str, str]) -> Registration | None:
    """What the home's service wrote about itself; None where there is no such file, or only half of one."""
    try:
        data = (Path(env["XDG_STATE_HOME"]) / _NAME).read_bytes()
        return msgspec.json.decode(data, type=Registration)
    except (OSError, msgspec.MsgspecError):
        return None
