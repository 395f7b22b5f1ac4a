"""Tests of CSV pages and of records that are split between lines."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import TooLargeError
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.export import csv_page
from cdb_desktop.events.export.csv_page import CsvDialect, CsvPage, CsvPageError, SpooledPage

HEADER = b"_id,type,user,session,info\r\n"
PLAIN = b'5,SEARCH,Anna,abc,"{""a"": 1}"\r\n'
QUOTED = b'6,SEARCH,"Web, ""er""\nAnna",abc,{}\r\n'
BARE = b"7,SERVER_START,,,{}\r\n"


def test_line_ends_within_quotes_are_content() -> None:
    """A quoted value may contain line ends."""
    parsed = CsvPage.parse(HEADER + PLAIN + QUOTED + BARE)
    assert (parsed.header, list(parsed.rows)) == (HEADER, [PLAIN, QUOTED, BARE])
    assert [parsed.id_of(row) for row in range(3)] == [5, 6, 7]
    assert [parsed.first_after(last) for last in (0, 5, 7)] == [0, 1, 3]


def test_session_tokens_are_masked_and_nothing_else_changes() -> None:
    """A deployed service may send real tokens (wire §3)."""
    body = CsvPage.parse(HEADER + PLAIN + QUOTED + BARE).body(range(3))
    before = list(csv.reader(io.StringIO((PLAIN + QUOTED + BARE).decode(), newline="")))
    after = list(csv.reader(io.StringIO(body.decode(), newline="")))
    assert [row[3] for row in after] == [MASK, MASK, ""]
    assert [[*row[:3], *row[4:]] for row in after] == [[*row[:3], *row[4:]] for row in before]
    assert body.startswith(PLAIN.replace(b"abc", MASK.encode()))


def test_other_delimiters_and_a_byte_order_mark() -> None:
    """All options of the file dialog are read."""
    page = b"\xef\xbb\xbfsession;_id\nabc;3\nabc;4"
    parsed = CsvPage.parse(page, CsvDialect(";"))
    assert parsed.id_of(1) == 4
    assert parsed.body(range(1, 2)) == f"{MASK};4\r\n".encode()


def test_a_file_without_event_ids_is_refused() -> None:
    """Rows without an id cannot be checked."""
    with pytest.raises(CsvPageError):
        CsvPage.parse(b"a,b\r\n1,2\r\n")
    with pytest.raises(CsvPageError):
        CsvPage.parse(b"_id\r\nx\r\n").id_of(0)


def test_info_may_be_large() -> None:
    """A large value is read also if its row has to be split."""
    info = "x" * 300_000
    parsed = CsvPage.parse(f'_id,info,session\r\n7,"{info}, y",secret\r\n'.encode())
    assert parsed.id_of(0) == 7
    assert parsed.dialect.cells(parsed.body(range(1))) == ["7", f"{info}, y", MASK]


@given(
    parts=st.lists(st.sampled_from([b"7,", b'"', b"\\", b"\n", b"\r", b"\r\n", b"x"]), max_size=40),
    escape=st.sampled_from('"\\'),
)
def test_a_page_in_a_file_is_split_like_one_in_memory(
    parts: list[bytes], escape: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """This holds for line ends and quotes anywhere, and for a page that is too large for memory."""
    page, dialect = HEADER + b"".join(parts), CsvDialect(escape=escape)
    for size in (1, 2**20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_page, "_MAX_BYTES_IN_MEMORY", size)
            file = SpooledPage(tmp_path_factory.getbasetemp())
            for start in range(0, len(page), 7):
                file.write(page[start : start + 7])
            whole, cut = CsvPage.parse(page, dialect), CsvPage.parse(file, dialect)
        assert (cut.header, list(cut.rows)) == (whole.header, list(whole.rows))
        every = range(len(whole))
        assert b"".join(cut.chunks(every)) == whole.body(every)


def test_a_record_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would have to be read as a whole, whether it has one line or many."""
    monkeypatch.setattr(csv_page, "_MAX_RECORD_BYTES", 1000)
    for info in (b"x" * 2000, b"x\n" * 1000):
        file = SpooledPage(tmp_path)
        file.write(b'_id,info\r\n1,"' + info + b'"\r\n')
        with pytest.raises(TooLargeError):
            CsvPage.parse(file)
