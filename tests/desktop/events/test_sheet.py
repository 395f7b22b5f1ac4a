"""Tests of CSV pages cut into rows."""

from __future__ import annotations

import csv
import io

import pytest

from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.sheet import Dialect, Sheet, SheetError

HEADER = b"_id,type,user,session,info\r\n"
PLAIN = b'5,SEARCH,Anna,abc,"{""a"": 1}"\r\n'
QUOTED = b'6,SEARCH,"Web, ""er""\nAnna",abc,{}\r\n'
BARE = b"7,SERVER_START,,,{}\r\n"


def test_line_ends_within_quotes_are_content() -> None:
    """A name may hold anything."""
    sheet = Sheet.of(HEADER + PLAIN + QUOTED + BARE)
    assert (sheet.header, list(sheet.rows)) == (HEADER, [PLAIN, QUOTED, BARE])
    assert [sheet.id_of(row) for row in range(3)] == [5, 6, 7]
    assert [sheet.first_after(last) for last in (0, 5, 7)] == [0, 1, 3]


def test_session_tokens_are_masked_and_nothing_else_changes() -> None:
    """A deployed service may send real ones (wire §3)."""
    body = Sheet.of(HEADER + PLAIN + QUOTED + BARE).body(range(3))
    before = list(csv.reader(io.StringIO((PLAIN + QUOTED + BARE).decode(), newline="")))
    after = list(csv.reader(io.StringIO(body.decode(), newline="")))
    assert [row[3] for row in after] == [MASK, MASK, ""]
    assert [[*row[:3], *row[4:]] for row in after] == [[*row[:3], *row[4:]] for row in before]
    assert body.startswith(PLAIN.replace(b"abc", MASK.encode()))


def test_other_delimiters_and_a_mark_at_the_beginning() -> None:
    """What the file dialog offers."""
    page = b"\xef\xbb\xbfsession;_id\nabc;3\nabc;4"
    sheet = Sheet.of(page, Dialect(";"))
    assert sheet.id_of(1) == 4
    assert sheet.body(range(1, 2)) == f"{MASK};4\r\n".encode()


def test_what_is_no_sheet_of_events_is_refused() -> None:
    """Rows that cannot be told apart cannot be checked."""
    with pytest.raises(SheetError):
        Sheet.of(b"a,b\r\n1,2\r\n")
    with pytest.raises(SheetError):
        Sheet.of(b"_id\r\nx\r\n").id_of(0)


def test_an_info_may_be_large() -> None:
    """Also where its row has to be taken apart."""
    info = "x" * 300_000
    sheet = Sheet.of(f'_id,info,session\r\n7,"{info}, y",secret\r\n'.encode())
    assert sheet.id_of(0) == 7
    assert sheet.dialect.cells(sheet.body(range(1))) == ["7", f"{info}, y", MASK]
