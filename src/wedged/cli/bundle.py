"""``wedged bundle``: a redacted zip for a bug report."""

import os
import platform
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wedged.cli import options
from wedged.cli.screen import progress
from wedged.cli.target import reach, say

if TYPE_CHECKING:
    from wedged.bundle.assembling import Assembled, Setting
    from wedged.bundle.of_server import Reach
    from wedged.cli.target import Target

_INCLUDABLE = ("prompts", "outputs", "answers")


@click.command()
@click.argument("url", metavar="[TARGET]", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE.zip",
    help="Where the bundle goes; without it a new file in this folder.",
)
@click.option("--force", is_flag=True, help="Replace FILE.zip where it exists.")
@click.option(
    "--session",
    "sessions",
    multiple=True,
    metavar="ID",
    help="This session's messages and log lines go in; may be repeated. Those that are stuck go in anyway.",
)
@click.option(
    "--include",
    multiple=True,
    type=click.Choice(_INCLUDABLE),
    help="Put these texts in as well: what people wrote, what tools printed, what models answered.",
)
@click.option("--markdown", is_flag=True, help="Also print a report to paste into an issue, and only that.")
@options.sample
@options.grace
@reach
def command(
    url: str | None,
    output: Path | None,
    force: bool,
    sessions: tuple[str, ...],
    include: tuple[str, ...],
    markdown: bool,
    sample: float,
    grace: float,
    directories: tuple[str, ...],
    every_directory: bool,
    timeout: float,
) -> int:
    """Write what a maintainer asks for into one zip, without secrets: two looks at the server, the last
    messages of stuck sessions, processes, logs, database facts, config.

    TARGET is an address, a database file or an export; without one it is the local server, and where none
    answers its database. Sends only GET. Credentials, home folders, user and host names are taken out, and
    prompts, outputs and answers stay out; commands and paths are in. `wedged doctor FILE.zip` reads it back.
    A password is read from OPENCODE_SERVER_PASSWORD or OPENCODE_PASSWORD, for a local V2 service from its
    service.json.

    Exit codes: 0 written, 2 usage, 3 could not look or not write.
    """
    from wedged.bundle.archive import refuse_existing, write_zip
    from wedged.bundle.assembling import Setting
    from wedged.bundle.of_server import Reach

    file = output or Path(f"wedged-bundle-{time.strftime('%Y%m%d-%H%M%S')}.zip")
    refuse_existing(file, force=force)
    setting = Setting(
        target=url or "",
        name=file.name,
        versions=_versions(),
        include=tuple(dict.fromkeys(include)),
        terminal=_terminal(os.environ),
        grace=grace,
        sessions=sessions,
    )
    with progress("collecting what a maintainer asks for"):
        made = _make(url, setting, Reach(sample, timeout, directories, every_directory))
    write_zip(file, made.files, force=force)
    _tell(file, made, markdown)
    return 0 if made.manifest.same_findings is not None else 3


def _make(url: str | None, setting: "Setting", how: "Reach") -> "Assembled":
    """Of what is named; else of the first local server that answers, or the local database."""
    from wedged.cli.file_target import databases_instead, file_target
    from wedged.cli.target import chosen, local_targets, target
    from wedged.errors import NotOpenCode, Unreachable

    file = file_target(url)
    if file is not None:
        return _of_file(file, setting)
    if url:
        return _of_server(target(url), setting, how)
    first: Unreachable | NotOpenCode | None = None
    for place in local_targets():
        try:
            return _of_server(chosen(place), setting, how)
        except (Unreachable, NotOpenCode) as error:
            first = first or error
            say(f"passed over: {error}")
    instead = databases_instead(os.environ)
    if instead is None:
        raise first or Unreachable("there is no local server and no local database; name a TARGET")
    return _of_file(instead, setting)


def _of_server(where: "Target", setting: "Setting", how: "Reach") -> "Assembled":
    from dataclasses import replace

    from wedged.bundle.of_server import bundle_of_server

    with where.connect(how.timeout) as connection:
        secrets = (where.password,)
        return bundle_of_server(connection, replace(setting, target=connection.url), how, secrets=secrets)


def _of_file(file: Path, setting: "Setting") -> "Assembled":
    from dataclasses import replace

    from wedged.bundle.of_file import bundle_of_file
    from wedged.cli.file_target import Kind, kind_of, look_at_file
    from wedged.errors import BadTarget

    kind = kind_of(file)
    if kind not in (Kind.DATABASE, Kind.EXPORT):
        raise BadTarget(
            f"{file} is a {kind.value} already; a bundle is made of a server, a database or an export"
        )
    return bundle_of_file(
        file,
        lambda: look_at_file(file, kind, setting.sessions),
        replace(setting, target=str(file)),
        database=kind is Kind.DATABASE,
    )


def _tell(file: Path, made: "Assembled", markdown: bool) -> None:
    from wedged.facts.plain_text import plain

    size = file.stat().st_size
    if markdown:
        click.echo(made.report, nl=False)
        say(f"{file} is written ({size / 1e3:.0f} kB, {len(made.files)} files); attach it")
    else:
        counts = Counter(made.findings)
        found = ", ".join(f"{n} x {code}" if n > 1 else code for code, n in counts.items())
        kept = ", ".join(made.manifest.included)
        rows = [
            f"{file}  {size / 1e3:.0f} kB, {len(made.files)} files, mode 600",
            f"  found      {found or 'nothing that is stuck'}",
            f"  left out   {made.manifest.withheld} texts{f'; {kept} are in it' if kept else ''}",
            *(f"  not seen   {gap.what}: {gap.why}" for gap in made.manifest.gaps),
            "",
            "Nothing was sent anywhere. Look through it before you attach it.",
        ]
        click.echo("\n".join(plain(row) for row in rows))


def _versions() -> dict[str, object]:
    from importlib.metadata import version

    from wedged.evidence import host_facts

    facts = host_facts()
    system = (facts["os"], facts["kernel"], facts["machine"], _release())
    return {
        "wedged": version("wedged"),
        "python": facts["python"],
        "system": " ".join(str(one) for one in system if one),
        "host": facts,
    }


def _release() -> str:
    try:
        return f"({platform.freedesktop_os_release().get('PRETTY_NAME', '')})"
    except OSError:
        return platform.mac_ver()[0]


def _terminal(env: Mapping[str, str]) -> str:
    names = ("TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM", "COLORTERM")
    inside = [name for name in ("TMUX", "STY", "SSH_TTY", "WSL_DISTRO_NAME") if env.get(name)]
    return " ".join([*(env[name] for name in names if env.get(name)), *(f"in {name}" for name in inside)])
