"""What a file is, its content tells; an export from the command line."""

import json
import zipfile
from pathlib import Path

import jsonschema
import pytest
from tests.observe.database.stores import V1, unpack
from tests.observe.export.test_look import DATA

from wedged.cli import main
from wedged.cli.file_target import Kind, kind_of
from wedged.diagnose.document import schema_text
from wedged.errors import UnreadableFile

Out = pytest.CaptureFixture[str]
EXPORT = DATA / "v1-1.17.18-asking.txt"


def test_its_name_tells_nothing(tmp_path: Path) -> None:
    database = unpack(V1, tmp_path).path.rename(tmp_path / "session.json")
    export = tmp_path / "opencode.db"
    export.write_bytes(b"\xef\xbb\xbf\r\n " + (DATA / "v2-2.0.15-finished.json").read_bytes())
    bundle = tmp_path / "words.txt"
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr("a", "b")
    kinds = [kind_of(path) for path in (database, export, bundle, EXPORT)]
    assert kinds == [Kind.DATABASE, Kind.EXPORT, Kind.BUNDLE, Kind.EXPORT]
    assert main(["doctor", str(export)]) == 3


def test_what_is_no_file_is_left_to_others_or_refused(tmp_path: Path) -> None:
    assert kind_of(Path("/dev/null")) is Kind.DATABASE, "whose own words refuse it"
    with pytest.raises(UnreadableFile, match="is a directory without"):
        kind_of(tmp_path)


def test_an_export_as_json(capsys: Out) -> None:
    assert main(["doctor", str(EXPORT), "--json", "--all"]) == 1
    out, err = capsys.readouterr()
    tree = json.loads(out)
    jsonschema.validate(tree, json.loads(schema_text()))
    assert (err, tree["target"]) == ("", {"kind": "export", "name": str(EXPORT)})
    assert tree["server"] == {"line": "v1", "version": "1.17.18"}
    (finding,) = tree["findings"]
    assert (finding["candidates"], finding["recovery"]) == (["W101", "W201"], [])
    assert (tree["checked"]["sessions"], tree["checked"]["sessions_read"]) == (1, 1)
    assert tree["checked"]["effects"] == tree["checked"]["not_asked"] == tree["activity"] == []


def test_an_export_as_text(capsys: Out) -> None:
    file = str(DATA / "v2-2.0.15-finished.json")
    assert main(["doctor", file]) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith(f"{file} OpenCode (V2), by its export alone Nothing found in what could be read.")
    assert "a released V2 leaves them out of an export" in out
    assert "Checked: read whole: 3 messages, 1 tool calls" in out


def test_one_ask_is_not_in_an_export(capsys: Out) -> None:
    assert main(["doctor", str(EXPORT), "--ask", "per_2276041bc001q4W5JN3Rmg1FJy"]) == 3
    assert "UNKNOWN: asks live in a server's memory only" in " ".join(capsys.readouterr().out.split())


def test_a_zip_that_is_no_bundle_is_one_line(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "holiday.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("beach.jpg", "")
    assert main(["doctor", str(path), "--json"]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "no bundle" in err
