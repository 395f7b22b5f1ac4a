"""Tests of references to elements, which are stable over edits."""

from __future__ import annotations

from cdb_desktop.schema.document.element_ref import (
    DOCUMENT,
    ColumnRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
    new_key,
    table_key_of,
)


def test_every_element_is_in_a_table() -> None:
    """The document itself is the only exception."""
    places = (
        TableRef(3),
        ColumnRef(3, 1),
        NestedTableRef(3, 4),
        ReverseLinkRef(3, 6, 12),
        UniqueKeyRef(3, (1, 2)),
    )
    assert [table_key_of(place) for place in places] == [3] * 5
    assert table_key_of(DOCUMENT) is None


def test_local_keys_are_unique_and_not_ids() -> None:
    """The service's ids are positive."""
    keys = [new_key() for _ in range(1000)]
    assert max(keys) < 0
    assert len(set(keys)) == 1000
