"""A server binary that is on this disk and was checked."""

from dataclasses import dataclass

from wedged.facts.server import Line, ServerSpec, SpecKind

PREVIEW_VERSIONS = "0.0.0-next-"


@dataclass(frozen=True, slots=True)
class InstalledServer:
    """What to start, and what it is.

    `spec` never floats. `argv` is the program with its leading arguments; ``serve --port N`` goes behind it.
    `version` is "" for ``path:`` and ``cmd:``, where only the server itself can tell. `sha256` is lower-case
    hex: of the binary, of the program file for ``path:``, of the command's text for ``cmd:``.
    """

    spec: ServerSpec
    argv: tuple[str, ...]
    version: str
    sha256: str
    line: Line


def line_of(spec: ServerSpec) -> Line:
    """The API dialect that a spec's version belongs to; UNKNOWN where only the server itself can tell."""
    if spec.kind is SpecKind.V1:
        return Line.V1
    if spec.kind is SpecKind.V2:
        return Line.V2_PREVIEW if spec.value.startswith(PREVIEW_VERSIONS) else Line.V2_RELEASED
    return Line.UNKNOWN
