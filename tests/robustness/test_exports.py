"""What an export holds may be anything: one line or a report, never a traceback, never a write."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.client.v2_samples import sample

from wedged.diagnose import diagnose
from wedged.errors import CannotLook
from wedged.facts.snapshot import Window
from wedged.observe.export import look_at_export

from .answers import answers_of
from .looking import check_line, check_report
from .mutation import Mutation, mutated, mutations, written
from .profile import inputs
from .tried import came_of, count


def v1() -> dict[str, Any]:
    """A session as V1's export puts it together."""
    answers, _ = answers_of("v1")
    (messages,) = [tree for path, tree in answers.items() if path.endswith("/message")]
    return {"info": answers["/session"][0], "messages": messages}


def v2() -> dict[str, Any]:
    """A session as the released V2's export puts it together, an unfinished message among its own."""
    seen = sample("2.0.15")
    return {"info": seen["wedged"]["data"], "messages": seen["wedged_messages"]["data"][::-1]}


EXPORTS: Mapping[str, Any] = {"v1": v1(), "v2": v2()}


def look_at(raw: bytes) -> str:
    """What came of it, all of it printed: ``error`` or ``report``. Nothing was written."""
    with tempfile.TemporaryDirectory(prefix="wedged-export-") as folder:
        path = Path(folder, "export.json")
        path.write_bytes(raw)
        try:
            window = Window(look_at_export(path))
        except CannotLook as error:
            check_line(str(error))
            return "error"
        finally:
            assert path.read_bytes() == raw
            assert list(Path(folder).iterdir()) == [path]
    diagnosis = diagnose(window, 0.0)
    check_report(diagnosis)
    return "report"


@pytest.mark.parametrize("shape", EXPORTS)
def test_changed_exports(shape: str) -> None:
    kinds = came_of(f"exports of {shape}")
    assert look_at(written(EXPORTS[shape])) == "report"

    @inputs(few=60, many=600)
    @given(mutations(), st.one_of(st.none(), st.none(), st.none(), st.integers(0, 4000)))
    def changed(changes: list[Mutation], cut: int | None) -> None:
        raw = written(mutated({"": EXPORTS[shape]}, changes).get(""))
        count(kinds, look_at(raw[:cut]))

    changed()
    # The rest has no readable session any more, or is cut short.
    assert kinds["report"] > kinds.total() / 5
