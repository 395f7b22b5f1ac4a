"""Tests of kinds kept as runs, against a plain dictionary."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.live.interval_map import IdState, IntervalMap

KINDS = st.sampled_from(list(IdState))
NUMBERS = st.integers(0, 60)
EXTENSIONS = st.tuples(st.just("extend"), NUMBERS, KINDS)
PAINTS = st.tuples(st.just("paint"), NUMBERS, KINDS)
REPAINTS = st.tuples(
    st.just("repaint"),
    NUMBERS,
    NUMBERS,
    st.dictionaries(NUMBERS, KINDS, max_size=6),
    KINDS,
    st.frozensets(KINDS, min_size=1),
)


@given(st.lists(st.one_of(EXTENSIONS, PAINTS, REPAINTS), max_size=25))
def test_it_is_a_dictionary_in_less_room(steps: list[tuple[object, ...]]) -> None:
    """Whatever is painted over whatever, kinds and counts agree, and neighbours of a kind are one run."""
    runs, plain = IntervalMap(5), dict[int, IdState]()
    for step in steps:
        match step:
            case ("extend", int(last), IdState() as kind):
                plain |= dict.fromkeys(range(5 + len(plain), last + 1), kind)
                runs.extend(last, kind)
            case ("paint", int(number), IdState() as kind):
                plain |= {number: kind} if number in plain else {}
                runs.set(number, kind)
            case ("repaint", int(first), int(last), dict(found), IdState() as other, frozenset() as kinds):
                here = [one for one in plain if first <= one <= last and plain[one] in kinds]
                plain |= {one: found.get(one, other) for one in here}
                runs.replace(first, last, found, other, kinds)
    assert {one: runs.state(one) for one in range(5, runs.end)} == plain
    assert (runs.state(4), runs.state(runs.end)) == (None, None)
    assert [runs.count(kind) for kind in IdState] == [list(plain.values()).count(kind) for kind in IdState]
    ordered = [plain[one] for one in sorted(plain)]
    assert len(runs) == sum(
        1 for place, kind in enumerate(ordered) if not place or ordered[place - 1] != kind
    )
    told = [
        one for first, last in runs.ranges(frozenset({IdState.UNCHECKED})) for one in range(first, last + 1)
    ]
    assert told == sorted(one for one, kind in plain.items() if kind is IdState.UNCHECKED)


def test_ranges_of_a_stretch_are_those_that_touch_it() -> None:
    """Found without going through all that was before."""
    runs = IntervalMap(0)
    for number in range(100):
        runs.extend(number, IdState.RECEIVED if number % 2 else IdState.UNCHECKED)
    assert list(runs.ranges(frozenset({IdState.UNCHECKED}), 50, 53)) == [(50, 50), (52, 52)]


def test_a_stretch_of_any_length_is_one_run() -> None:
    """An id from beyond all others must not cost more than any other."""
    runs = IntervalMap(0)
    runs.extend(10**15, IdState.UNCHECKED)
    runs.set(10**14, IdState.RECEIVED)
    assert (len(runs), runs.count(IdState.UNCHECKED)) == (3, 10**15)
