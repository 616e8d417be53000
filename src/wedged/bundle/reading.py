"""Reading a bundle back. It comes from a stranger: nothing in it is believed, and nothing is unpacked."""

import hashlib
import stat
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import msgspec

from wedged.bundle.contents import (
    KIND,
    LARGEST,
    MANIFEST,
    RATIO,
    RATIO_FROM,
    SCHEMA,
    WINDOW,
    Manifest,
)
from wedged.errors import UnknownSchema, UnreadableFile
from wedged.facts.plain_text import plain
from wedged.facts.snapshot import Gap, Window

# Our own bundles hold some dozen files, and a look at 10,000 sessions is 5 MB of JSON.
_MEMBERS = 2000
_TOTAL_BYTES = 256 << 20
_FLAG_ENCRYPTED = 0x1
_LATEST_MS = 253_402_300_799_000
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    OverflowError,
    MemoryError,
)


class _Kind(msgspec.Struct):
    """What every bundle says of itself, whatever its schema."""

    schema: int
    kind: str = ""
    wedged: str = ""


def read_bundle(path: Path) -> Window:
    """The looks that the bundle at `path` holds.

    Raises:
        UnreadableFile: it can't be read, is no zip or no bundle, is cut short, holds a name that leads out of
            it, a link, one name twice, or more than a bundle ever holds; or it holds no look.
        UnknownSchema: it is a bundle, made by a newer wedged.
    """
    shown = plain(str(path))
    manifest, data = _parts(path, shown)
    if data is None:
        why = next((f": {plain(gap.why)}" for gap in manifest.gaps if gap.collector == "looks"), "")
        raise UnreadableFile(f"{shown} is a bundle without a look at its server{why}")
    window = _window(data, shown)
    listed = next((file for file in manifest.files if file.name == WINDOW), None)
    if listed is None or listed.sha256 != hashlib.sha256(data).hexdigest():
        changed = Gap("what the server really said", f"{WINDOW} was changed after the bundle was made")
        window = replace(window, latest=replace(window.latest, blind=(*window.latest.blind, changed)))
    return window


def read_manifest(path: Path) -> Manifest:
    """What the bundle at `path` says that it holds. Raises as `read_bundle`."""
    return _parts(path, plain(str(path)))[0]


def _parts(path: Path, shown: str) -> tuple[Manifest, bytes | None]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, shown)
            if MANIFEST not in members:
                raise UnreadableFile(f"{shown} is a zip, and no bundle of wedged: it holds no {MANIFEST}")
            manifest = _manifest(_read(archive, members[MANIFEST], shown), shown)
            window = members.get(WINDOW)
            return manifest, _read(archive, window, shown) if window else None
    except _BROKEN:
        raise UnreadableFile(f"{shown} is no zip, or is cut short or damaged") from None
    except OSError as error:
        raise UnreadableFile(f"{shown} can't be read: {error.strerror or 'damaged'}") from None


def _members(archive: zipfile.ZipFile, shown: str) -> dict[str, zipfile.ZipInfo]:
    """The files by name; every one of them is judged, also those that are not read."""
    listed = archive.infolist()
    if len(listed) > _MEMBERS:
        raise UnreadableFile(f"{shown} holds {len(listed)} files, more than any bundle")
    found: dict[str, zipfile.ZipInfo] = {}
    for info in listed:
        name = plain(info.filename)
        if why := _unfit(info):
            raise UnreadableFile(f"{shown} is refused: {name[:80]!r} {why}")
        if info.filename in found:
            raise UnreadableFile(f"{shown} is refused: it holds {name[:80]!r} twice")
        found[info.filename] = info
    if sum(info.file_size for info in listed) > _TOTAL_BYTES:
        raise UnreadableFile(f"{shown} is refused: it unpacks to more than {_TOTAL_BYTES >> 20} MiB")
    return found


def _unfit(info: zipfile.ZipInfo) -> str:
    name = info.filename
    if name.startswith(("/", "\\")) or "\\" in name or name[1:2] == ":" or ".." in name.split("/"):
        return "leads out of it"
    if info.create_system == 3 and stat.S_ISLNK(info.external_attr >> 16):
        return "is a link"
    if info.flag_bits & _FLAG_ENCRYPTED:
        return "is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is packed in a way that bundles are not"
    if info.file_size > LARGEST:
        return f"unpacks to more than {LARGEST >> 20} MiB"
    if info.file_size > RATIO_FROM and info.file_size > RATIO * max(info.compress_size, 1):
        return f"unpacks to more than {RATIO} times its size"
    return ""


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, shown: str) -> bytes:
    """The contents, at most as many bytes as the zip's own list promises: the list itself may lie."""
    with archive.open(info) as file:
        data = file.read(info.file_size + 1)
    if len(data) != info.file_size:
        raise UnreadableFile(f"{shown} is damaged: {plain(info.filename)!r} is not as large as it says")
    return data


def _manifest(data: bytes, shown: str) -> Manifest:
    try:
        kind = msgspec.json.decode(data, type=_Kind)
        if kind.kind != KIND:
            raise UnreadableFile(f"{shown} is a zip, and no bundle of wedged")
        if kind.schema > SCHEMA:
            raise UnknownSchema(
                f"{shown} is a bundle of schema {kind.schema}, made by wedged {plain(kind.wedged)[:40]}; "
                f"this wedged reads schema {SCHEMA}: upgrade it"
            )
        return msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise UnreadableFile(f"{shown} is no bundle that can be read: its {MANIFEST} is damaged") from None


def _window(data: bytes, shown: str) -> Window:
    try:
        tree = msgspec.json.decode(data)
        _refuse_impossible_times(tree)
        return msgspec.convert(tree, Window)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        why = plain(str(error))[:160]
        raise UnreadableFile(f"{shown} is no bundle that can be read: {WINDOW}: {why}") from None


def _refuse_impossible_times(tree: object, key: str = "") -> None:
    """A time beyond the year 9999 is none, and would only fail later, where it is shown."""
    if isinstance(tree, dict):
        for name, item in tree.items():
            _refuse_impossible_times(item, str(name))
    elif isinstance(tree, list):
        for item in tree:
            _refuse_impossible_times(item, key)
    elif isinstance(tree, int | float) and not isinstance(tree, bool):
        limit = _LATEST_MS / 1000 if key == "created" else _LATEST_MS
        if (key == "created" or key.endswith("_ms")) and not 0 <= tree <= limit:
            raise ValueError(f"{key} is no time")
