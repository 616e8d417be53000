"""The work list: plain JSON that comes back, resolved servers only, more trials for what shows rarely."""

import pytest

from wedged.catalog import by_code
from wedged.errors import UsageError
from wedged.facts.server import ServerSpec
from wedged.nightly.measuring import experiment, trials_by_class
from wedged.nightly.work import MOST_JOBS, Shard, WorkList, decode_work, encode_work, work_list

from .lines import FLAKY, HOLDS, NEW, NOT, OLD, line

SERVERS = tuple(map(ServerSpec.parse, (OLD, NEW)))


def test_it_comes_back_as_it_was() -> None:
    work = work_list("run", [by_code("W101")], SERVERS, trials=10, seed=7, by_server=True)
    assert decode_work(encode_work(work)) == work
    assert [shard.id for shard in work.shards] == ["W101-v1-1.17.18", "W101-v1-1.18.34"]
    assert work.asked == {("W101", OLD), ("W101", NEW)}


def test_what_floats_would_be_another_server_to_each_shard() -> None:
    with pytest.raises(UsageError, match="v1@latest"):
        work_list("run", [by_code("W101")], [ServerSpec.parse("v1@latest")], trials=10, seed=7)


def test_nothing_to_do_is_no_success() -> None:
    with pytest.raises(UsageError, match="nothing to do"):
        work_list("run", [by_code("W101")], [], trials=10, seed=7)


def test_a_matrix_has_an_end() -> None:
    shards = tuple(Shard(f"s{n}", "run", 7, "W101", (OLD,), 3) for n in range(MOST_JOBS + 1))
    with pytest.raises(UsageError, match="256"):
        WorkList(1, "run", shards).matrix()


@pytest.mark.parametrize("data", [b"", b"[]", b'{"schema":2,"run":"x","shards":[]}'])
def test_a_file_that_is_no_list(data: bytes) -> None:
    with pytest.raises(UsageError, match="work list"):
        decode_work(data)


def test_the_rarer_a_claim_shows_the_more_trials_its_class_gets() -> None:
    lines = [line(HOLDS, 10, 10), line(FLAKY, 3, 10, NEW), line(NOT, 0, 10, "v2@2.0.15")]
    more = trials_by_class(lines)
    assert more == {"W101": 11}
    (shard,) = work_list("run", [by_code("W101")], SERVERS, trials=10, seed=7, at_least=more).shards
    assert shard.trials == 11
    assert trials_by_class([line(FLAKY, 1, 100)]) == {"W101": 40}


def test_an_experiment_has_the_claims_arm_and_the_controls() -> None:
    made = experiment("W102.reply-404", 2, [line(HOLDS, 2, 2, claim="W102.reply-404")])
    assert made.plan == {"trigger": 3, "control": 3}
