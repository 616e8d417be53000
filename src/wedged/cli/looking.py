"""One look at whatever a target names, for the verbs that diagnose: a server, a file, or what is local."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wedged.cli.file_target import Kind, databases_instead, file_target, kind_of, look_at_file
from wedged.cli.target import ALSO_USUAL, USUAL, Target, chosen, local_targets, pass_over, say, target
from wedged.errors import NotOpenCode, Unreachable

if TYPE_CHECKING:
    from wedged.diagnose import Login
    from wedged.facts.recovery import Action, Request
    from wedged.facts.recovery import Target as Aim
    from wedged.facts.snapshot import Window

# How many requests' time all the reads of one kind may take together.
_REQUESTS = 3


@dataclass(frozen=True)
class Reach:
    """How far a look at a server goes; see `look_twice`. `timeout` is what each request may take."""

    sample_s: float = 2.0
    timeout: float = 10.0
    directories: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    every_directory: bool = False


@dataclass(frozen=True)
class Looked:
    """What a look brought. `kind` is "url" or what the file is; `request`, `login` and `secrets` belong to
    the server that was asked (None and empty for a file). `secrets` are never to be shown."""

    window: Window
    kind: str
    request: Callable[[Action, Aim], Request] | None = None
    login: Login | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)


def look_at(text: str | None, reach: Reach) -> Looked:
    """Look at what `text` names; without one at the local server, and where none answers at its database.

    What was chosen for want of a name, and what was passed over, is said on stderr.

    Raises:
        BadTarget: it is neither an address nor a file.
        CannotLook: it can't be read, or nothing is there.
    """
    file = file_target(text)
    if file is not None:
        return _at_file(file, kind_of(file), reach)
    if text:
        return _at_server(target(text), reach)
    return _at_what_is_local(reach)


def _at_what_is_local(reach: Reach) -> Looked:
    first: Unreachable | NotOpenCode | None = None
    places = local_targets()
    for number, place in enumerate(places, 1):
        try:
            found = _at_server(chosen(place), reach)
        except (Unreachable, NotOpenCode) as error:
            first = first or error
            say(f"passed over: {error}")
        else:
            pass_over(places[number:], f"{place.url} answered; name it to look at it")
            return found
    file = databases_instead(os.environ)
    if file is not None:
        return _at_file(file, Kind.DATABASE, reach)
    if isinstance(first, Unreachable):
        from wedged.client.discovery import data_folder

        tried = ", ".join(dict.fromkeys((*(place.url for place in places), USUAL, *ALSO_USUAL)))
        raise Unreachable(
            f"no server answers at {tried}, and there is no database in {data_folder(os.environ)}; "
            "name an address or a file"
        ) from first
    raise first or Unreachable("there is no place to look at")


def _at_file(file: Path, kind: Kind, reach: Reach) -> Looked:
    return Looked(look_at_file(file, kind, reach.sessions), kind.value)


def _at_server(where: Target, reach: Reach) -> Looked:
    from wedged.observe import look_twice, server_tree

    with where.connect(reach.timeout) as connection:
        window = look_twice(
            connection.reader,
            sample_s=reach.sample_s,
            scopes=reach.directories,
            sessions=reach.sessions,
            every_directory=reach.every_directory,
            tree=lambda: server_tree(connection.url),
            source=connection.url,
            longest_s=_REQUESTS * reach.timeout,
        )
        return Looked(window, "url", connection.actor.request, where.login, (where.password,))
