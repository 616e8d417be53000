"""A home in which a server finds nothing of the user's, and the projects in it."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from wedged.errors import LabError

# All that a server gets of the lab's own environment. Everything else (keys, proxies, OPENCODE_*) stays out.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
_LOOPBACK = "127.0.0.1,localhost,::1"
_PROVIDER = "mock"
_MODEL = "m"
# The same for every project of that name, so that its id is the same on every machine.
_COMMIT_TIME = "2026-01-01T00:00:00Z"


class Home:
    """Folders and environment for servers that share one store.

    `root` is the keeper's folder; nothing outside it is read or written. `env` is the complete environment
    of a server, without its password. `outside` is a folder that is in no project: what a server calls
    external. Everything goes when the keeper drops `root`.
    """

    def __init__(self, root: Path) -> None:
        """Lay out the empty folder `root`, which `Keeper.make_home` made."""
        self.root = root.resolve()
        self.outside = self.root / "outside"
        self.logs = self.root / "logs"
        folders = {
            "HOME": self.root / "home",
            "XDG_CONFIG_HOME": self.root / "config",
            "XDG_DATA_HOME": self.root / "data",
            "XDG_STATE_HOME": self.root / "state",
            "XDG_CACHE_HOME": self.root / "cache",
            "XDG_RUNTIME_DIR": self.root / "runtime",
            "TMPDIR": self.root / "tmp",
        }
        for folder in (self.outside, self.logs, self.root / "projects", *folders.values()):
            folder.mkdir(mode=0o700)
        self.env = {
            **{name: os.environ[name] for name in _PASSED_ON if name in os.environ},
            **{name: str(folder) for name, folder in folders.items()},
            "SHELL": shutil.which("bash") or "/bin/sh",
            "NO_PROXY": _LOOPBACK,
            "no_proxy": _LOOPBACK,
            "GIT_CONFIG_NOSYSTEM": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_MODELS_PATH": str(self.root / "models.json"),
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_SHARE": "1",
            "OPENCODE_DISABLE_EXTERNAL_SKILLS": "1",
            "OPENCODE_DISABLE_CLAUDE_CODE": "1",
        }
        # An empty catalogue of models: else a server goes through the one inside its binary, and V1 does so
        # again for each directory that it loads, more than a second of a core each time.
        (self.root / "models.json").write_text("{}\n")
        self._configure(folders["XDG_CONFIG_HOME"] / "opencode")

    def project(
        self,
        name: str,
        *,
        model_url: str,
        permission: Mapping[str, object] | str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> Path:
        """Make a project: a git repository with an ``opencode.json`` that knows only the scripted model.

        `permission` is in V1's form, which every line takes; None leaves the server's own default. One
        directory is one permission config, and one server serves many directories. `extra` is merged over
        the config's top level.

        A repository of its own makes the directory the worktree. Without one V1 takes ``/`` for the worktree:
        it then obeys any ``opencode.json`` in a folder above, and all such directories are one project.

        Raises:
            LabError: git is missing or fails, the name is taken, or it is not letters, digits and dashes.
        """
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
            raise LabError(f"{name!r} is no project name; use lower-case letters, digits and dashes")
        path = self.root / "projects" / name
        if path.exists():
            raise LabError(f"this home has a project {name!r} already")
        path.mkdir()
        config: dict[str, object] = {
            "$schema": "https://opencode.ai/config.json",
            "provider": {
                _PROVIDER: {
                    "npm": "@ai-sdk/openai-compatible",
                    "name": "Scripted model",
                    "options": {"baseURL": model_url, "apiKey": "none"},
                    "models": {_MODEL: {"name": "Scripted model", "tool_call": True}},
                }
            },
            "model": f"{_PROVIDER}/{_MODEL}",
            "enabled_providers": [_PROVIDER],
        }
        if permission is not None:
            config["permission"] = dict(permission) if isinstance(permission, Mapping) else permission
        config |= extra or {}
        (path / "opencode.json").write_text(json.dumps(config, indent=2) + "\n")
        self._git(path, "init", "--quiet", "--template=", "--initial-branch=main")
        # V1 names a project by its first commit; without one it is the "global" project like any other.
        self._git(path, "commit", "--quiet", "--allow-empty", f"--message={name}")
        return path

    def add_plugin(self, project: Path, source: str) -> None:
        """Put a plugin into a project that no server has loaded yet. `source` is its JavaScript."""
        folder = project / ".opencode"
        (folder / "plugin").mkdir(parents=True)
        (folder / "plugin" / "scripted.js").write_text(source)
        _seem_installed(folder)

    def _configure(self, folder: Path) -> None:
        """The user's own config: it holds in directories without a project, too."""
        folder.mkdir(parents=True)
        config = {
            "$schema": "https://opencode.ai/config.json",
            # Else the hosted provider is there beside the scripted one.
            "enabled_providers": [_PROVIDER],
            "share": "disabled",
            "autoupdate": False,
            # Snapshots run git in the background of every turn; no claim is about them.
            "snapshot": False,
        }
        (folder / "opencode.json").write_text(json.dumps(config, indent=2) + "\n")
        _seem_installed(folder)

    def _git(self, path: Path, *arguments: str) -> None:
        who = {"NAME": "wedged", "EMAIL": "wedged@localhost", "DATE": _COMMIT_TIME}
        identity = {
            f"GIT_{role}_{key}": text for role in ("AUTHOR", "COMMITTER") for key, text in who.items()
        }
        try:
            subprocess.run(
                ["git", "-C", str(path), *arguments],
                env=self.env | identity,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=True,
                timeout=30,
            )
        except FileNotFoundError as error:
            raise LabError("git is needed to make a project, and is not on PATH") from error
        except subprocess.TimeoutExpired as error:
            raise LabError(f"git {arguments[0]} did not end within {error.timeout:g} s") from error
        except subprocess.CalledProcessError as error:
            raise LabError(f"git {arguments[0]} failed: {error.stderr.strip()[-200:]}") from error


def _seem_installed(folder: Path) -> None:
    """Keep V1 from installing its plugin package (some 90 MB) from npm into this config folder.

    It does not where
    a folder and a lock file say that it is there.
    """
    (folder / "node_modules").mkdir()
    lock = {"lockfileVersion": 3, "packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
    (folder / "package-lock.json").write_text(json.dumps(lock) + "\n")
