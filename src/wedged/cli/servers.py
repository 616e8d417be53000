"""``wedged servers``: which server binaries are cached, bring more, take some away."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from wedged.servers import InstalledServer

_SCHEMA = 1
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of a table.")


@click.group()
def command() -> None:
    """List, install and remove the OpenCode servers that the lab runs."""


@command.command("list")
@_json
def list_servers(as_json: bool) -> None:
    """List the cached servers."""
    from wedged.servers import cache_folder, default_servers, installed

    servers = installed()
    if not servers and not as_json:
        _say("no server is cached; `wedged servers install` brings the default ones")
    head = {"cache": str(cache_folder()), "default": [str(spec) for spec in default_servers()]}
    _print(servers, as_json, head)


@command.command("install")
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@_json
def install_servers(specs: tuple[str, ...], as_json: bool) -> None:
    """Install servers through npm, or find them in the cache.

    SPEC is v1@1.17.18, v1@latest, v2@2.0.15, path:FILE or cmd:COMMAND; the default list without one.
    """
    from wedged.facts.server import ServerSpec
    from wedged.servers import default_servers, install

    wanted = [ServerSpec.parse(spec) for spec in specs] or list(default_servers())
    _print([install(spec, _say) for spec in wanted], as_json, {})


@command.command("remove")
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@_json
def remove_servers(specs: tuple[str, ...], as_json: bool) -> None:
    """Remove servers from the cache. One that is not there is no error."""
    from wedged.facts.server import ServerSpec
    from wedged.servers import remove

    wanted = [ServerSpec.parse(spec) for spec in specs]
    was_there = {str(spec): remove(spec) for spec in wanted}
    if as_json:
        removed = [spec for spec, there in was_there.items() if there]
        absent = [spec for spec, there in was_there.items() if not there]
        print(json.dumps({"schema": _SCHEMA, "removed": removed, "absent": absent}))
        return
    for spec, there in was_there.items():
        _say(f"{spec}: {'removed' if there else 'was not in the cache'}")


def _say(sentence: str) -> None:
    from wedged.facts.plain_text import plain

    print(plain(sentence), file=sys.stderr, flush=True)


def _print(servers: Sequence[InstalledServer], as_json: bool, head: Mapping[str, object]) -> None:
    if as_json:
        rows = [
            {
                "spec": str(server.spec),
                "line": str(server.line),
                "version": server.version,
                "sha256": server.sha256,
                "argv": list(server.argv),
            }
            for server in servers
        ]
        print(json.dumps({"schema": _SCHEMA, **head, "servers": rows}))
        return
    from wedged.facts.plain_text import plain

    table = [("SERVER", "LINE", "MB", "SHA256", "PROGRAM")] if servers else []
    for server in servers:
        size = f"{Path(server.argv[0]).stat().st_size / 1e6:.0f}"
        table.append((str(server.spec), str(server.line), size, server.sha256[:12], " ".join(server.argv)))
    widths = [max(len(plain(cell)) for cell in column) for column in zip(*table, strict=True)]
    for row in table:
        cells = (plain(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
