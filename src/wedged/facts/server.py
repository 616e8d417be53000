"""Which server: what was asked for, and what answered."""

import re
from dataclasses import dataclass
from enum import StrEnum

from wedged.errors import BadServerSpec

# One spec of several: blanks end it, except between quotes.
_SPEC = re.compile(r"""(?:"[^"]*"|'[^']*'|\S)+""")


class Line(StrEnum):
    """A family of servers with one API dialect."""

    V1 = "v1"
    V2_PREVIEW = "v2preview"
    V2_RELEASED = "v2released"
    UNKNOWN = "unknown"


class SpecKind(StrEnum):
    """How a server spec names its binary."""

    V1 = "v1"
    V2 = "v2"
    PATH = "path"
    CMD = "cmd"


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """What a user asks for: ``v1@1.17.18``, ``v1@latest``, ``v2@2.0.15``, ``path:FILE``, ``cmd:COMMAND``.

    `value` is the version, the file or the command line.
    """

    kind: SpecKind
    value: str

    @classmethod
    def parse(cls, text: str) -> "ServerSpec":
        """Read the written form.

        Raises:
            BadServerSpec: `text` is none of the forms.
        """
        text = text.strip()
        for kind in (SpecKind.PATH, SpecKind.CMD):
            if text.startswith(f"{kind}:"):
                value = text[len(kind) + 1 :].strip()
                if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
                    value = value[1:-1]
                if value:
                    return cls(kind, value)
        for kind in (SpecKind.V1, SpecKind.V2):
            if text.startswith(f"{kind}@"):
                value = text[len(kind) + 1 :]
                if value and all(c.isalnum() or c in ".-+" for c in value) and value[0] not in ".-+":
                    return cls(kind, value)
        raise BadServerSpec(
            f"{text!r} is not a server spec; write v1@1.17.18, v1@latest, v2@2.0.15, path:FILE or cmd:COMMAND"
        )

    @classmethod
    def parse_all(cls, text: str) -> "tuple[ServerSpec, ...]":
        """Several, separated by blanks; a file or command that has blanks stands in quotes: ``cmd:"node x"``.

        Raises:
            BadServerSpec: as `parse`.
        """
        return tuple(cls.parse(word) for word in _SPEC.findall(text))

    @property
    def floating(self) -> bool:
        """Whether the name can mean another version tomorrow."""
        return self.kind in (SpecKind.V1, SpecKind.V2) and self.value == "latest"

    def __str__(self) -> str:
        """The written form, in quotes where `parse_all` needs them."""
        if self.kind in (SpecKind.V1, SpecKind.V2):
            return f"{self.kind}@{self.value}"
        quote = "'" if '"' in self.value else '"'
        return f"{self.kind}:{quote}{self.value}{quote}" if " " in self.value else f"{self.kind}:{self.value}"


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """What a server says and shows of itself; hashes are lower-case hex sha256, "" where not known."""

    line: Line
    version: str
    binary_sha256: str = ""
    openapi_sha256: str = ""
    schema_fingerprint: str = ""

    @property
    def key(self) -> str:
        """The name under which evidence is filed: ``v1@1.17.18``."""
        return f"{'v1' if self.line is Line.V1 else 'v2'}@{self.version}"
