"""A package's tarball: is it what the registry promised, and the one file in it that we want."""

import base64
import binascii
import hashlib
import hmac
import shutil
import tarfile
import zlib
from pathlib import Path

from wedged.errors import InstallError, IntegrityMismatch


def check_integrity(tarball: Path, integrity: str) -> None:
    """Compare the file with the registry's own hash (``sha512-BASE64``, several separated by blanks).

    Raises:
        IntegrityMismatch: it is another file, or the registry names no sha512 to compare with.
        OSError: the file can't be read.
    """
    promised = [word[7:].partition("?")[0] for word in integrity.split() if word.startswith("sha512-")]
    if not promised:
        raise IntegrityMismatch("the registry names no sha512 hash for this package, so it can't be checked")
    with tarball.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    for text in promised:
        try:
            if hmac.compare_digest(base64.b64decode(text, validate=True), digest):
                return
        except binascii.Error:
            continue
    raise IntegrityMismatch(
        "what npm brought does not match the hash that the registry names; nothing of it was kept"
    )


def extract_program(tarball: Path, program: str, into: Path) -> Path:
    """Write the tarball's ``bin/PROGRAM``, and nothing else, to ``into/PROGRAM``; gives that path.

    Raises:
        InstallError: the tarball is unreadable, or holds no such regular file.
        OSError: the disk.
    """
    target = into / program
    try:
        with tarfile.open(tarball, "r:gz") as archive:
            for member in archive:
                # npm's own folder is mostly, not always, called "package".
                if member.name.partition("/")[2] != f"bin/{program}":
                    continue
                # The filter refuses what points outside; a link or a device is no program to us.
                if not tarfile.data_filter(member, str(into)).isreg():
                    break
                source = archive.extractfile(member)
                if source is None:
                    break
                with source, target.open("xb") as file:
                    shutil.copyfileobj(source, file, 1 << 20)
                return target
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise InstallError(f"the package's tarball can't be read ({type(error).__name__})") from error
    raise InstallError(f"the package holds no program bin/{program}")
