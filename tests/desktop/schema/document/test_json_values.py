"""Tests of values of attributes as text."""

from __future__ import annotations

from cdb_desktop.schema.document.json_values import shown_value


def test_values_are_shown_as_they_are_written() -> None:
    """Strings have no quotes, all other values are JSON."""
    assert [shown_value(value) for value in ("a", True, None, 1.5, [1])] == [
        "a",
        "true",
        "null",
        "1.5",
        "[1]",
    ]
