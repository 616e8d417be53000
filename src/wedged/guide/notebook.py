"""What a notebook is to us: tagged cells, parameters, and how far an execution came."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from wedged.errors import EvidenceError, UsageError

INJECTED = "injected-parameters"
HIDDEN = frozenset({"parameters", INJECTED, "hide"})
_STOPPED = "wedged_stopped"


@dataclass(frozen=True, slots=True)
class Stop:
    """Where an execution ended early. `cell` counts code cells from 1; `kind` names the error class."""

    cell: int
    kind: str
    message: str


def read_notebook(path: Path) -> NotebookNode:
    """The notebook at `path`, in the current format.

    Raises:
        EvidenceError: it is missing, or is no notebook.
    """
    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4)
    except (OSError, ValueError, AttributeError, nbformat.reader.NotJSONError) as error:
        raise EvidenceError(f"{path.name} is not a readable notebook: {type(error).__name__}") from error
    return notebook


def write_notebook(notebook: NotebookNode, path: Path) -> None:
    """Write `notebook` whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    nbformat.write(notebook, half)
    half.replace(path)


def tags(cell: NotebookNode) -> frozenset[str]:
    """The cell's tags."""
    return frozenset(cell.metadata.get("tags", ()))


def with_parameters(notebook: NotebookNode, parameters: Mapping[str, object]) -> NotebookNode:
    """A copy in which a cell that sets `parameters` follows the one tagged ``parameters`` (else comes first).

    Raises:
        UsageError: a name is no identifier, or a value is not built of plain literals.
    """
    notebook = copy.deepcopy(notebook)
    lines = []
    for name, value in parameters.items():
        if not name.isidentifier() or not _literal(value):
            raise UsageError(f"{name}={value!r} can't be a notebook's parameter; write plain literals")
        lines.append(f"{name} = {value!r}")
    at = next((i + 1 for i, cell in enumerate(notebook.cells) if "parameters" in tags(cell)), 0)
    cell = nbformat.v4.new_code_cell("\n".join(lines), metadata={"tags": [INJECTED]})
    cell["id"] = INJECTED
    notebook.cells.insert(at, cell)
    return notebook


def _literal(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_literal, value))
    return value is None or isinstance(value, str | bool | int | float)


def stripped(notebook: NotebookNode) -> NotebookNode:
    """A copy without outputs, counts and injected parameters: what the repository holds."""
    notebook = copy.deepcopy(notebook)
    notebook.metadata.pop(_STOPPED, None)
    notebook.cells = [cell for cell in notebook.cells if INJECTED not in tags(cell)]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def mark_stopped(notebook: NotebookNode, stop: Stop) -> None:
    """Write into the notebook's metadata where it stopped: the page says it, without the log at hand."""
    notebook.metadata[_STOPPED] = {"cell": stop.cell, "kind": stop.kind, "message": stop.message}


def stopped(notebook: NotebookNode) -> Stop | None:
    """Where the execution stopped, None where it came to its end."""
    found: Any = notebook.metadata.get(_STOPPED)
    return Stop(int(found["cell"]), str(found["kind"]), str(found["message"])) if found else None
