"""The call that a server asks about, and the calls beside it, in each line's own words."""

from pathlib import Path

from wedged.facts.server import Line
from wedged.lab.bench import shell
from wedged.lab.turns import Call

_SHELL = {Line.V1: "bash"}


def makes(line: Line, path: Path) -> Call:
    """The call that makes `path`.

    On V1 the shell makes a folder. V2 asks about no path that only a shell command names, so there the file
    tools make a file; its folder is made with it.
    """
    if line is Line.V1:
        return makes_folder(line, path)
    return Call("write", {"path": str(path), "content": "made\n"})


def makes_folder(line: Line, path: Path) -> Call:
    """The shell call that makes the folder `path`."""
    return shell_call(line, f"mkdir -p {path}")


def shell_call(line: Line, command: str) -> Call:
    """A shell call."""
    return Call(_SHELL.get(line, "shell"), shell(command))


def on_file(line: Line, tool: str, path: Path, **more: str) -> Call:
    """A call of `read`, `write` or `edit`."""
    return Call(tool, {"filePath" if line is Line.V1 else "path": str(path), **more})


def sub_agent(line: Line, prompt: str) -> Call:
    """The call that starts a sub-agent with this prompt."""
    about = {"description": "sub", "prompt": prompt}
    if line is Line.V1:
        return Call("task", {**about, "subagent_type": "general"})
    return Call("subagent", {**about, "agent": "general"})
