"""Tests of two events side by side, and of the forms in which rows are copied."""

from __future__ import annotations

import csv
import io

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.events.comparison import compared
from cdb_desktop.events.copy_forms import CopyForm, as_text

TITLES, ROWS = ["Id", "Type"], [["1", 'a|b "c"'], ["2", "x\ny, z"]]


def test_differences_have_signs() -> None:
    """Changed, only left, only right; what is the same has none."""
    left = Event(id=1, type="SEARCH", info=msgspec.Raw(b'{"a": [1, 2], "gone": true}'))
    right = Event(id=2, type="SEARCH", info=msgspec.Raw(b'{"a": [1, 3], "fresh": "x"}'))
    lines = {line.path: (line.sign, line.left, line.right) for line in compared(left, right)}
    assert lines["_id"] == ("~", "1", "2")
    assert lines["type"] == ("", "SEARCH", "SEARCH")
    assert lines["info.a.1"] == ("~", "2", "3")
    assert lines["info.gone"] == ("−", "true", None)
    assert lines["info.fresh"] == ("+", None, "x")


def test_rows_are_copied_for_readers_of_each_kind() -> None:
    """CSV can be read back, Markdown is a table with its titles, for a spreadsheet no cell breaks a row."""
    again = list(csv.reader(io.StringIO(as_text(CopyForm.CSV, TITLES, ROWS), newline="")))
    assert again == [TITLES, *ROWS]
    assert as_text(CopyForm.MARKDOWN, TITLES, ROWS).splitlines() == [
        "| Id | Type |",
        "| --- | --- |",
        '| 1 | a\\|b "c" |',
        "| 2 | x y, z |",
    ]
    assert as_text(CopyForm.TSV, TITLES, ROWS) == '1\ta|b "c"\n2\tx y, z'
