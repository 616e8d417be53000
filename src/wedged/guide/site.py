"""A run folder, and nothing else, to a site: the pages are written, then mkdocs builds them strictly."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wedged.errors import SiteNotBuilt
from wedged.evidence import ClassVerdict, RunFolder, verdicts
from wedged.evidence.files import read
from wedged.facts.failure_class import FailureClass
from wedged.facts.markdown_text import table_cell
from wedged.facts.opinion import opinions
from wedged.guide.confusion import confusion_page
from wedged.guide.cures import Dialects
from wedged.guide.downloads import copy_downloads, figure_sizes
from wedged.guide.freshness import freshness_page, shown
from wedged.guide.history import decode_nights, history_page
from wedged.guide.matrix import Row, matrix_page
from wedged.guide.mkdocs_build import mkdocs_build
from wedged.guide.notebook import read_notebook
from wedged.guide.page import PageFacts, class_page
from wedged.guide.verdict_table import state_words

CLASSES_PLACE = "<!-- the generator puts the table of failure classes here -->"


@dataclass(frozen=True, slots=True)
class Sources:
    """What besides the run folder makes a site: the hand-written pages, mkdocs.yml, the classes, how each
    line of servers is spoken to, the file that the nights append to, and what is to be read before any
    verdict."""

    docs: Path
    config: Path
    classes: tuple[FailureClass, ...]
    dialects: Dialects
    history: Path | None = None
    notices: tuple[str, ...] = ()


def render(run: RunFolder, sources: Sources, *, work: Path, site: Path) -> Path:
    """Write the pages of `run` below `work`, build them into `site`, and return its index.html.

    The same run folder and sources give the same bytes. `work` and `site` are replaced.

    Raises:
        SiteNotBuilt: mkdocs refused; its own words are in the message.
        EvidenceError: the run folder or a notebook in it is unreadable.
    """
    docs = work / "docs"
    shutil.rmtree(docs, ignore_errors=True)
    shutil.copytree(sources.docs, docs)
    copy_downloads(run, docs)
    judged = [(of, _judged(run, of)) for of in sources.classes]
    _write_index(docs / "index.md", judged)
    (docs / "classes").mkdir(exist_ok=True)
    figures = figure_sizes(run)
    for of, said in judged:
        path = run.notebooks / f"{of.name}.ipynb"
        facts = PageFacts(
            failure_class=of,
            verdicts=said,
            record=run.record,
            trials=run.trials(of.code),
            notebook=read_notebook(path) if path.is_file() else None,
            figures=figures,
            dialects=sources.dialects,
        )
        (docs / "classes" / f"{of.name}.md").write_text(class_page(facts), encoding="utf-8")
    rows = [Row(of, said, run.trials(of.code)) for of, said in judged]
    (docs / "matrix.md").write_text(matrix_page(rows, sources.notices), encoding="utf-8")
    freshness = freshness_page(shown(run.cells(), run.record.left_out))
    (docs / "freshness.md").write_text(freshness, encoding="utf-8")
    names = [(of.code, of.name) for of in sources.classes]
    nights = decode_nights(read(sources.history)) if sources.history else []
    (docs / "history.md").write_text(history_page(nights, names), encoding="utf-8")
    said_by_doctor = opinions(trial for of in sources.classes for trial in run.trials(of.code))
    (docs / "confusion.md").write_text(confusion_page(said_by_doctor, names), encoding="utf-8")
    nav = _navigation(sources.classes)
    return mkdocs_build(sources.config, docs=docs, site=site, nav=nav, started=run.record.started)


def _judged(run: RunFolder, of: FailureClass) -> tuple[ClassVerdict, ...]:
    return verdicts(of, run.cells(of.code), witnesses=run.witnesses(of.code))


def _write_index(path: Path, judged: Sequence[tuple[FailureClass, tuple[ClassVerdict, ...]]]) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(CLASSES_PLACE) != 1:
        raise SiteNotBuilt(f"{path.name} has no place for the table of failure classes: {CLASSES_PLACE}")
    rows = ["| code | what people paste | verdict in this run |", "|---|---|---|"]
    for of, said in judged:
        link = f"[{of.code}](classes/{of.name}.md)"
        rows.append(f"| {link} | [{table_cell(of.title)}](classes/{of.name}.md) | {state_words(said)} |")
    path.write_text(text.replace(CLASSES_PLACE, "\n".join(rows)), encoding="utf-8")


def _navigation(classes: Sequence[FailureClass]) -> list[object]:
    pages = [{f"{of.code} {of.slug}": f"classes/{of.name}.md"} for of in classes]
    return [
        {"Start here": "index.md"},
        {"Failure classes": pages},
        {"Matrix": ["matrix.md", {"Freshness": "freshness.md"}, {"History": "history.md"}]},
        {
            "Doctor": [
                "doctor.md",
                {"Recover one session": "recover.md"},
                {"Ready to restart?": "ready.md"},
                {"Watch a server": "watch.md"},
                {"Bundle for a bug report": "bundle.md"},
                {"Doctor against the lab": "confusion.md"},
            ]
        },
        {"Test your client": "testing-your-client.md"},
        {"Nightly": "nightly.md"},
        {"Method and limits": "method.md"},
        {"Develop": "develop.md"},
    ]
