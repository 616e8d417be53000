"""An ask's id carries its time of birth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wedged.facts.ask import born_ms

# From a real 1.18.34 server: the ask, the message before it and the tool part that waits for it.
ASK = "per_2274e0fec001KoTEHP5LreUxXZ"
MESSAGE_MADE = 1795955755995
PART_STARTED = 1795955756926
BORN = 1795955757036

PERIOD_MS = 2**36


def _id(born: int, counter: int = 1) -> str:
    return f"per_{(born * 4096 + counter) % 2**48:012x}KoTEHP5LreUxXZ"


def test_a_real_ask_was_born_between_its_part_and_now() -> None:
    born = born_ms(ASK, now_ms=BORN + 5_000)
    assert born is not None
    assert abs(born - BORN) <= 100
    assert MESSAGE_MADE < PART_STARTED < born


@pytest.mark.parametrize("later_ms", [0, 60_000, 86_400_000, PERIOD_MS - 60_001])
def test_the_age_does_not_depend_on_when_one_looks(later_ms: int) -> None:
    assert born_ms(ASK, now_ms=BORN + later_ms) == BORN


def test_an_id_from_just_before_the_counter_wrapped_is_young() -> None:
    wrapped = (BORN // PERIOD_MS + 1) * PERIOD_MS
    born = wrapped - 2_000
    assert int(_id(born)[4:16], 16) > int(_id(wrapped + 3_000)[4:16], 16)
    assert born_ms(_id(born), now_ms=wrapped + 3_000) == born
    assert born_ms(_id(wrapped + 1_000), now_ms=wrapped + 3_000) == wrapped + 1_000


def test_a_server_whose_clock_is_a_little_ahead_is_not_two_years_behind() -> None:
    assert born_ms(_id(BORN + 30_000), now_ms=BORN) == BORN + 30_000
    assert born_ms(_id(BORN + 61_000), now_ms=BORN) == BORN + 61_000 - PERIOD_MS


@given(
    now=st.integers(min_value=PERIOD_MS, max_value=2**42),
    age=st.integers(min_value=-60_000, max_value=PERIOD_MS - 60_001),
    counter=st.integers(0, 4095),
)
def test_every_age_of_less_than_a_period_comes_back(now: int, age: int, counter: int) -> None:
    assert born_ms(_id(now - age, counter), now_ms=now) == now - age


@pytest.mark.parametrize(
    "text",
    [
        "",
        "per",
        "per_",
        "per_2274e0",
        "per_not-a-number",
        "global",
        "per_zzzzzzzzzzzz",
        "per_0x2274e0fec001",
        "per_2274_e0fec00",
        "per_ 2274e0fec00",
        "per_+2274e0fec00",
        "per_\u0662\u0662\u0667\u0664\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660",
    ],
)
def test_an_id_that_carries_no_time_has_no_birth(text: str) -> None:
    assert born_ms(text, now_ms=BORN) is None
