"""A home in which a server finds nothing of the user's."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from wedged.errors import LabError
from wedged.lab.home import Home

MODEL = "http://127.0.0.1:9/v1"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_nothing_of_the_labs_environment_passes_but_a_short_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENCODE_CONFIG_CONTENT", "HTTPS_PROXY", "GIT_DIR", "XDG_CONFIG_DIRS"):
        monkeypatch.setenv(name, "of the user")
    env = Home(tmp_path).env
    assert "of the user" not in env.values()
    allowed = {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"}
    assert {name for name, value in env.items() if os.environ.get(name) == value} <= allowed | {"SHELL"}


def test_every_folder_of_the_environment_is_in_the_home(home: Home) -> None:
    names = [name for name in home.env if name.startswith("XDG_")] + ["HOME", "TMPDIR"]
    assert len(names) == 7
    assert all(Path(home.env[name]).is_relative_to(home.root) for name in names)
    assert all(Path(home.env[name]).is_dir() for name in names)


def test_a_project_is_a_repository_of_its_own_with_one_permission_config(home: Home) -> None:
    path = home.project("allow", model_url=MODEL, permission={"external_directory": "allow"})
    config = json.loads((path / "opencode.json").read_text())
    assert config["permission"] == {"external_directory": "allow"}
    assert config["enabled_providers"] == ["mock"]
    assert config["provider"]["mock"]["options"]["baseURL"] == MODEL
    shown = ["git", "-C", str(path), "rev-parse", "--show-toplevel", "HEAD"]
    top, commit = subprocess.run(
        shown, env=home.env, capture_output=True, text=True, check=True
    ).stdout.split()
    assert Path(top) == path
    assert len(commit) == 40


def test_two_projects_are_two_projects_to_the_server_too(home: Home) -> None:
    paths = [home.project(name, model_url=MODEL) for name in ("one", "two")]
    heads = {(path / ".git" / "refs" / "heads" / "main").read_text() for path in paths}
    assert len(heads) == 2


def test_a_users_git_settings_do_not_reach_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / ".gitconfig").write_text("[commit]\n\tgpgsign = true\n[core]\n\thooksPath = /no\n")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    (tmp_path / "root").mkdir()
    assert Home(tmp_path / "root").project("p", model_url=MODEL).is_dir()


def test_no_permission_leaves_the_servers_default(home: Home) -> None:
    config = json.loads((home.project("p", model_url=MODEL) / "opencode.json").read_text())
    assert "permission" not in config


def test_outside_is_in_the_home_and_in_no_project(home: Home) -> None:
    project = home.project("p", model_url=MODEL)
    assert home.outside.is_relative_to(home.root)
    assert not home.outside.is_relative_to(project)
    assert not project.is_relative_to(home.outside)


@pytest.mark.parametrize("name", ["", "..", "a/b", "A B", "-x"])
def test_a_name_that_is_no_folder_name_is_refused(name: str, home: Home) -> None:
    with pytest.raises(LabError, match="is no project name"):
        home.project(name, model_url=MODEL)


def test_a_taken_name_is_refused(home: Home) -> None:
    home.project("p", model_url=MODEL)
    with pytest.raises(LabError, match="has a project 'p' already"):
        home.project("p", model_url=MODEL)


def test_without_git_the_error_says_so(home: Home) -> None:
    home.env["PATH"] = ""
    with pytest.raises(LabError, match="git is needed"):
        home.project("p", model_url=MODEL)
