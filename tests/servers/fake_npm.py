"""A program called npm that serves packages from a folder, and fails in each way that the real one does.

It is started as npm is, by name from PATH, and speaks npm's language: JSON on standard output (also for
errors), rubbish on standard error.
"""

import base64
import hashlib
import io
import json
import sys
import tarfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_PROGRAM = """#!{python} -IS
import json, os, pathlib, shutil, sys, time

home = pathlib.Path({home!r})
verb, subject = sys.argv[1:3]
with open(home / "calls.jsonl", "a") as calls:
    calls.write(json.dumps({{"argv": sys.argv[1:], "cwd": os.getcwd(), "pid": os.getpid()}}) + "\\n")
print("npm error \\x1b[31m a wall of text with /home/somebody in it", file=sys.stderr)

def fail(code):
    print(json.dumps({{"error": {{"code": code, "summary": "s", "detail": "d"}}}}))
    sys.exit(1)

name, _, version = subject[1:].partition("@")
name = subject[0] + name
trouble = json.loads((home / "trouble.json").read_text())
kind = trouble.get(verb, "")
if kind == "silent":
    sys.exit(7)
if kind == "no node":
    sys.exit(127)
if kind == "nonsense":
    print("<html>" + "[" * 100000)
    sys.exit(0)
if kind == "killed":
    os.kill(os.getpid(), 9)
cache = next(pathlib.Path(a[8:]) for a in sys.argv if a.startswith("--cache="))
if kind == "hang":
    cache.mkdir(exist_ok=True)
    (cache / "half").write_bytes(b"x" * 2000000)
    (home / "hanging").write_text(str(os.getpid()))
    while True:
        time.sleep(60)
if kind:
    fail(kind)
packages = json.loads((home / "packages.json").read_text())
versions = packages.get(name)
if versions is None:
    fail("E404")
if verb == "view" and sys.argv[3] == "versions":
    print(json.dumps(list(versions)))
    sys.exit(0)
if version == "latest":
    version = list(versions)[-1]
elif version.count(".") == 1:
    matching = [v for v in versions if v.startswith(version)]
    print(json.dumps([{{"version": v, "dist.integrity": versions[v]}} for v in matching]))
    sys.exit(0)
if version not in versions:
    fail("E404" if verb == "view" else "ETARGET")
if verb == "view":
    integrity = versions[version]
    print(json.dumps({{"version": version, "dist.integrity": integrity}} if integrity else version))
else:
    gate = home / "gate"
    if gate.exists():
        (home / "at the gate").write_text("")
        while gate.exists():
            time.sleep(0.01)
    file = name.replace("/", "-").replace("@", "") + "-" + version + ".tgz"
    shutil.copyfile(home / file, pathlib.Path(os.getcwd()) / file)
    print(json.dumps([{{"filename": file}}]))
"""


@dataclass(frozen=True)
class FakeNpm:
    """The folder behind the fake: its packages, its present trouble, and the calls it got."""

    home: Path

    @classmethod
    def make(cls, home: Path) -> "FakeNpm":
        """An empty registry. ``home/bin`` is what to put on PATH."""
        (home / "bin").mkdir(parents=True)
        program = home / "bin" / "npm"
        program.write_text(_PROGRAM.format(python=sys.executable, home=str(home)))
        program.chmod(0o755)
        (home / "packages.json").write_text("{}")
        fake = cls(home)
        fake.trouble()
        return fake

    def publish(
        self,
        package: str,
        version: str,
        program: str = "bin/opencode",
        *,
        content: bytes = b"#!/bin/sh\necho hi\n",
    ) -> bytes:
        """Add a package whose tarball holds one program; gives the tarball."""
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w:gz") as archive:
            for name, data in (("package.json", b"{}"), (program, content)):
                member = tarfile.TarInfo(f"package/{name}")
                member.size, member.mode = len(data), 0o755
                archive.addfile(member, io.BytesIO(data))
        self.publish_tarball(package, version, file.getvalue())
        return file.getvalue()

    def publish_tarball(
        self, package: str, version: str, tarball: bytes, integrity: str | None = None
    ) -> None:
        """Add a package with this tarball, and its true hash unless another is given."""
        (self.home / f"{package.replace('/', '-').replace('@', '')}-{version}.tgz").write_bytes(tarball)
        if integrity is None:
            integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
        listed = json.loads((self.home / "packages.json").read_text())
        listed.setdefault(package, {})[version] = integrity
        (self.home / "packages.json").write_text(json.dumps(listed))

    def trouble(self, **verbs: str) -> None:
        """From now on `view` or `pack` fails like this: an npm error code, or one of the fake's own words."""
        (self.home / "trouble.json").write_text(json.dumps(verbs))

    @property
    def gate(self) -> Path:
        """While this file exists, `pack` waits."""
        return self.home / "gate"

    def calls(self) -> list[list[str]]:
        """The arguments of every call so far."""
        return [call["argv"] for call in self._calls()]

    def folders(self) -> list[Path]:
        """The working folder of every call so far."""
        return [Path(call["cwd"]) for call in self._calls()]

    def pids(self) -> list[int]:
        """The process of every call so far."""
        return [call["pid"] for call in self._calls()]

    def _calls(self) -> list[dict]:  # type: ignore[type-arg]
        file = self.home / "calls.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def until(condition: Callable[[], object], awaited: str, seconds: float = 30) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:g} s for {awaited}"
        time.sleep(0.02)


def leftovers(folder: Path) -> list[str]:
    """What installs left in a cache or temporary folder, beside entries and the lock."""
    names = [path.name for path in folder.glob("*")] if folder.exists() else []
    return [name for name in names if name.startswith((".installing", "wedged-npm"))]
