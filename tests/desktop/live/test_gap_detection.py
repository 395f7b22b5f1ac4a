"""Tests of the ledger of ids; test_proof.py tests it with a service of any behavior."""

from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event
from cdb_desktop.live.gap_detection import (
    LARGEST_ID,
    IdCounts,
    IdLedger,
    IdState,
    ImplausibleIds,
    IntervalMap,
    ListCheck,
    advance_cursor,
)


def ledger() -> IdLedger:
    """A ledger from 11, of which 11, 12, 15 and 20 were received."""
    one = IdLedger(settle_time=10)
    one.reset(10)
    one.add_received([12, 11, 15, 20], 0.0)
    return one


def test_skipped_ids_are_being_checked_until_the_list_was_read() -> None:
    """Then every id has a state, and the counts add up."""
    one = ledger()
    assert one.counts == IdCounts(11, 20, received=4, open=6, checking=6)
    assert list(one.ranges(IdState.UNCHECKED)) == [(13, 14), (16, 19)]
    assert one.schedule.take_due(9.9) is None
    check = one.schedule.take_due(10.0)
    assert check == ListCheck(10.0, 13, 19)
    assert one.counts == IdCounts(11, 20, received=4, open=6, checking=6)
    assert one.counts.unexplained == 0
    one.add_result(check, {13: IdState.UNPOLLABLE, 17: IdState.HIDDEN}, 10.5)
    assert one.counts == IdCounts(11, 20, received=4, unpollable=1, hidden=1, deleted=4)


def test_late_events_are_received() -> None:
    """Also after the first check, and the second check finds what polls do not bring."""
    one = ledger()
    check = one.schedule.take_due(10.0)
    assert check
    one.add_result(check, {}, 10.0)
    one.add_received([14], 11.0)
    assert (one.state(14), one.state(13)) == (IdState.RECEIVED, IdState.DELETED)
    again = one.schedule.take_due(400.0)
    assert again == ListCheck(360.0, 13, 19, 1)
    one.add_recovered([16], 400.0)
    one.add_result(again, {13: IdState.HIDDEN}, 400.0)
    assert (one.state(16), one.state(13), one.counts.recovered) == (IdState.RECEIVED, IdState.HIDDEN, 1)
    assert one.schedule.take_due(10_000.0) is None


def test_polls_begin_below_skipped_ids() -> None:
    """Room for new events remains in the answer."""
    one = ledger()
    assert one.poll_after(20) == 12
    one.add_received([5000], 1.0)
    assert one.poll_after(5000) == 4500
    assert one.schedule.take_due(20.0)
    assert one.poll_after(5000) == 5000


def test_the_settle_time_can_be_longer() -> None:
    """For long intervals, so that another poll can bring the id."""
    one = IdLedger(settle_time=10)
    one.reset(10)
    one.set_settle_time(90)
    one.add_received([12], 0.0)
    assert one.schedule.take_due(89.0) is None
    assert one.poll_after(12) == 10
    assert one.schedule.take_due(90.0) == ListCheck(90.0, 11, 11)


def test_a_list_that_cannot_be_read_is_read_later() -> None:
    """The ids are unexplained meanwhile, and each wait is longer."""
    one = ledger()
    check = one.schedule.take_due(10.0)
    assert check
    one.set_unread(check, 10.0)
    assert one.counts.unexplained == 6
    assert one.schedule.take_due(14.0) is None
    again = one.schedule.take_due(15.0)
    assert again == check._replace(due=15.0, failures=1)
    one.set_unread(again, 15.0)
    assert one.schedule.take_due(24.0) is None
    for _ in range(8):
        again = one.schedule.take_due(10_000.0)
        assert again
        one.set_unread(again, 0.0)
    assert again.due == 480.0
    one.add_result(again, {13: IdState.HIDDEN}, 10_000.0)
    assert one.counts == IdCounts(11, 20, received=4, hidden=1, deleted=5)


def test_an_unfinished_check_is_continued() -> None:
    """Its rest is being checked, not unexplained."""
    one = ledger()
    check = one.schedule.take_due(10.0)
    assert check
    one.add_result(check._replace(first=17), {}, 10.0)
    rest = check._replace(last=16)
    one.schedule.add_rest(rest, 10.0)
    assert one.counts == IdCounts(11, 20, received=4, deleted=3, open=3, checking=3)
    assert one.schedule.take_due(11.0) == rest


def test_ids_that_cannot_be_looked_up_stay_unexplained() -> None:
    """They are not checked again."""
    one = ledger()
    check = one.schedule.take_due(10.0)
    assert check
    one.set_unknown(check)
    assert one.counts == IdCounts(11, 20, received=4, open=6)
    assert one.counts.unexplained == 6
    assert list(one.ranges(IdState.UNKNOWN)) == [(13, 14), (16, 19)]
    assert one.schedule.take_due(10_000.0) is None
    assert one.full_check() == ListCheck(0.0, 13, 19)


def test_a_check_leaves_out_certain_ids() -> None:
    """If there are many; near ranges are joined. Descending."""
    one = IdLedger()
    one.reset(0)
    one.add_received([3, *range(5, 3000), *range(3001, 3500), 3502], 0.0)
    assert one.uncertain_ranges(ListCheck(0.0, 2, 3501)) == [(3000, 3501), (2, 4)]
    assert one.uncertain_ranges(ListCheck(0.0, 5, 2999)) == []


def test_failed_checks_are_repeated_when_the_service_is_back() -> None:
    """The second check keeps its time."""
    one = ledger()
    check = one.schedule.take_due(10.0)
    assert check
    one.set_unread(check, 10.0)
    one.schedule.retry_now(12.0)
    again = one.schedule.take_due(12.0)
    assert again == check._replace(due=12.0, failures=1)
    one.add_result(again, {}, 12.0)
    one.schedule.retry_now(13.0)
    assert one.schedule.take_due(13.0) is None


def test_a_full_check_covers_all_uncertain_ids() -> None:
    """Deleted ids are included."""
    one = ledger()
    assert one.full_check() == ListCheck(0.0, 13, 19)
    one.add_received(range(13, 20), 1.0)
    assert one.full_check() is None


def test_ids_outside_the_ledger_change_nothing() -> None:
    """Those before it, repeated ones, and one that is too large."""
    one = ledger()
    one.add_received([3, -7, 20, 20, 2**70], 1.0)
    assert one.counts == IdCounts(11, 20, received=4, open=6, checking=6)


def test_many_ids_take_little_memory() -> None:
    """Nine bytes a run."""
    one = IdLedger()
    one.reset(0)
    one.add_received(range(1, 100_001), 0.0)
    assert one.size == 1
    one.add_received(range(100_002, 110_000, 2), 0.0)
    assert one.size == 2 * 4_999 + 1


STATES = st.sampled_from(list(IdState))
NUMBERS = st.integers(0, 60)
EXTENSIONS = st.tuples(st.just("extend"), NUMBERS, STATES)
CHANGES = st.tuples(st.just("set"), NUMBERS, STATES)
REPLACEMENTS = st.tuples(
    st.just("replace"),
    NUMBERS,
    NUMBERS,
    st.dictionaries(NUMBERS, STATES, max_size=6),
    STATES,
    st.frozensets(STATES, min_size=1),
)


@given(st.lists(st.one_of(EXTENSIONS, CHANGES, REPLACEMENTS), max_size=25))
def test_it_behaves_like_a_dictionary(steps: list[tuple[object, ...]]) -> None:
    """After any changes, states and counts agree, and equal neighbours are one run."""
    states, plain = IntervalMap(5), dict[int, IdState]()
    for step in steps:
        match step:
            case ("extend", int(last), IdState() as state):
                plain |= dict.fromkeys(range(5 + len(plain), last + 1), state)
                states.extend(last, state)
            case ("set", int(number), IdState() as state):
                plain |= {number: state} if number in plain else {}
                states.set(number, state)
            case ("replace", int(first), int(last), dict(found), IdState() as other, frozenset() as replaced):
                here = [one for one in plain if first <= one <= last and plain[one] in replaced]
                plain |= {one: found.get(one, other) for one in here}
                states.replace(first, last, found, other, replaced)
    assert {one: states.state(one) for one in range(5, states.end)} == plain
    assert (states.state(4), states.state(states.end)) == (None, None)
    assert [states.count(state) for state in IdState] == [
        list(plain.values()).count(state) for state in IdState
    ]
    ordered = [plain[one] for one in sorted(plain)]
    assert len(states) == sum(
        1 for place, state in enumerate(ordered) if not place or ordered[place - 1] != state
    )
    listed = [
        one for first, last in states.ranges(frozenset({IdState.UNCHECKED})) for one in range(first, last + 1)
    ]
    assert listed == sorted(one for one, state in plain.items() if state is IdState.UNCHECKED)


def test_ranges_are_limited_to_overlapping_runs() -> None:
    states = IntervalMap(0)
    for number in range(100):
        states.extend(number, IdState.RECEIVED if number % 2 else IdState.UNCHECKED)
    assert list(states.ranges(frozenset({IdState.UNCHECKED}), 50, 53)) == [(50, 50), (52, 52)]


def test_a_range_of_any_length_is_one_run() -> None:
    """A huge id costs no more than any other."""
    states = IntervalMap(0)
    states.extend(10**15, IdState.UNCHECKED)
    states.set(10**14, IdState.RECEIVED)
    assert (len(states), states.count(IdState.UNCHECKED)) == (3, 10**15)


def _new(far: ImplausibleIds, *ids: int) -> list[int]:
    return [event.id for event in far.new_events([Event(id=one) for one in ids])]


def test_the_cursor_moves_to_the_highest_id() -> None:
    """In whatever order they come, over gaps as they are common."""
    assert advance_cursor(5, [9, 7, 900]) == 900
    assert advance_cursor(9, [3, 9]) == 9
    assert advance_cursor(9, []) == 9


def test_one_id_far_above_all_others_does_not_move_the_cursor() -> None:
    """Nor do a few; those near the others do."""
    assert advance_cursor(5, [10**12]) == 5
    assert advance_cursor(5, [6, 7, *range(50_000, 50_009)]) == 7
    assert advance_cursor(5, [2**62, LARGEST_ID + 9, 6]) == 6


def test_many_ids_far_above_all_others_move_the_cursor() -> None:
    """The log continues there."""
    assert advance_cursor(5, [6, *range(50_000, 50_010)]) == 50_009
    # Events that are far apart: each is accepted when enough others follow it.
    assert advance_cursor(0, [5_000 * place for place in range(1, 13)]) == 15_000


def test_ids_above_the_cursor_are_new_once_and_not_in_the_ledger() -> None:
    """The ledger ends at the cursor."""
    ledger = IdLedger()
    ledger.reset(0)
    far = ImplausibleIds(ledger)
    far.add([1, 2, 9_000], 2, 0.0)
    assert _new(far, 2, 3, 9_000) == [3]
    assert ledger.counts == IdCounts(1, 2, received=2)
    assert len(far) == 1
    far.add([9_001], 9_001, 0.0)
    assert (len(far), ledger.last, ledger.counts.received) == (0, 9_001, 4)
    assert _new(far, 9_000, 9_001) == []


def test_a_service_that_makes_up_ids_does_not_fill_the_memory() -> None:
    """Then an event may be reported twice."""
    ledger = IdLedger()
    ledger.reset(0)
    far = ImplausibleIds(ledger)
    for first in range(10**9, 10**9 + 30_000, 100):
        far.add(range(first, first + 100), 0, 0.0)
        assert len(far) <= 10_000
