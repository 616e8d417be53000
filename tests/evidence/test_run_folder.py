"""What is written is read back; what a killed writer leaves is still a run folder."""

import json
import platform
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wedged.errors import EvidenceError
from wedged.evidence import AbsentProbe, NotRun, RunFolder, host_facts, new_run
from wedged.evidence.files import evidence_path
from wedged.evidence.lines import decode
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation, Outcome, Trial

from .builders import OLD, trial
from .folders import identity, record, timeline, tree


def _trial(n: int = 1, arm: str = "trigger", outcomes: int = 2) -> Trial:
    return Trial(
        "W101",
        OLD,
        arm,
        n,
        (Check("the server was up", True), Check("the fault happened", False, "counter is 0")),
        tuple(
            ClaimOutcome(f"W101.c{i}", Outcome.SYMPTOM, "so", {"ms": 12, "b": [1]}) for i in range(outcomes)
        ),
        12.345,
    )


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "run-a", record())


def test_a_trial_comes_back_with_its_checks_outcomes_and_timeline(folder: RunFolder) -> None:
    folder.add_server(identity())
    written = folder.add_trial(_trial(), timeline())
    assert written.evidence == "evidence/W101/v1@1.17.18/trigger-1.jsonl"
    again = RunFolder.open(folder.path)
    assert again.record == folder.record
    assert again.record.server(OLD) == identity()
    assert again.trials() == (written,)
    assert again.observations(written) == tuple(sorted(timeline(), key=lambda o: o.t))
    assert again.problems() == ()
    (cell,) = again.cells()
    assert (cell.run, cell.started) == (folder.record.id, folder.record.started)


def test_a_trial_without_outcomes_or_observations_is_not_lost(folder: RunFolder) -> None:
    written = folder.add_trial(_trial(outcomes=0))
    assert written.evidence == ""
    assert folder.trials() == (written,)
    assert folder.observations(written) == ()


def test_trials_come_in_order_whoever_was_first(folder: RunFolder) -> None:
    for n in (10, 2, 1):
        folder.add_trial(_trial(n))
    folder.add_trial(_trial(1, "control"))
    folder.add_trial(replace(_trial(1), server="v1@1.18.34"))
    folder.add_trial(replace(_trial(1), code="W102"))
    assert [(t.code, t.server, t.arm, t.n) for t in folder.trials()] == [
        ("W101", OLD, "control", 1),
        ("W101", OLD, "trigger", 1),
        ("W101", OLD, "trigger", 2),
        ("W101", OLD, "trigger", 10),
        ("W101", "v1@1.18.34", "trigger", 1),
        ("W102", OLD, "trigger", 1),
    ]
    assert len(folder.trials("W101")) == 5
    assert len(folder.trials("W101", "v1@1.18.34")) == 1
    assert folder.trials("W999") == ()


def test_reasons_and_probes_come_back(folder: RunFolder) -> None:
    probe = AbsentProbe("POST /global/dispose", False, 405)
    folder.not_run("W101", OLD, "no network")
    folder.not_run("W101", OLD, "an hour is too long", arm="idle")
    folder.absent("W101", OLD, probe, arm="dispose")
    (cell,) = folder.cells()
    assert cell.not_run == (NotRun("", "no network"), NotRun("idle", "an hour is too long"))
    assert cell.absent == (("dispose", probe),)
    assert folder.trials() == ()


def test_a_probe_of_an_older_writer_says_nothing_of_a_web_page(folder: RunFolder) -> None:
    folder.absent("W101", OLD, AbsentProbe("GET /api/shell", False, 200))
    results = folder.path / "results.jsonl"
    results.write_text(results.read_text().replace(',"web_page":false', ""))
    assert "web_page" not in results.read_text()
    ((_, probe),) = folder.cells()[0].absent
    assert not probe.shows_absence


def test_a_stranger_can_count_without_our_code(folder: RunFolder) -> None:
    folder.add_trial(_trial(), timeline())
    rows = [json.loads(line) for line in (folder.path / "results.jsonl").read_text().splitlines()]
    assert [row["kind"] for row in rows] == ["trial", "outcome", "outcome"]
    common = {"run": "run-a", "started": "2026-11-29T12:00:00Z", "code": "W101", "server": OLD}
    assert all(common.items() <= row.items() for row in rows)
    assert rows[0]["valid"] is rows[1]["valid"] is False
    assert rows[0]["checks"][1] == {
        "rule": "the fault happened",
        "passed": False,
        "detail": "counter is 0",
    }
    assert (rows[1]["claim"], rows[1]["outcome"], rows[1]["values"]["ms"]) == ("W101.c0", "symptom", 12)
    seen = [json.loads(line) for line in (folder.path / rows[0]["evidence"]).read_text().splitlines()]
    assert [row["t"] for row in seen] == [0.0, 1.25]
    head = json.loads((folder.path / "run.json").read_text())
    assert (head["schema"], head["id"], head["seed"]) == (1, "run-a", 7)


def test_the_same_trial_is_not_recorded_twice(folder: RunFolder) -> None:
    folder.add_trial(_trial())
    other = RunFolder.open(folder.path)
    for writer in (folder, other):
        with pytest.raises(EvidenceError, match="recorded already"):
            writer.add_trial(_trial())
    other.add_trial(_trial(2))
    with pytest.raises(EvidenceError, match="recorded already"):
        folder.add_trial(_trial(2))
    assert len(folder.trials()) == 2


def test_a_run_is_not_begun_twice(folder: RunFolder) -> None:
    with pytest.raises(EvidenceError, match="already"):
        RunFolder.create(folder.path, record())


def test_no_run_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="not a run folder"):
        RunFolder.open(tmp_path)
    with pytest.raises(EvidenceError, match="not a run folder"):
        RunFolder.open(tmp_path / "nowhere")


def test_one_key_is_one_binary(folder: RunFolder) -> None:
    folder.add_server(replace(identity(), openapi_sha256=""))
    folder.add_server(replace(identity(), openapi_sha256="cc"))
    folder.add_server(identity("1.18.34", "bb" * 32))
    with pytest.raises(EvidenceError, match=r"two different servers call themselves v1@1\.17\.18") as error:
        folder.add_server(identity(sha="bb" * 32))
    assert "\n" not in str(error.value)
    assert [s.key for s in RunFolder.open(folder.path).record.servers] == [OLD, "v1@1.18.34"]
    assert RunFolder.open(folder.path).record.servers[0].openapi_sha256 == "cc"


def test_two_writers_of_one_run_both_keep_their_servers(folder: RunFolder) -> None:
    other = RunFolder.open(folder.path)
    folder.add_server(identity())
    other.add_server(identity("1.18.34", "bb" * 32))
    assert len(RunFolder.open(folder.path).record.servers) == 2


def test_a_newer_schema_is_refused_in_one_line(folder: RunFolder) -> None:
    path = folder.path / "run.json"
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 2'))
    with pytest.raises(EvidenceError, match="schema 2, this wedged reads up to 1") as error:
        RunFolder.open(folder.path)
    assert "\n" not in str(error.value)


def test_what_a_later_wedged_adds_is_ignored(folder: RunFolder) -> None:
    folder.add_trial(_trial(), timeline())
    before = folder.trials()
    for path in (folder.path / "run.json", folder.path / "results.jsonl", folder.path / before[0].evidence):
        path.write_text(path.read_text().replace("{", '{"later":[{}],', 1))
    with (folder.path / "results.jsonl").open("a") as file:
        file.write('{"kind":"later","what":1}\n')
    again = RunFolder.open(folder.path)
    assert again.trials() == before
    assert len(again.observations(before[0])) == 2
    assert again.problems() == ()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"schema":1}', b'{"schema":"1"}', b"\xff\xfe", b"null"]
)
def test_a_broken_record_is_one_line(folder: RunFolder, content: bytes) -> None:
    (folder.path / "run.json").write_bytes(content)
    with pytest.raises(EvidenceError, match="not a run record") as error:
        RunFolder.open(folder.path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "line", ["{", "", "[]", '{"kind":"trial"}', '{"no":"kind"}', '{"kind":7}', "\x00\x00", "[" * 100_000]
)
def test_a_broken_line_in_the_middle_is_an_error(folder: RunFolder, line: str) -> None:
    folder.add_trial(_trial())
    path = folder.path / "results.jsonl"
    path.write_text(f"{line}\n{path.read_text()}")
    with pytest.raises(EvidenceError, match=r"results\.jsonl line 1 is not a result"):
        folder.trials()


def test_a_broken_timeline_is_one_line(folder: RunFolder) -> None:
    written = folder.add_trial(_trial(), timeline())
    (folder.path / written.evidence).write_text('{"t":1}\n')
    with pytest.raises(EvidenceError, match="is not a timeline"):
        folder.observations(written)
    (folder.path / written.evidence).unlink()
    with pytest.raises(EvidenceError, match="can't be read"):
        folder.observations(written)


def test_the_routes_of_a_server_come_back(folder: RunFolder) -> None:
    assert folder.routes(OLD) == {}
    folder.keep_routes(OLD, {"/session": ("post", "get"), "/doc": {"get": "an operation"}})
    assert folder.routes(OLD) == {"/doc": ("get",), "/session": ("get", "post")}


@pytest.mark.parametrize("content", ["", "[]", '{"/doc": 1}', "{"])
def test_broken_routes_are_one_line(folder: RunFolder, content: str) -> None:
    folder.keep_routes(OLD, {"/doc": ("get",)})
    next((folder.path / "routes").iterdir()).write_text(content)
    with pytest.raises(EvidenceError, match="does not hold the routes of a server"):
        folder.routes(OLD)


def test_a_folder_from_elsewhere_does_not_make_us_read_other_files(folder: RunFolder) -> None:
    written = folder.add_trial(_trial(), timeline())
    (folder.path.parent / "other.jsonl").write_text('{"t":1,"lane":"ask","kind":"secret"}\n')
    with pytest.raises(EvidenceError, match="not its own"):
        folder.observations(replace(written, evidence="../other.jsonl"))


@pytest.mark.parametrize("server", ["v1@../../../etc", "..", "v2@a/b", "v2@a\x00b", "v1@\u202e", "."])
def test_what_a_server_says_of_itself_stays_in_the_folder(folder: RunFolder, server: str) -> None:
    written = folder.add_trial(replace(_trial(), server=server), timeline())
    path = folder.path / written.evidence
    assert path.resolve().is_relative_to((folder.path / "evidence" / "W101").resolve())
    assert path.resolve() == path.absolute()
    assert len(path.relative_to(folder.path).parts) == 4
    assert len(folder.observations(folder.trials()[0])) == 2


def test_a_name_too_long_for_a_file_is_one_line(folder: RunFolder) -> None:
    with pytest.raises(EvidenceError, match="can't be the name of a folder"):
        folder.add_trial(replace(_trial(), server="v1@" + "x" * 5000), timeline())
    assert folder.trials() == ()


@pytest.mark.parametrize("value", [object(), "\ud800", Path("x"), {1: 2}, float("nan")])
def test_what_is_no_json_leaves_no_trace(folder: RunFolder, value: object) -> None:
    before = tree(folder.path)
    if isinstance(value, float):
        with pytest.raises(EvidenceError, match="not a number"):
            folder.add_trial(replace(_trial(), seconds=value))
        with pytest.raises(EvidenceError, match="not a number"):
            folder.add_trial(_trial(), [Observation(value, Lane.ASK, "x")])
    else:
        outcome = ClaimOutcome("W101.c", Outcome.SYMPTOM, "so", {"v": value})
        with pytest.raises(EvidenceError, match="can't be written as JSON"):
            folder.add_trial(replace(_trial(), outcomes=(outcome,)))
        with pytest.raises(EvidenceError, match="can't be written as JSON"):
            folder.add_trial(_trial(), [Observation(0.0, Lane.ASK, "x", "", {"v": value})])
    assert tree(folder.path) == before


def test_every_cut_of_the_file_is_readable_and_loses_at_most_one_trial(folder: RunFolder) -> None:
    for n in (1, 2):
        folder.add_trial(_trial(n), timeline())
    data = (folder.path / "results.jsonl").read_bytes()
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    assert len(ends) == 6
    for length in range(len(data) + 1):
        found = decode(data[:length], "results.jsonl")
        whole = 2 if length == len(data) else 1 if length >= ends[2] else 0
        assert sum(len(cell.trials) for cell in found.cells) == whole
        assert bool(found.problems) is (length not in (0, ends[2], len(data)))


def test_a_torn_tail_is_reported_cut_and_written_over(folder: RunFolder) -> None:
    folder.add_trial(_trial(1), timeline())
    path = folder.path / "results.jsonl"
    path.write_bytes(path.read_bytes() + b'{"kind":"trial","run":"ru')
    again = RunFolder.open(folder.path)
    assert again.problems() == ("results.jsonl: the last line is unfinished (25 bytes) and is left out",)
    assert len(again.trials()) == 1
    again.add_trial(_trial(2))
    assert [t.n for t in again.trials()] == [1, 2]
    assert len(again.problems()) == 1
    assert "25 bytes of an unfinished line were cut" in again.problems()[0]


def test_a_trial_torn_between_its_lines_can_be_run_again(folder: RunFolder) -> None:
    folder.add_trial(_trial(1), timeline())
    path = folder.path / "results.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    again = RunFolder.open(folder.path)
    assert again.trials() == ()
    again.add_trial(_trial(1), timeline("again"))
    assert len(again.trials()) == 1
    assert len(again.trials()[0].outcomes) == 2
    assert again.observations(again.trials()[0])[1].data["patterns"] == ["again"]
    (problem,) = again.problems()
    assert problem.startswith(
        "results.jsonl line 1: trial trigger-1 of W101 on v1@1.17.18 was not written to"
    )


def test_a_tail_longer_than_a_block_is_cut_too(folder: RunFolder) -> None:
    (folder.path / "results.jsonl").write_bytes(b"x" * 200_000)
    folder.add_trial(_trial(1))
    assert len(folder.trials()) == 1
    assert "200000 bytes" in folder.problems()[0]


def test_twenty_threads_and_two_handles_lose_nothing(folder: RunFolder) -> None:
    other = RunFolder.open(folder.path)
    start = threading.Barrier(20)

    def work(worker: int) -> None:
        start.wait()
        for n in range(1, 6):
            (folder if worker % 2 else other).add_trial(_trial(n, f"arm{worker}"), timeline(str(worker)))

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(work, range(20)))
    assert len(folder.trials()) == 100
    assert folder.problems() == ()
    assert all(folder.observations(t)[1].data["patterns"] == [t.arm[3:]] for t in folder.trials())
    assert not list(folder.path.rglob("*.tmp"))


WRITER = """
import sys
from pathlib import Path
from dataclasses import replace
from wedged.evidence import RunFolder
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation, Outcome, Trial
folder = RunFolder.open(Path(sys.argv[1]))
outcomes = tuple(ClaimOutcome(f"W101.c{i}", Outcome.SYMPTOM, "x" * 3000) for i in range(4))
for n in range(1, 100000):
    trial = Trial("W101", "v1@1.17.18", sys.argv[2], n, (Check("r", True),), outcomes, 1.0)
    folder.add_trial(trial, [Observation(0.0, Lane.ASK, "x", "", {"n": n})])
    print(n, flush=True)
"""


def test_killed_writers_leave_a_readable_folder(folder: RunFolder) -> None:
    """Two processes write at once and are killed in the middle of it, several times over."""
    said = 0
    for round_ in range(4):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(folder.path), f"arm{round_}{w}"],
                stdout=subprocess.PIPE,
                text=True,
            )
            for w in range(2)
        ]
        for writer in writers:
            assert writer.stdout is not None
            for _ in range(5 + round_):
                said += bool(writer.stdout.readline())
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
            assert writer.returncode == -signal.SIGKILL
        again = RunFolder.open(folder.path)
        # What a writer has said to be written is there, each with a timeline of its own.
        assert len(again.trials()) >= said
        assert all(again.observations(t)[0].data == {"n": t.n} for t in again.trials())
    folder.add_trial(trial("trigger", 1, Outcome.SYMPTOM))
    assert folder.trials()[-1].arm == "trigger"


def test_a_folder_that_cannot_be_written_is_one_line(folder: RunFolder) -> None:
    (folder.path / "evidence").write_text("a file where a folder should be")
    with pytest.raises(EvidenceError, match="the run folder can't be written") as error:
        folder.add_trial(_trial(), timeline())
    assert "\n" not in str(error.value)
    assert folder.trials() == ()


def test_a_full_disk_leaves_the_file_as_it_was(folder: RunFolder) -> None:
    """A limit on the size of a file stands in for a full disk: the write comes back short."""
    folder.add_trial(_trial(1))
    before = (folder.path / "results.jsonl").read_bytes()
    code = f"""
import resource, signal, sys
from pathlib import Path
from wedged.errors import EvidenceError
from wedged.evidence import RunFolder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 100}, {len(before) + 100}))
folder = RunFolder.open(Path(sys.argv[1]))
try:
    folder.not_run("W101", "v1@1.17.18", "x" * 5000)
except EvidenceError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder.path)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "the run folder can't be written: File too large\n", done.stderr
    assert (folder.path / "results.jsonl").read_bytes() == before
    assert folder.problems() == ()


TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | TEXT,
    lambda x: st.lists(x) | st.dictionaries(TEXT, x),
)
TRIALS = st.builds(
    Trial,
    code=st.sampled_from(["W101", "W102"]),
    server=TEXT.filter(bool),
    arm=st.sampled_from(["trigger", "a b", "\u00e9"]),
    n=st.integers(1, 1000),
    checks=st.lists(st.builds(Check, TEXT, st.booleans(), TEXT), max_size=2).map(tuple),
    outcomes=st.lists(
        st.builds(
            ClaimOutcome, TEXT, st.sampled_from(Outcome), TEXT, st.dictionaries(TEXT, JSON, max_size=2)
        ),
        max_size=3,
    ).map(tuple),
    seconds=st.floats(0, 1e6),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(TRIALS, max_size=4, unique_by=lambda t: (t.code, t.server, t.arm, t.n)))
def test_whatever_is_in_a_trial_comes_back(
    tmp_path_factory: pytest.TempPathFactory, trials: list[Trial]
) -> None:
    folder = RunFolder.create(tmp_path_factory.mktemp("runs") / "r", record())
    written = [folder.add_trial(t, [Observation(0.5, Lane.MODEL, t.arm, t.server)]) for t in trials]
    assert len({t.evidence for t in written}) == len(written)
    found = RunFolder.open(folder.path).trials()
    assert sorted(found, key=lambda t: t.evidence) == sorted(written, key=lambda t: t.evidence)
    assert [folder.observations(t)[0].subject for t in found] == [t.server for t in found]


@given(TEXT.filter(bool), TEXT.filter(bool))
def test_two_servers_never_share_a_path(one: str, other: str) -> None:
    assert (evidence_path("W101", one, "a", 1) == evidence_path("W101", other, "a", 1)) is (one == other)


def test_a_new_run_has_an_id_by_time_and_no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run(7, {"wedged": "0.1.0"})
    begun = datetime.strptime(run.started, "%Y-%m-%dT%H:%M:%S%z")
    assert abs((datetime.now(UTC) - begun).total_seconds()) < 60
    assert run.id.startswith(f"{begun:%Y%m%dT%H%M%SZ}-")
    assert new_run(7, {}).id != run.id
    assert new_run(7, {}, run_id="night-12").id == "night-12"
    assert (run.schema, run.seed, run.tool, run.merged) == (1, 7, {"wedged": "0.1.0"}, False)


def test_host_facts_name_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "release", lambda: "6.1.0-13-canaryhost")
    facts = host_facts()
    assert set(facts) == {"os", "kernel", "machine", "cpus", "memory_gb", "python"}
    assert facts["kernel"] == "6.1.0"
    said = json.dumps(facts)
    assert "/" not in said
    assert "canaryhost" not in said
    assert platform.node() not in said or not platform.node()
    assert isinstance(facts["cpus"], int)
    assert facts["cpus"] >= 1
    assert isinstance(facts["memory_gb"], int)


def test_a_server_of_another_line_has_its_own_key(folder: RunFolder) -> None:
    folder.add_server(ServerIdentity(Line.V2_RELEASED, "1.17.18", binary_sha256="dd" * 32))
    folder.add_server(identity())
    assert [s.key for s in folder.record.servers] == [OLD, "v2@1.17.18"]
