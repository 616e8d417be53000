"""The default list of servers, read from the one file that names it."""

from importlib.resources import files

from wedged.facts.server import ServerSpec


def default_servers() -> tuple[ServerSpec, ...]:
    """The specs of ``default_servers.txt``, in its order; a floating one is not resolved yet."""
    text = files("wedged.servers").joinpath("default_servers.txt").read_text(encoding="utf-8")
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(ServerSpec.parse(line) for line in lines if line)
