"""One failure class is one name in three rooms. A code without its notebook, check or cure fails here."""

from pathlib import Path

import nbformat
import pytest

from wedged.catalog import CLASSES, PLANNED
from wedged.facts.failure_class import FailureClass
from wedged.lab.scenarios import SCENARIOS, scenario

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "wedged"

each_class = pytest.mark.parametrize("failure_class", CLASSES, ids=lambda c: c.code)
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


@each_class
def test_a_class_is_one_name_in_three_rooms(failure_class: FailureClass) -> None:
    module = f"{failure_class.code.lower()}_{failure_class.slug.replace('-', '_')}.py"
    assert (PACKAGE / "catalog" / module).is_file()
    assert (PACKAGE / "lab" / "scenarios" / module).is_file()
    assert (ROOT / "notebooks" / f"{failure_class.name}.ipynb").is_file()
    assert failure_class.code in (ROOT / "CHANGELOG.md").read_text()


@each_class
def test_a_class_has_one_defining_claim_and_a_control(failure_class: FailureClass) -> None:
    assert [c.defining for c in failure_class.claims].count(True) == 1
    assert any(c.control for c in failure_class.claims)
    identifiers = [c.id for c in failure_class.claims]
    assert len(set(identifiers)) == len(identifiers)
    assert all(i.startswith(f"{failure_class.code}.") for i in identifiers)
    assert all(c.source for c in failure_class.claims)


@each_class
def test_every_claim_has_an_arm_that_runs(failure_class: FailureClass) -> None:
    arms = scenario(failure_class.code).arms
    assert {c.arm for c in failure_class.claims} <= set(arms)


@each_class
def test_every_cure_rests_on_a_claim_and_says_what_it_loses(failure_class: FailureClass) -> None:
    assert failure_class.recovery
    for step in failure_class.recovery:
        assert failure_class.claim(step.claim).id == step.claim
        assert step.loses
        assert step.confirms


@each_class
def test_what_a_look_alike_claims_is_a_claim_with_an_arm_of_its_own(failure_class: FailureClass) -> None:
    named = [one.claim for one in failure_class.look_alikes if one.claim]
    arms = {failure_class.claim(claim).arm for claim in named}
    assert len(arms) == len(named)
    likes = {arm for arm in scenario(failure_class.code).arms if arm.startswith("like-")}
    assert arms == likes


@each_class
def test_the_page_has_what_people_paste_and_what_it_is_not(failure_class: FailureClass) -> None:
    assert failure_class.title
    assert failure_class.see
    assert len(failure_class.aliases) >= 10
    assert failure_class.look_alikes


def test_no_scenario_is_without_its_class() -> None:
    assert [s.code for s in SCENARIOS] == [c.code for c in CLASSES]


def test_a_planned_code_is_nobodys() -> None:
    planned = set(PLANNED)
    assert planned
    assert not planned & {c.code for c in CLASSES}


@each_notebook
def test_a_notebook_is_committed_clean_and_small(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in code)
    assert code[0].metadata.get("tags") == ["parameters"]
    assert len(code) <= 15
    longest = max(code, key=lambda cell: len(cell.source.splitlines()))
    assert len(longest.source.splitlines()) <= 12, longest.source
