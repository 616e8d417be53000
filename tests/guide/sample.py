"""A small run folder of invented evidence, and the site made of it: test data, never shown as evidence.

``python tests/guide/sample.py FOLDER`` builds it by hand, to be looked at.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat

from wedged.catalog import CLASSES, by_code
from wedged.evidence import RunFolder, RunRecord
from wedged.facts.failure_class import Claim, FailureClass, LookAlike, Match
from wedged.facts.recovery import Action, Request, Step, Target
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation, Outcome, Trial
from wedged.figures import Strip, draw_timeline
from wedged.guide.cures import Dialect
from wedged.guide.notebook import write_notebook
from wedged.guide.project import project_sources
from wedged.guide.site import Sources, render

ROOT = Path(__file__).resolve().parents[2]

STUCK = Claim(
    "W101.stays", "The session is still busy when the trial ends.", "trigger", "invented", defining=True
)
HEALTHY = Claim("W101.control", "The control's turn ends by itself.", "control", "invented", control=True)
ONCE = Claim("W101.once", "Answering once lets the call run and the turn end.", "once", "invented")
ABORT = Claim("W101.abort", "Abort ends the turn.", "abort", "invented")
SLOW = Claim("W101.not-slow", "Doctor reports nothing for a slow download.", "like-slow", "invented")

W101 = FailureClass(
    code="W101",
    slug="ungated-external-ask",
    title="Session stuck “busy” forever: a tool call stays “running” and GET /permission lists an ask",
    summary="A headless server waits for an answer that nobody was asked for.",
    aliases=("busy forever", "session stuck busy", "external_directory", "tool stuck running"),
    see=(
        "`GET /session/status` says `busy`, without end.",
        "Exactly one tool call stays `running`; what it should make is never made.",
        "`GET /permission` lists one `external_directory` ask of this session.",
    ),
    claims=(STUCK, HEALTHY, ONCE, ABORT, SLOW),
    recovery=(
        Step(
            "reply-once",
            Action.REPLY_ONCE,
            "Let this one call run",
            ("nothing of the turn",),
            "the ask is gone from the list and the turn goes on",
            ONCE.id,
        ),
        Step(
            "abort",
            Action.ABORT,
            "Stop the turn",
            ("the turn's remaining work",),
            "the session is idle",
            ABORT.id,
            leaves=("the ask, in the list",),
        ),
    ),
    look_alikes=(
        LookAlike("A slow download", "It ends by itself; nothing is listed at `GET /permission`.", SLOW.id),
        LookAlike("A leftover ask", "Its session is idle."),
    ),
    links=(("A report upstream", "https://github.com/anomalyco/opencode/issues"),),
    match=lambda window, grace: Match(),
)

HOSTILE = (
    "\x1b[31mred\x1b[0m ````` <script>document.title='owned'</script> "
    "<img src=x onerror=\"document.title='owned'\"> [click](javascript:alert(1)) "
    '![p](http://192.0.2.1/x.png) {: onclick=alert(1) } --8<-- "run.json"'
)
ALT = "The control ends after half a second, the trigger does not end."


def request(action: Action, target: Target) -> Request:
    """The two requests of the invented class, shaped like V1's."""
    if action is Action.ABORT:
        return Request("POST", f"/session/{target.session_id}/abort?directory={target.directory}")
    body: dict[str, object] = {"reply": "once"}
    return Request("POST", f"/permission/{target.ask_id}/reply?directory={target.directory}", body)


# The hand-written pages link to every class; these have no trial here.
OTHERS = tuple(of for of in CLASSES if of.code != W101.code)


def find(action: Action, target: Target) -> Request | None:
    """The read that brings an ask's id."""
    return None if action is Action.ABORT else Request("GET", f"/permission?directory={target.directory}")


def timeline(arm: str) -> Iterator[Observation]:
    """A dozen invented observations."""
    yield Observation(0.0, Lane.CLIENT, "prompt", "ses_1")
    yield Observation(0.01, Lane.STATUS, "busy", "ses_1")
    yield Observation(0.05, Lane.MODEL, "request", "ses_1", {"request": 1})
    yield Observation(0.2, Lane.MODEL, "end", "ses_1", {"request": 1})
    yield Observation(0.21, Lane.PART, "running", "ses_1", {"part": "prt_1", "tool": "bash"})
    yield Observation(0.22, Lane.PART, "running", "ses_1", {"part": "prt_2", "tool": "bash"})
    yield Observation(0.26, Lane.PART, "completed", "ses_1", {"part": "prt_2", "tool": "bash"})
    if arm == "control":
        yield Observation(0.3, Lane.PART, "completed", "ses_1", {"part": "prt_1", "tool": "bash"})
        yield Observation(0.5, Lane.STATUS, "idle", "ses_1")
    else:
        yield Observation(
            0.22, Lane.ASK, "permission.asked", "ses_1", {"ask": "per_1", "patterns": ["/outside/*"]}
        )
        yield Observation(1.0, Lane.EVENT, "server.heartbeat", "")


def notebook() -> nbformat.NotebookNode:
    """An executed notebook with one hostile output."""
    v4 = nbformat.v4
    result = v4.new_output(
        "display_data",
        data={
            "text/markdown": f'| answer |\n|---|\n| `{{"id":"per_1"}}` |\n\n{HOSTILE}',
            "text/html": HOSTILE,
        },
    )
    figure = v4.new_output(
        "display_data",
        data={
            "text/markdown": f"![{ALT}](../figures/w101-light.svg#only-light)\n"
            f"![{ALT}](../figures/w101-dark.svg#only-dark)"
        },
    )
    cells = [
        v4.new_code_cell("TRIALS = 10", metadata={"tags": ["parameters"]}),
        v4.new_markdown_cell("# W101\n\n## By hand\n\nFirst by hand."),
        v4.new_code_cell(
            "# Ask the server\nprint('x')",
            outputs=[v4.new_output("stream", name="stdout", text=HOSTILE + "\n"), result],
        ),
        v4.new_markdown_cell("## The timeline"),
        v4.new_code_cell("figure", metadata={"tags": ["hide-input"]}, outputs=[figure]),
        v4.new_markdown_cell("## Why\n\nThe ask has no one to go to."),
        v4.new_markdown_cell("## Prevent\n\nAllow or deny the path beforehand."),
    ]
    made: nbformat.NotebookNode = v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})
    for index, cell in enumerate(made.cells):
        cell["id"] = f"cell-{index}"
    return made


def make_run(path: Path, of: FailureClass = W101) -> RunFolder:
    """The run folder: two servers, two trials of each arm of `of`, showing all that its claims say."""
    record = RunRecord(1, "sample-run", 7, "2026-01-02T03:04:05Z", {"wedged": "0"}, {"cores": 2})
    run = RunFolder.create(path, record)
    for version in ("1.17.18", "1.18.34"):
        identity = ServerIdentity(Line.V1, version, binary_sha256=version.replace(".", "") * 10)
        run.add_server(identity)
        for arm in dict.fromkeys(claim.arm for claim in of.claims):
            said = tuple(_said(claim, version) for claim in of.claims if claim.arm == arm)
            for n in (1, 2):
                trial = Trial(of.code, identity.key, arm, n, (Check("invented", True),), said, 1.0)
                run.add_trial(trial, timeline(arm))
    draw_timeline(
        [
            Strip("control: both calls inside the project", tuple(timeline("control")), 2.0),
            Strip(
                "trigger: one call outside",
                tuple(timeline("trigger")),
                2.0,
                stuck_from=0.26,
                fault=(0.2, 0.22),
            ),
        ],
        alt=ALT,
        stem=run.figures / "w101",
    )
    write_notebook(notebook(), run.notebooks / f"{of.name}.ipynb")
    return run


def _said(claim: Claim, version: str) -> ClaimOutcome:
    unclear = claim is ABORT and version == "1.18.34"
    values: dict[str, object] = {"waiting": "unseen"} if claim.arm.startswith("like-") else {}
    return ClaimOutcome(claim.id, Outcome.UNCLEAR if unclear else Outcome.SYMPTOM, "invented", values)


def sources() -> Sources:
    """The real hand-written pages and settings, with the invented class."""
    return Sources(
        ROOT / "docs", ROOT / "mkdocs.yml", (W101, *OTHERS), {Line.V1: Dialect("V1", request, find)}
    )


def main(folder: Path) -> Path:
    """The sample's site below `folder`; its index.html."""
    return render(make_run(folder / "run"), sources(), work=folder / "build", site=folder / "site")


def main_with_catalogue(folder: Path) -> Path:
    """The same with the catalogue's own words: invented evidence for the real class."""
    real = project_sources(ROOT)
    run = make_run(folder / "run", by_code("W101"))
    return render(run, real, work=folder / "build", site=folder / "site")


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))  # noqa: T201
