"""What may be said across versions."""

from wedged.evidence import Change, ChangeKind, changes
from wedged.facts.trial import ClassState

REGISTRY = ["v1@1.0", "v1@1.1", "v1@1.2", "v1@1.3"]
PRESENT, GONE = ClassState.PRESENT, ClassState.GONE


def _said(states: dict[str, ClassState], registry: list[str] = REGISTRY) -> list[str]:
    return [change.sentence for change in changes(states, registry)]


def test_fixed_in_is_said_of_neighbours_only() -> None:
    assert _said({"v1@1.1": PRESENT, "v1@1.2": GONE}) == ["present in v1@1.1, fixed in v1@1.2"]
    assert _said({"v1@1.0": PRESENT, "v1@1.2": GONE}) == ["present in v1@1.0, gone by v1@1.2"]


def test_the_registry_orders_not_the_text_nor_the_mapping() -> None:
    registry = ["v1@1.9.0", "v1@1.10.0"]
    assert _said({"v1@1.10.0": GONE, "v1@1.9.0": PRESENT}, registry) == [
        "present in v1@1.9.0, fixed in v1@1.10.0"
    ]


def test_what_lies_between_keeps_versions_from_being_neighbours() -> None:
    for between in (ClassState.FLAKY, ClassState.INCONCLUSIVE, ClassState.NOT_RUN, ClassState.ABSENT):
        states = {"v1@1.0": PRESENT, "v1@1.1": between, "v1@1.2": GONE}
        assert _said(states) == ["present in v1@1.0, gone by v1@1.2"]


def test_nothing_is_said_of_one_sided_evidence() -> None:
    assert _said({"v1@1.2": GONE, "v1@1.3": GONE}) == []
    assert _said({"v1@1.0": ClassState.FLAKY, "v1@1.1": GONE}) == []
    assert _said({}) == []


def test_it_may_come_and_go() -> None:
    states = dict(zip(REGISTRY, [GONE, PRESENT, GONE, PRESENT], strict=True))
    assert [c.kind for c in changes(states, REGISTRY)] == [ChangeKind.CAME, ChangeKind.GONE, ChangeKind.CAME]
    assert _said(states)[0] == "not in v1@1.0, present since v1@1.1"
    assert _said({"v1@1.0": GONE, "v1@1.3": PRESENT}) == ["not in v1@1.0, present by v1@1.3"]


def test_a_version_the_registry_does_not_know_has_no_place() -> None:
    states = {"v1@1.0": PRESENT, "v1@local": GONE, "v1@1.3": GONE}
    assert changes(states, REGISTRY) == (Change(ChangeKind.GONE, "v1@1.0", "v1@1.3", neighbours=False),)
