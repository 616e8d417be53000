"""A server of another shape: said first, its verdicts unknown, until a person has looked."""

import json
from pathlib import Path
from typing import Any

import pytest

from wedged.facts.server import Line
from wedged.nightly.comparing import Kind, compare
from wedged.nightly.drift import READ, Shape, api_shape, drifted, encode_shapes, looked_at
from wedged.nightly.expectations import expectations
from wedged.nightly.summary import summary

from .lines import HOLDS, NEW, NOT, OLD, line, seen

KNOWN = Shape(OLD, "v1", "api-1", "db-1", ("GET /question",))


def document() -> dict[str, Any]:
    """A V1 document with every operation that is read; one answer is a reference to a schema."""
    paths: dict[str, Any] = {}
    for path, methods in READ[Line.V1].items():
        named = path.replace("{}", "{sessionID}")
        paths[named] = {method: {"responses": {"200": {"description": "fine"}}} for method in methods}
    schema = {"type": "array", "items": {"$ref": "#/components/schemas/Ask"}}
    answer = {"description": "fine", "content": {"application/json": {"schema": schema}}}
    paths["/permission"]["get"]["responses"]["200"] = answer
    ask = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "more": {"$ref": "#/components/schemas/Ask"}},
    }
    return {"paths": paths, "components": {"schemas": {"Ask": ask}}}


def test_words_and_order_do_not_count_and_fields_do() -> None:
    first, missing = api_shape(document(), Line.V1)
    assert missing == ()
    reworded = document()
    reworded["paths"]["/permission"]["get"]["description"] = "other words"
    reworded["paths"] = dict(reversed(reworded["paths"].items()))
    reworded["paths"]["/brand-new"] = {"get": {}}
    assert api_shape(reworded, Line.V1)[0] == first
    renamed = document()
    renamed["components"]["schemas"]["Ask"]["properties"]["identifier"] = {"type": "string"}
    assert api_shape(renamed, Line.V1)[0] != first


def test_an_operation_that_is_gone_is_named() -> None:
    less = document()
    del less["paths"]["/permission"]
    assert api_shape(less, Line.V1)[1] == ("GET /permission",)


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (Shape(NEW, "v1", "api-1", "db-1", ("GET /question",)), ""),
        (Shape(NEW, "v1", "api-2", "db-1"), "another shape"),
        (Shape(NEW, "v1", "api-1", "db-2"), "other columns"),
        (Shape(NEW, "v1", "api-2", "db-1", ("GET /permission",)), "no GET /permission any more"),
        (Shape(NEW, "v1", "", "db-1", (), "no such route"), "no such route"),
        (Shape("v2@2.1.0", "v2released", "api-1", "db-1"), "another shape"),
    ],
)
def test_what_is_new_is_said(shape: Shape, said: str) -> None:
    found = drifted([shape], [KNOWN])
    assert bool(found) == bool(said)
    assert said in found.get(shape.server, "")


def test_drift_comes_first_and_turns_verdicts_to_unknown() -> None:
    lines = expectations([line(HOLDS, 10, 10, OLD), line(HOLDS, 10, 10, NEW)])
    new = drifted([Shape(NEW, "v1", "api-2", "db-1")], [KNOWN])
    made = compare(lines, [seen(HOLDS, 10, 10, OLD), seen(NOT, 0, 10, NEW)], drifted=new)
    assert [one.kind for one in made.differences] == [Kind.DRIFT, Kind.AS_EXPECTED]
    assert made.exit_code == 3
    assert summary(made).startswith(f"DRIFT: {NEW}: the part of its API")


def test_a_nights_looks_come_back(tmp_path: Path) -> None:
    path = tmp_path / "drift.json"
    path.write_bytes(encode_shapes([KNOWN]))
    assert looked_at(path) == (KNOWN,)
    assert json.loads(path.read_text())[0]["missing"] == ["GET /question"]
    assert looked_at(tmp_path / "none") == ()
