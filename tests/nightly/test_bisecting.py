"""The search: it finds the pair, passes over what can't be judged, and never measures twice."""

from hypothesis import given
from hypothesis import strategies as st

from wedged.facts.trial import Verdict
from wedged.nightly.bisecting import Search

from .lines import HOLDS, NOT, UNSURE


def versions(count: int) -> tuple[str, ...]:
    """Releases, oldest first."""
    return tuple(f"v1@1.0.{n}" for n in range(count))


def run(truth: list[Verdict]) -> tuple[Search, int]:
    """The search to its end, and how many releases it measured."""
    told: dict[str, Verdict] = {}
    names = versions(len(truth))
    while (version := Search(names, told).next) is not None:
        assert version not in told
        told[version] = truth[names.index(version)]
    return Search(names, told), len(told)


@given(st.integers(2, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n - 1))), st.booleans())
def test_it_finds_the_two_neighbours_in_logarithmic_time(place: tuple[int, int], fixed: bool) -> None:
    count, first = place
    truth = [HOLDS if (at < first) == fixed else NOT for at in range(count)]
    search, measured = run(truth)
    assert search.bounds == (first - 1, first)
    assert measured <= 2 + (count - 1).bit_length()
    word = "fixed in" if fixed else "present since"
    assert f"{word} v1@1.0.{first}" in search.sentence


@given(st.lists(st.sampled_from([HOLDS, NOT, UNSURE]), min_size=2, max_size=40))
def test_whatever_the_releases_say_the_pair_differs_and_all_between_were_tried(truth: list[Verdict]) -> None:
    search, _ = run(truth)
    if search.bounds is None:
        assert UNSURE in (truth[0], truth[-1]) or truth[0] is truth[-1]
        return
    low, high = search.bounds
    assert {truth[low], truth[high]} == {HOLDS, NOT}
    assert all(truth[at] is UNSURE for at in range(low + 1, high))


def test_gone_by_and_fixed_in_are_two_things() -> None:
    assert run([HOLDS, HOLDS, UNSURE, NOT])[0].sentence == "present in v1@1.0.1, gone by v1@1.0.3"
    assert run([HOLDS, NOT])[0].sentence == "present in v1@1.0.0, fixed in v1@1.0.1"


def test_ends_that_do_not_differ_are_said() -> None:
    search, measured = run([HOLDS, NOT, HOLDS])
    assert measured == 2
    assert search.sentence == "no change between the two ends (v1@1.0.0: holds and v1@1.0.2: holds)"
