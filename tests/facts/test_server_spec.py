"""Server specs, one and several, and that what is written can be read back."""

import pytest

from wedged.errors import BadServerSpec
from wedged.facts.server import ServerSpec


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("v1@1.17.18 v1@latest", ["v1@1.17.18", "v1@latest"]),
        (' v2@2.0.15\n cmd:"node cli.js" v1@1.3.2', ["v2@2.0.15", 'cmd:"node cli.js"', "v1@1.3.2"]),
        ("path:/opt/opencode", ["path:/opt/opencode"]),
        ("path:'/opt/my builds/opencode'", ['path:"/opt/my builds/opencode"']),
        ("cmd:'sh -c \"exec opencode\"'", ["cmd:'sh -c \"exec opencode\"'"]),
        ("", []),
    ],
)
def test_several_are_read_and_written_back(text: str, written: list[str]) -> None:
    specs = ServerSpec.parse_all(text)
    assert [str(spec) for spec in specs] == written
    assert ServerSpec.parse_all(" ".join(map(str, specs))) == specs


@pytest.mark.parametrize("text", ["v1@", "v3@1.0", "v1@../x", "1.17.18", "cmd:", 'cmd:""', "v1@1.0 nonsense"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(BadServerSpec):
        ServerSpec.parse_all(text)
