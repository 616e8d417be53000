"""From what was collected to the files of a zip: withheld, redacted, checked against the real look."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import msgspec

from wedged.bundle.collecting import Harvest
from wedged.bundle.contents import (
    KIND,
    LARGEST,
    MANIFEST,
    REPORT,
    SCHEMA,
    WINDOW,
    BundledFile,
    BundleGap,
    Manifest,
)
from wedged.bundle.derived import Requests, derived, plugins_of
from wedged.bundle.issue_report import issue_report
from wedged.bundle.told import told_window
from wedged.bundle.withholding import Withholding
from wedged.diagnose import Diagnosis, diagnose
from wedged.facts.plain_text import plain
from wedged.facts.redaction import Redactor
from wedged.facts.snapshot import Window

_LINE_CHARS = 1000
_NAME = re.compile(r"[^\w.@+~-]")


@dataclass(frozen=True)
class Setting:
    """What a bundle is made with: whom it is about, what may be in it, and by whom it is made.

    `versions` are facts about wedged and the machine, `terminal` names the reporter's. `name` is what the
    zip will be called. `grace` as in `diagnose`.
    """

    target: str
    name: str
    versions: Mapping[str, object]
    include: tuple[str, ...] = ()
    terminal: str = ""
    grace: float = 60.0
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assembled:
    """The files of the zip by name, with what a reader is told of them. `report` is Markdown."""

    files: dict[str, bytes]
    manifest: Manifest
    report: str
    findings: tuple[str, ...] = field(default=())


def assemble(
    setting: Setting,
    harvest: Harvest,
    window: Window | None,
    withholding: Withholding,
    redactor: Redactor,
    request: Requests | None = None,
) -> Assembled:
    """Everything that leaves passes `redactor` here, and nowhere later is anything added.

    `window` is what was really seen; the bundle holds it without what people and models wrote.
    """
    pieces = dict(harvest.pieces)
    gaps = list(harvest.gaps)
    diagnosis, same, encoded = None, None, b""
    if window is not None:
        told = told_window(window, withholding)
        encoded = msgspec.json.encode(redactor.value(msgspec.to_builtins(told)))
        diagnosis = diagnose(told, setting.grace, request=request)
        same = _findings(diagnose(window, setting.grace), redactor) == _findings(
            diagnose(msgspec.json.decode(encoded, type=Window), setting.grace), redactor
        )
        if not same:
            gaps.append(BundleGap("looks", "the same findings", "redaction took out what a check needs"))
        pieces |= derived(diagnosis, told, setting.sessions, request)
        identity = told.latest.identity
        pieces["server.json"] = {"line": identity.line.value, "version": identity.version}
    pieces["versions.json"] = dict(setting.versions)
    report = redactor.text(
        issue_report(
            diagnosis,
            versions=setting.versions,
            plugins=plugins_of(pieces.get("config.json")),
            terminal=setting.terminal,
            gaps=gaps,
            bundle=setting.name,
        )
    )
    files = {REPORT: report.encode()}
    if encoded:
        files[WINDOW] = encoded
    for name, piece in pieces.items():
        data = _bytes(piece, redactor)
        files[_free_name(_safe_name(redactor.text(name)), files)] = data
    large = [name for name, data in files.items() if len(data) > LARGEST]
    gaps += [BundleGap("bundle", name, f"left out: {len(files.pop(name)) >> 20} MiB") for name in large]
    manifest = Manifest(
        schema=SCHEMA,
        kind=KIND,
        wedged=str(setting.versions.get("wedged", "")),
        taken=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        target=redactor.text(setting.target),
        included=setting.include,
        withheld=withholding.count,
        same_findings=same,
        collectors=tuple(harvest.collectors),
        gaps=tuple(
            replace(gap, what=plain(redactor.text(gap.what)), why=plain(redactor.text(gap.why)))
            for gap in gaps
        ),
        files=tuple(
            BundledFile(name, len(data), hashlib.sha256(data).hexdigest()) for name, data in files.items()
        ),
    )
    head = {MANIFEST: msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"}
    codes = tuple(one.code for one in diagnosis.findings) if diagnosis else ()
    return Assembled(head | files, manifest, report, codes)


def _findings(diagnosis: Diagnosis, redactor: Redactor) -> list[tuple[str, ...]]:
    return sorted(
        (
            one.code,
            one.variant,
            one.status.value,
            one.confidence.value,
            redactor.text(one.session),
            redactor.text(one.subject.id),
        )
        for one in diagnosis.findings
    )


def _redacted(gap: BundleGap, redactor: Redactor) -> BundleGap:
    return replace(gap, what=plain(redactor.text(gap.what)), why=plain(redactor.text(gap.why)))


def _bytes(piece: object, redactor: Redactor) -> bytes:
    """A text line by line, escaped so that a terminal that shows it obeys nothing in it; or JSON in ASCII."""
    if isinstance(piece, str):
        # Redacted whole, and cut after that: a secret may go over several lines, and past the end of one.
        return "\n".join(_cut(plain(line)) for line in redactor.text(piece).split("\n")).encode()
    return json.dumps(redactor.value(piece), indent=1, ensure_ascii=True).encode() + b"\n"


def _cut(line: str) -> str:
    return line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]}… ({len(line)} characters)"


def _safe_name(name: str) -> str:
    """Each part of a name as a file system takes it; ids come from servers."""
    parts = [_NAME.sub("_", part)[:100].lstrip(".") or "_" for part in name.split("/") if part]
    return "/".join(parts)


def _free_name(name: str, taken: Mapping[str, bytes]) -> str:
    folder, slash, last = name.rpartition("/")
    number, free = 1, name
    while free in taken or free == MANIFEST:
        number += 1
        free = f"{folder}{slash}{number}-{last}"
    return free
