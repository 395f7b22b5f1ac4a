"""Places of elements, which stay the same over edits."""

from __future__ import annotations

from cdb_desktop.schema.places import (
    DOCUMENT,
    ColumnPlace,
    NestedPlace,
    ReversePlace,
    TablePlace,
    UniquePlace,
    new_key,
    table_of,
)


def test_every_place_lies_in_a_table() -> None:
    """But for the document itself."""
    places = (
        TablePlace(3),
        ColumnPlace(3, 1),
        NestedPlace(3, 4),
        ReversePlace(3, 6, 12),
        UniquePlace(3, (1, 2)),
    )
    assert [table_of(place) for place in places] == [3] * 5
    assert table_of(DOCUMENT) is None


def test_local_keys_are_no_ids_and_never_met_twice() -> None:
    """The service's ids are positive."""
    keys = [new_key() for _ in range(1000)]
    assert max(keys) < 0
    assert len(set(keys)) == 1000
