"""Tests of the interval map against a plain dictionary."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.live.gap_detection import IdState, IntervalMap

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
