"""Tests of the account of ids by hand; test_proof.py has it follow a service of any kind."""

from __future__ import annotations

from cdb_desktop.live.check_schedule import ListCheck
from cdb_desktop.live.id_ledger import IdCounts, IdLedger
from cdb_desktop.live.interval_map import IdState


def ledger() -> IdLedger:
    """An account from 11, of which 11, 12, 15 and 20 came."""
    one = IdLedger(settle_time=10)
    one.reset(10)
    one.add_received([12, 11, 15, 20], 0.0)
    return one


def test_what_was_passed_is_being_checked_until_the_list_was_read() -> None:
    """However long that takes. Then every id has its kind, and the kinds add up."""
    one = ledger()
    assert one.counts == IdCounts(11, 20, received=4, open=6, checking=6)
    assert list(one.ranges(IdState.UNCHECKED)) == [(13, 14), (16, 19)]
    assert one.take_due_check(9.9) is None
    look = one.take_due_check(10.0)
    assert look == ListCheck(10.0, 13, 19)
    assert one.counts == IdCounts(11, 20, received=4, open=6, checking=6)
    assert one.counts.unexplained == 0
    one.add_result(look, {13: IdState.UNPOLLABLE, 17: IdState.HIDDEN}, 10.5)
    assert one.counts == IdCounts(11, 20, received=4, unpollable=1, hidden=1, deleted=4)


def test_what_comes_late_is_seen() -> None:
    """Also after it was called deleted, and the second look finds what polls do not bring."""
    one = ledger()
    look = one.take_due_check(10.0)
    assert look
    one.add_result(look, {}, 10.0)
    one.add_received([14], 11.0)
    assert (one.state(14), one.state(13)) == (IdState.RECEIVED, IdState.DELETED)
    again = one.take_due_check(400.0)
    assert again == ListCheck(360.0, 13, 19, 1)
    one.add_recovered([16], 400.0)
    one.add_result(again, {13: IdState.HIDDEN}, 400.0)
    assert (one.state(16), one.state(13), one.counts.recovered) == (IdState.RECEIVED, IdState.HIDDEN, 1)
    assert one.take_due_check(10_000.0) is None


def test_polls_reach_back_while_something_may_come_late() -> None:
    """To below the lowest id that was passed, but not farther than leaves room for what is new."""
    one = ledger()
    assert one.poll_after(20) == 12
    one.add_received([5000], 1.0)
    assert one.poll_after(5000) == 4500
    assert one.take_due_check(20.0)
    assert one.poll_after(5000) == 5000


def test_who_asks_seldom_waits_longer_before_an_id_counts_as_settled() -> None:
    """Another poll has to have had the chance to bring it."""
    one = IdLedger(settle_time=10)
    one.reset(10)
    one.set_settle_time(90)
    one.add_received([12], 0.0)
    assert one.take_due_check(89.0) is None
    assert one.poll_after(12) == 10
    assert one.take_due_check(90.0) == ListCheck(90.0, 11, 11)


def test_a_list_that_cannot_be_read_is_asked_for_later() -> None:
    """The ids are unexplained meanwhile, and each try waits longer than the one before."""
    one = ledger()
    look = one.take_due_check(10.0)
    assert look
    one.set_unread(look, 10.0)
    assert one.counts.unexplained == 6
    assert one.take_due_check(14.0) is None
    again = one.take_due_check(15.0)
    assert again == look._replace(due=15.0, failures=1)
    one.set_unread(again, 15.0)
    assert one.take_due_check(24.0) is None
    for _ in range(8):
        again = one.take_due_check(10_000.0)
        assert again
        one.set_unread(again, 0.0)
    assert again.due == 480.0
    one.add_result(again, {13: IdState.HIDDEN}, 10_000.0)
    assert one.counts == IdCounts(11, 20, received=4, hidden=1, deleted=5)


def test_a_look_that_has_not_come_to_its_end_goes_on() -> None:
    """Its rest is being checked, and is not called unexplained."""
    one = ledger()
    look = one.take_due_check(10.0)
    assert look
    one.add_result(look._replace(first=17), {}, 10.0)
    rest = look._replace(last=16)
    one.add_rest(rest, 10.0)
    assert one.counts == IdCounts(11, 20, received=4, deleted=3, open=3, checking=3)
    assert one.take_due_check(11.0) == rest


def test_what_nobody_may_look_up_stays_unexplained() -> None:
    """And is not asked for again."""
    one = ledger()
    look = one.take_due_check(10.0)
    assert look
    one.set_unknown(look)
    assert one.counts == IdCounts(11, 20, received=4, open=6)
    assert one.counts.unexplained == 6
    assert list(one.ranges(IdState.UNKNOWN)) == [(13, 14), (16, 19)]
    assert one.take_due_check(10_000.0) is None
    assert one.full_check() == ListCheck(0.0, 13, 19)


def test_what_is_certain_is_left_out_of_a_look() -> None:
    """Where it is much; stretches close to one another are one. From the top."""
    one = IdLedger()
    one.reset(0)
    one.add_received([3, *range(5, 3000), *range(3001, 3500), 3502], 0.0)
    assert one.uncertain_ranges(ListCheck(0.0, 2, 3501)) == [(3000, 3501), (2, 4)]
    assert one.uncertain_ranges(ListCheck(0.0, 5, 2999)) == []


def test_a_service_that_is_back_is_asked_at_once() -> None:
    """Ids that nobody can explain worry people; the second look keeps its time."""
    one = ledger()
    look = one.take_due_check(10.0)
    assert look
    one.set_unread(look, 10.0)
    one.retry_now(12.0)
    again = one.take_due_check(12.0)
    assert again == look._replace(due=12.0, failures=1)
    one.add_result(again, {}, 12.0)
    one.retry_now(13.0)
    assert one.take_due_check(13.0) is None


def test_all_that_is_not_certain_can_be_looked_at() -> None:
    """On the user's word, what was called deleted among it."""
    one = ledger()
    assert one.full_check() == ListCheck(0.0, 13, 19)
    one.add_received(range(13, 20), 1.0)
    assert one.full_check() is None


def test_ids_outside_the_account_change_nothing() -> None:
    """Those before its beginning, repeated ones, and one that no service reaches."""
    one = ledger()
    one.add_received([3, -7, 20, 20, 2**70], 1.0)
    assert one.counts == IdCounts(11, 20, received=4, open=6, checking=6)


def test_a_million_ids_take_little_room() -> None:
    """Nine bytes a run: what alternates takes 9 MB, what goes on and on nothing."""
    one = IdLedger()
    one.reset(0)
    one.add_received(range(1, 1_000_001), 0.0)
    assert one.size == 1
    one.add_received(range(1_000_002, 1_100_000, 2), 0.0)
    assert one.size == 2 * 49_999 + 1
