"""What a database holds may be anything: one line or a report, never a traceback, never a write."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.observe.database.stores import stamps

from wedged.diagnose import diagnose
from wedged.errors import CannotLook
from wedged.facts.snapshot import Window
from wedged.observe.database import look_at_database

from .looking import check_line, check_report
from .profile import inputs
from .stores import (
    NAMES,
    ByteChange,
    RowChange,
    SchemaChange,
    byte_changes,
    changed_store,
    clear_templates,
    row_changes,
    schema_changes,
)
from .tried import came_of, count


@pytest.fixture(scope="module", autouse=True)
def _templates() -> Iterator[None]:
    yield
    clear_templates()


def look_at(path: Path) -> str:
    """What came of a look, all of it printed: ``error``, ``finding`` or ``report``. Nothing was written."""
    before = stamps(path)
    try:
        window = Window(look_at_database(path))
    except CannotLook as error:
        check_line(str(error))
        return "error"
    finally:
        assert stamps(path) == before
    diagnosis = diagnose(window, 0.0)
    check_report(diagnosis)
    return "finding" if diagnosis.findings else "report"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shm", [True, False])
def test_a_database_as_it_was_makes_a_finding(name: str, shm: bool) -> None:
    with changed_store(name, shm=shm) as path:
        assert look_at(path) == "finding"


@pytest.mark.parametrize("name", NAMES)
def test_changed_rows(name: str) -> None:
    kinds = came_of(f"rows of {name}")

    @inputs(few=40, many=400)
    @given(row_changes(), st.booleans())
    def changed(rows: list[RowChange], shm: bool) -> None:
        with changed_store(name, rows, shm=shm) as path:
            count(kinds, look_at(path))

    changed()
    # A row hides no other: whatever one holds, the rest is still read.
    assert kinds["finding"] > kinds.total() * 0.9
    assert not kinds["error"]


@pytest.mark.parametrize("name", NAMES)
def test_changed_schemas(name: str) -> None:
    kinds = came_of(f"schema of {name}")

    @inputs(few=20, many=200)
    @given(schema_changes(), st.booleans())
    def changed(schema: list[SchemaChange], shm: bool) -> None:
        with changed_store(name, (), schema, shm=shm) as path:
            count(kinds, look_at(path))

    changed()
    assert kinds["error"]
    assert kinds["finding"] + kinds["report"]


@pytest.mark.parametrize("name", NAMES)
def test_changed_bytes(name: str) -> None:
    kinds = came_of(f"bytes of {name}")

    @inputs(few=30, many=400)
    @given(byte_changes(), st.booleans())
    def changed(raw: list[ByteChange], shm: bool) -> None:
        with changed_store(name, (), (), raw, shm=shm) as path:
            count(kinds, look_at(path))

    changed()
    assert kinds["error"]
    assert kinds["finding"] + kinds["report"]
