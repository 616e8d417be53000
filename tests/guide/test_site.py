"""From a run folder to a site: the promised order, the same bytes twice, no address of another host."""

import re
import shutil
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest

from wedged.errors import Refused, SiteNotBuilt
from wedged.evidence import ClassVerdict, RunFolder, verdicts
from wedged.facts.failure_class import LookAlike
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.server import Line
from wedged.facts.trial import ClaimVerdict, ClassState, Verdict
from wedged.guide.cures import Confirmed, Dialect, cure_section
from wedged.guide.exporter import body
from wedged.guide.matrix import Row, matrix_page
from wedged.guide.notebook import Stop, mark_stopped, read_notebook, write_notebook
from wedged.guide.project import DIALECTS, project_sources
from wedged.guide.sections import Section, demoted, split
from wedged.guide.site import Sources, render
from wedged.guide.verdict_table import chips, percent, state_word

from . import sample


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    sample.main(folder)
    return folder


def page_of(folder: Path) -> str:
    return (folder / "build/docs/classes" / f"{sample.W101.name}.md").read_text()


def test_the_same_run_folder_renders_to_the_same_bytes(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "run", tmp_path / "elsewhere/run")
    run = RunFolder.open(tmp_path / "elsewhere/run")
    index = render(run, sample.sources(), work=tmp_path / "work", site=tmp_path / "elsewhere/site")
    assert index.is_file()
    one, two = bytes_of(built / "site"), bytes_of(tmp_path / "elsewhere/site")
    assert sorted(one) == sorted(two)
    assert [name for name in one if one[name] != two[name]] == []


def test_rendering_changes_nothing_in_the_run_folder(built: Path, tmp_path: Path) -> None:
    before = bytes_of(built / "run")
    render(RunFolder.open(built / "run"), sample.sources(), work=tmp_path / "work", site=tmp_path / "site")
    assert bytes_of(built / "run") == before


def test_the_page_has_the_order_of_the_design(built: Path) -> None:
    page = page_of(built)
    headings = [line for line in page.splitlines() if re.match(r"##? ", line)]
    assert headings == [
        f"# {sample.W101.title}",
        "## What you see",
        "## Do this now",
        "## Evidence",
        "## Why",
        "## Not this if",
        "## Prevent",
        "## How this page was made",
        "## Upstream",
        "## People also paste",
    ]
    assert page.index("wedged-verdicts") < page.index("## What you see")
    assert "### By hand" in page
    assert "TRIALS = 10" not in page
    assert 'make guide TRIALS=2 SERVERS="v1@1.17.18 v1@1.18.34"' in page


def test_the_look_alikes_are_counted_from_the_runs(built: Path, tmp_path: Path) -> None:
    row = "| A slow download | It ends by itself; nothing is listed at `GET /permission`. |"
    assert f"{row} no finding in 4 of 4<br>busy split: `unseen` |" in page_of(built)
    assert "| A leftover ask | Its session is idle. | no trial of its own |" in page_of(built)
    claims = tuple(replace(c, arm="never-run") if c.id == sample.SLOW.id else c for c in sample.W101.claims)
    without = replace(sample.sources(), classes=(replace(sample.W101, claims=claims), *sample.OTHERS))
    render(RunFolder.open(built / "run"), without, work=tmp_path / "build", site=tmp_path / "site")
    assert f"{row} not run |" in page_of(tmp_path)


def test_a_look_alike_that_was_not_reached_is_said(tmp_path: Path) -> None:
    slow = (LookAlike("A slow download", "It ends.", sample.ABORT.id),)
    of = replace(sample.sources(), classes=(replace(sample.W101, look_alikes=slow), *sample.OTHERS))
    render(sample.make_run(tmp_path / "run"), of, work=tmp_path / "build", site=tmp_path / "site")
    said = "no finding in 2 of 2<br>**inconclusive** on v1@1.18.34"
    assert f"| A slow download | It ends. | {said} |" in page_of(tmp_path)


def test_only_confirmed_cures_are_given(built: Path, tmp_path: Path) -> None:
    page = page_of(built)
    assert "**Executed and confirmed on:** v1@1.17.18; not confirmed on v1@1.18.34" in page
    claims = tuple(replace(c, arm="never-run") if c.id == sample.ONCE.id else c for c in sample.W101.claims)
    without = replace(sample.sources(), classes=(replace(sample.W101, claims=claims), *sample.OTHERS))
    render(RunFolder.open(built / "run"), without, work=tmp_path / "build", site=tmp_path / "site")
    page = page_of(tmp_path)
    assert "### Stop the turn" in page
    assert "### Let this one call run" not in page


def test_a_class_without_a_trial_has_a_page_that_says_so(tmp_path: Path) -> None:
    record = sample.make_run(tmp_path / "full").record
    run = RunFolder.create(tmp_path / "run", replace(record, servers=()))
    render(run, sample.sources(), work=tmp_path / "build", site=tmp_path / "site")
    page = page_of(tmp_path)
    assert "Not run on any server yet." in page
    assert "No cure was executed and confirmed in this run" in page
    assert "W101.stays" not in page
    assert "| not run yet |" in (tmp_path / "build/docs/index.md").read_text()


def test_a_notebook_that_stopped_is_said_and_the_verdicts_stand(tmp_path: Path) -> None:
    run = sample.make_run(tmp_path / "run")
    path = run.notebooks / f"{sample.W101.name}.ipynb"
    notebook = read_notebook(path)
    mark_stopped(notebook, Stop(2, "CellFailed", "W101, cell 2 failed: <script>"))
    trace = ["/home/someone/wedged/x.py"]
    error = nbformat.v4.new_output("error", ename="ValueError", evalue="<script>", traceback=trace)
    notebook.cells.append(nbformat.v4.new_code_cell("1", outputs=[error], metadata={}))
    write_notebook(notebook, path)
    render(run, sample.sources(), work=tmp_path / "build", site=tmp_path / "site")
    html = (tmp_path / "site/classes" / f"{sample.W101.name}.html").read_text()
    assert "The notebook did not run to its end" in html
    assert "failed: <script>" not in html
    assert "cell 2 failed: <script>" in unescape(html)
    assert "<b>v1@1.17.18</b> present 2/2" in html
    assert trace[0] in path.read_text()
    assert trace[0] not in (tmp_path / "site/notebooks" / path.name).read_text()


class Addresses(HTMLParser):
    """Everything that a browser would fetch by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "img", "iframe", "source", "video", "audio", "embed"):
            self.found.append(given.get("src") or "")
        if tag == "link" and given.get("rel") not in ("canonical", "prev", "next"):
            self.found.append(given.get("href") or "")
        self.found += re.findall(r"url\(([^)]*)\)", given.get("style") or "")


def test_no_page_fetches_anything_from_another_host(built: Path) -> None:
    pages = sorted((built / "site").rglob("*.html"))
    assert {page.name for page in pages} >= {"index.html", "doctor.html", "ready.html", "matrix.html"}
    for page in pages:
        addresses = Addresses()
        addresses.feed(page.read_text())
        assert addresses.found
        assert [a for a in addresses.found if re.match(r"(?i)[a-z][a-z0-9+.-]*:|//", a)] == []
    for sheet in (built / "site").rglob("*.css"):
        assert not re.search(r"(?i)(?:url\(\s*|@import\s+)[\"']?(?:https?:)?//", sheet.read_text())


def test_what_can_be_downloaded_is_there(built: Path) -> None:
    site = built / "site"
    source = read_notebook(site / "notebooks" / f"{sample.W101.name}.source.ipynb")
    assert all(not cell.get("outputs") for cell in source.cells)
    assert (site / "evidence/W101/v1@1.17.18/trigger-1.jsonl").is_file()
    assert (site / "results.jsonl").read_bytes() == (built / "run/results.jsonl").read_bytes()
    assert not (site / "sitemap.xml").exists()


def test_a_link_that_leads_nowhere_is_refused_in_one_line(built: Path, tmp_path: Path) -> None:
    shutil.copytree(sample.ROOT / "docs", tmp_path / "docs")
    with (tmp_path / "docs/method.md").open("a") as page:
        page.write("\n[nowhere](nowhere.md)\n")
    broken = replace(sample.sources(), docs=tmp_path / "docs")
    with pytest.raises(SiteNotBuilt, match=r"nowhere\.md") as caught:
        render(RunFolder.open(built / "run"), broken, work=tmp_path / "work", site=tmp_path / "site")
    assert "\n" not in str(caught.value)


def test_the_front_page_must_have_a_place_for_the_table(built: Path, tmp_path: Path) -> None:
    shutil.copytree(sample.ROOT / "docs", tmp_path / "docs")
    (tmp_path / "docs/index.md").write_text("# Nothing\n")
    broken = replace(sample.sources(), docs=tmp_path / "docs")
    with pytest.raises(SiteNotBuilt, match="no place for the table"):
        render(RunFolder.open(built / "run"), broken, work=tmp_path / "work", site=tmp_path / "site")


def test_the_real_catalogue_renders(built: Path, tmp_path: Path) -> None:
    real = project_sources(sample.ROOT)
    run = RunFolder.create(tmp_path / "run", RunFolder.open(built / "run").record)
    assert isinstance(real, Sources)
    render(run, real, work=tmp_path / "build", site=tmp_path / "site")
    for of in real.classes:
        html = (tmp_path / "site/classes" / f"{of.name}.html").read_text()
        assert of.title in html
        assert verdicts(of, run.cells(of.code)) == ()


def test_a_requests_words_come_from_the_client() -> None:
    made = DIALECTS[Line.V1].request(Action.REPLY_ONCE, Target("SESSION", "DIRECTORY", "ASK"))
    assert made == Request("POST", "/permission/ASK/reply?directory=DIRECTORY", {"reply": "once"})


def test_outputs_that_are_no_text_are_left_out() -> None:
    v4 = nbformat.v4
    outputs = [
        v4.new_output("display_data", data={"text/html": "<b>html</b>", "image/svg+xml": "<svg/>"}),
        v4.new_output("stream", name="stderr", text="progress"),
        v4.new_output("error", ename="ValueError", evalue="<b>", traceback=["/home/someone/x.py"]),
        v4.new_output("execute_result", data={"text/plain": "\x1b[31m42\x1b[0m"}),
    ]
    text = body(v4.new_notebook(cells=[v4.new_code_cell("1", outputs=outputs)]), {})
    for absent in ("html", "svg", "progress", "someone", "\x1b", "<b>"):
        assert absent not in text
    assert "42" in text
    assert "ValueError" in text


def test_a_figure_that_the_run_lacks_is_its_sentence() -> None:
    v4 = nbformat.v4
    names = ("light", "dark")
    pair = "\n".join(f"![One two three.](../figures/x-{name}.svg#only-{name})" for name in names)
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(pair)])
    assert "*(a figure that this run does not hold: One two three.)*" in body(notebook, {})
    size = {"x-light.svg": (10, 20), "x-dark.svg": (10, 20)}
    assert body(notebook, size).count("{ loading=lazy width=10 height=20 }") == 2


def test_sections_don_t_mistake_a_comment_for_a_heading() -> None:
    made = split("# Title\n\nintro\n\n## One\n\n```text\n## not a heading\n```\n\n### Sub\n\n## Two\nx")
    assert [s.title for s in made] == ["", "One", "Two"]
    assert demoted(made[1]) == "### One\n\n```text\n## not a heading\n```\n\n#### Sub\n"
    assert demoted(Section("", "x")) == "x\n"


def test_what_is_not_quite_all_or_nothing_never_reads_so() -> None:
    shares = (1.0, 0.9999, 0.995, 0.5, 0.0, 0.0001)
    assert [percent(s) for s in shares] == ["100%", "99%", "99%", "50%", "0%", "under 1%"]


def test_a_cure_has_a_tab_for_each_way_of_writing_it() -> None:
    def spoken(path: str) -> Dialect:
        return Dialect(
            path, lambda action, target: Request("POST", f"/{path}/{target.ask_id}"), lambda *_: None
        )

    def silent(action: Action, target: Target) -> Request:
        raise Refused(f"no {action} here")

    cure = Confirmed(sample.W101.recovery[0], on=("v1@1",), not_on=())
    mute = Dialect("mute", silent, lambda *_: None)
    tabs = cure_section(cure, (spoken("one"), replace(spoken("one"), name="also one"), mute, spoken("two")))
    assert re.findall(r'=== "(.*)"', tabs) == [
        "curl, one and also one",
        "curl, two",
        "wedged",
        "Python, one and also one",
        "Python, two",
    ]
    assert re.findall(r'=== "(.*)"', cure_section(cure, (spoken("one"),))) == ["curl", "wedged", "Python"]


def test_each_cell_of_the_matrix_leads_to_the_row_of_its_trials(built: Path) -> None:
    matrix = (built / "site/matrix.html").read_text()
    page = page_of(built)
    links = re.findall(r'href="classes/W101-[\w-]+\.html#(raw-[\w-]+)"', matrix)
    assert len(links) > 2 * len(sample.W101.claims) - 1
    assert {link for link in links if f'id="{link}"' not in page} == set()
    assert re.search(r">● present</a> 2/2", matrix)
    noted = re.search(r">\? inconclusive</a><sup>(\d)</sup>", matrix)
    assert noted
    # The number leads to the reason, which stands below the table once.
    reasons = re.findall(r"<li>(.*)</li>", matrix[noted.end() :].partition("<ol>")[2].partition("</ol>")[0])
    assert "unclear" in reasons[int(noted[1]) - 1]


def test_a_matrix_without_a_run_says_so() -> None:
    assert "no verdict" in matrix_page((Row(sample.W101, (), ()),))


def test_many_versions_share_a_chip_a_state_and_the_past_is_not_gone() -> None:
    states = dict.fromkeys(("v1@1.2.27", "v1@1.18.0", "v2@2.0.15"), ClassState.GONE)
    states = {"v1@1.2.27": ClassState.GONE, "v1@1.17.18": ClassState.PRESENT, **states}
    said = [
        ClassVerdict(
            "W101",
            server,
            state,
            "",
            (ClaimVerdict(sample.W101.defining.id, server, VERDICTS[state], 0, 2, ""),),
            "r",
            "",
        )
        for server, state in states.items()
    ]
    assert [state_word(v, said) for v in said] == ["not there yet", "present", "gone", "gone"]
    few, many = chips(sample.W101, said), chips(sample.W101, [*said, replace(said[1], server="v1@1.18.1")])
    assert few.count("<li") == 4
    assert re.findall(r"<b>([^<]*)</b> ([^<]*)<", many) == [
        ("not there yet", "v1 1.2.27"),
        ("present", "v1 1.17.18, 1.18.1"),
        ("gone", "v1 1.18.0; v2 2.0.15"),
    ]


VERDICTS = {ClassState.GONE: Verdict.DOES_NOT_HOLD, ClassState.PRESENT: Verdict.HOLDS}
