"""Several reads at once: in order, each with its own end, and never more than so many."""

import _thread
import threading

import pytest

from wedged.errors import BadAnswer
from wedged.observe.at_once import AT_ONCE, read_at_once


def test_results_are_in_order_and_one_that_fails_hides_no_other() -> None:
    def read(number: int) -> int:
        if number == 3:
            raise BadAnswer("three")
        return number * 2

    got = read_at_once(read, range(20))
    assert [one() for at, one in enumerate(got) if at != 3] == [n * 2 for n in range(20) if n != 3]
    with pytest.raises(BadAnswer, match="three"):
        got[3]()


def test_as_many_as_may_are_under_way_together() -> None:
    together = threading.Barrier(AT_ONCE)
    most, now, lock = 0, 0, threading.Lock()

    def read(number: int) -> None:
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        if number < AT_ONCE:
            together.wait(10)
        with lock:
            now -= 1

    for one in read_at_once(read, range(3 * AT_ONCE)):
        one()
    assert most == AT_ONCE


def test_nothing_is_read_of_nothing() -> None:
    assert read_at_once(str, ()) == []


def test_an_error_that_nobody_foresaw_is_raised_where_its_result_is_wanted() -> None:
    got = read_at_once(lambda n: 1 // n, range(4))
    assert got[1]() == 1
    with pytest.raises(ZeroDivisionError):
        got[0]()


def test_after_ctrl_c_nobody_waits_for_what_is_under_way() -> None:
    never, begun = threading.Event(), []

    def read(number: int) -> None:
        begun.append(number)
        if len(begun) == AT_ONCE:
            _thread.interrupt_main()
        never.wait(60)

    with pytest.raises(KeyboardInterrupt):
        read_at_once(read, range(100))
    never.set()
    assert len(begun) == AT_ONCE
