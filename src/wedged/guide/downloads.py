"""What a page links to besides other pages: raw evidence, figures, notebooks, all copied from the run."""

import copy
import re
import shutil
from pathlib import Path

from nbformat import NotebookNode

from wedged.evidence import RunFolder
from wedged.guide.notebook import read_notebook, stripped, write_notebook

_SIZE = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)pt"[^>]*?\bheight="([\d.]+)pt"')


def figure_sizes(run: RunFolder) -> dict[str, tuple[int, int]]:
    """Width and height of each of the run's figures, in CSS pixels, by file name."""
    sizes = {}
    for path in sorted(run.figures.glob("*.svg")):
        found = _SIZE.search(path.read_text(encoding="utf-8"))
        if found:
            sizes[path.name] = (round(float(found[1]) * 4 / 3), round(float(found[2]) * 4 / 3))
    return sizes


def without_tracebacks(notebook: NotebookNode) -> NotebookNode:
    """A copy whose failed cells keep name and words only: a traceback is full of the machine's paths."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                output.traceback = []
    return notebook


def copy_downloads(run: RunFolder, docs: Path) -> None:
    """Put the run's evidence, figures and notebooks (as executed and as source) into `docs`."""
    for name in ("results.jsonl", "run.json"):
        if (run.path / name).is_file():
            shutil.copyfile(run.path / name, docs / name)
    for folder, pattern in (("evidence", "**/*.jsonl"), ("figures", "*.svg")):
        for path in sorted((run.path / folder).glob(pattern)):
            target = docs / path.relative_to(run.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    for path in sorted(run.notebooks.glob("*.ipynb")):
        notebook = without_tracebacks(read_notebook(path))
        write_notebook(notebook, docs / "notebooks" / path.name)
        write_notebook(stripped(notebook), docs / "notebooks" / f"{path.stem}.source.ipynb")
