"""Tests of the import of CSV dumps: a whole one, what it cannot have, and damaged ones."""

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.diff.apply import with_chosen
from cdb_desktop.schema.diff.differences import Differences, find_differences
from cdb_desktop.schema.diff.matching import MatchBy, align
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.local_names import with_names_of_new
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.exchange.csv_dump import completed, is_csv_dump, read_csv_dump
from cdb_desktop.schema.exchange.relational import ExchangeError
from cdb_desktop.schema.working_copy import EMPTY
from tests.desktop.schema.models import opened

_DUMP = """\ufeff"# SCHEMA DUMP easydb13.03.2018 15:40";"";""
"";"";""
"### TABLE WORK";"";""
"ID";"14";""
"NAME";"work";""
"POOL";"";""
"HIERARCHICAL";"";""
"TAGS";"true";""
"SEARCH";"true";""
"COMMENT";"All; ""all"" works";""
"DISPLAYNAME:de-DE";"Werk";""
"";"";""
"### COLUMNS";"";""
"TABLE";"NAME";"TYPE";"NOT_NULL";"UNIQUE";"ID";"DISPLAYNAME:de-DE"
"work";"title";"text_oneline";"true";"";"1";"Titel"
"work";"artist";"link:artist";"false";"";"2";""
"work > note";"";"";"";"";"15";"Notiz"
"work > note";"text";"text";"false";"true";"3";""
"";"";""
"### TABLE ARTIST";"";""
"ID";"16";""
"NAME";"artist";""
"### COLUMNS";"";""
"TABLE";"NAME";"TYPE";"NOT_NULL";"UNIQUE";"ID";""
"artist";"name";"text_oneline";"false";"";"4";""
"""


def test_a_dump_is_read_with_links_nested_tables_and_names() -> None:
    """The result is a valid model, and importing it once more changes nothing."""
    content = _DUMP.encode()
    assert is_csv_dump(content)
    dump = read_csv_dump(content)
    found = _differences(dump.document, EMPTY)
    document = with_chosen(found, found.all_ids)
    assert not find_problems(document)
    names = [table.name for table in document.tables]
    assert names == ["work", "work__note", "artist"]
    work, note, artist = document.tables
    assert [column.type for column in work.columns] == ["text_oneline", "link"]
    assert work.foreign_keys[0].target == artist.key
    assert work.columns[0].flag("not_null")
    assert work.raw["comment"] == 'All; "all" works'
    assert note.owner == work.key
    assert note.unique_keys[0].column_keys == (note.columns[0].key,)
    refs = (TableRef(work.key), TableRef(note.key), ColumnRef(work.key, work.columns[0].key))
    named = with_names_of_new(document, document, dump.names, refs)
    assert [named.local_names[ref]["de-DE"] for ref in refs] == ["Werk", "Notiz", "Titel"]
    assert not _differences(dump.document, document).items


def test_what_a_dump_cannot_have_stays() -> None:
    """Checks, reverse links, delete rules and unique keys of several columns are no differences."""
    museum = opened()
    rows = ['"# SCHEMA DUMP";""']
    for table in (one for one in museum.tables if not one.is_nested):
        rows += [f"### TABLE {table.name}", f"NAME;{table.name}", "### COLUMNS", "TABLE;NAME;TYPE;ID"]
        for part in (table, *(museum.by_key[key] for key in museum.nested_below(table.key))):
            path = part.name.replace("__", " > ")
            rows += [f"{path};;;{part.id}"] if part.is_nested else []
            for column in part.columns:
                target = [museum.by_key[key.target or 0].name for key in part.links.get(column.key, ())]
                rows.append(f"{path};{column.name};{':'.join([column.type, *target])};{column.id}")
    dump = read_csv_dump("\n".join(rows).encode())
    kinds = {item.id[0].name for item in _differences(dump.document, museum).items}
    assert kinds <= {"MOVED"}


@pytest.mark.parametrize(
    ("old", "new", "line", "text"),
    [
        ("# SCHEMA DUMP", "# SOMETHING", 1, "This is no dump of a schema"),
        ('"ID";"14"', '"ID";"x"', 4, "x is no id"),
        ('"NAME";"work"', '"NAME";""', 13, "A table has no name"),
        ('"NAME";"TYPE"', '"NAME";"KIND"', 14, "lacks TYPE"),
        ('"title";"text_oneline"', '"title";""', 15, "A column has no type"),
        ('"true";"";"1"', '"perhaps";"";"1"', 15, "NOT_NULL is neither true nor false"),
        ("link:artist", "link:nobody", 16, "The table nobody is not defined"),
        ('"work > note";"";""', '"plant > note";"";""', 17, "The table plant is not defined above"),
        ('"artist";"name"', '"work";"title"', 25, "The column work.title is defined twice"),
        ('"NAME";"artist"', '"NAME";"work"', 22, "The table work is defined twice"),
        ('"4";""\n', '"4";"', 25, "This is no CSV"),
    ],
)
def test_a_damaged_dump_is_refused_with_the_line(old: str, new: str, line: int, text: str) -> None:
    with pytest.raises(ExchangeError) as caught:
        read_csv_dump(_DUMP.replace(old, new, 1).encode())
    assert text in str(caught.value.message)
    assert caught.value.line == line


def test_a_dump_that_ends_early_is_refused() -> None:
    """Within a table, without any table, and within a character."""
    for content in (_DUMP[: _DUMP.index("### COLUMNS")], _DUMP[: _DUMP.index("### TABLE")]):
        with pytest.raises(ExchangeError):
            read_csv_dump(content.encode())
    with pytest.raises(ExchangeError):
        read_csv_dump(_DUMP.encode()[:100] + b"\xff")


def _differences(dump: Document, target: Document) -> Differences:
    aligned = align(dump, target, MatchBy.NAMES).document
    return find_differences(target, completed(aligned, target))
